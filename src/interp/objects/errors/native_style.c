// How CPython reads the arguments of a C function.
//
// It has several ways, each with texts of its own. Which one a function uses
// mostly follows from its parameters; those that do not follow are rows of
// `styles`.
#include "interp/objects/errors/native_style.h"

#include <string.h>

// One native, or the natives of one name in two types.
typedef struct StyleRow {
    const char *name;
    const char *owners[2]; // the types whose methods they are, NULL: function
    NativeStyle style;
} StyleRow;

// The STYLE_FORMAT rows are those whose C code calls PyArg_ParseTuple with the
// method's name behind a colon; a name that is no row is read by what Argument
// Clinic makes of its parameters.
static const StyleRow styles[] = {
    {"find", {"str", "bytes"}, STYLE_FORMAT},
    {"rfind", {"str", "bytes"}, STYLE_FORMAT},
    {"index", {"str", "bytes"}, STYLE_FORMAT},
    {"rindex", {"str", "bytes"}, STYLE_FORMAT},
    {"count", {"str", "bytes"}, STYLE_FORMAT},
    {"startswith", {"str", "bytes"}, STYLE_FORMAT},
    {"endswith", {"str", "bytes"}, STYLE_FORMAT},
    {"insert", {"deque", "deque"}, STYLE_FORMAT},
    {"index", {"deque", "deque"}, STYLE_FORMAT},
    {"fromordinal", {"date", "datetime"}, STYLE_FORMAT},
    {"utcfromtimestamp", {"datetime", "datetime"}, STYLE_FORMAT},
    {"strptime", {"datetime", "datetime"}, STYLE_FORMAT},
    {"__format__", {"_Ordered", "_Ordered"}, STYLE_FORMAT},
    {"clock_gettime", {"time", "time"}, STYLE_FORMAT},
    {"clock_gettime_ns", {"time", "time"}, STYLE_FORMAT},
    {"asctime", {"time", "time"}, STYLE_FORMAT},
    {"ctime", {"time", "time"}, STYLE_FORMAT},
    {"gmtime", {"time", "time"}, STYLE_FORMAT},
    {"localtime", {"time", "time"}, STYLE_FORMAT},
    {"strftime", {"time", "time"}, STYLE_FORMAT},
    {"cycle", {NULL, NULL}, STYLE_UNPACK},
    {"pairwise", {NULL, NULL}, STYLE_UNPACK},
    {"sorted", {NULL, NULL}, STYLE_UNPACK},
    {"reduce", {"functools", "functools"}, STYLE_UNPACK},
    {"reversed", {NULL, NULL}, STYLE_UNPACK},
    {"enumerate", {NULL, NULL}, STYLE_NO_PLACE},
    {"zip_longest", {NULL, NULL}, STYLE_UNNAMED},
    {"product", {NULL, NULL}, STYLE_OPEN},
    {"max", {NULL, NULL}, STYLE_OPEN},
    {"min", {NULL, NULL}, STYLE_OPEN},
    {"map", {NULL, NULL}, STYLE_MAP},
};

// `owner` NULL: the native is a function and no method.
static bool row_has_owner(const StyleRow *row, const char *owner)
{
    if (owner == NULL) {
        return row->owners[0] == NULL;
    }
    return row->owners[0] != NULL && (strcmp(row->owners[0], owner) == 0 ||
                                      strcmp(row->owners[1], owner) == 0);
}

// Its type's or module's name, NULL: a built-in function.
const char *native_owner_name(const Native *native)
{
    return native->owner != NULL ? type_name(native->owner) : native->place;
}

// Only errors ask, so the rows are searched one by one. The name alone is not
// enough: list.index is read in another way than str.index.
NativeStyle native_style(const Native *native)
{
    const char *owner = native_owner_name(native);
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        if (strcmp(styles[i].name, native->def->name) == 0 &&
            row_has_owner(&styles[i], owner)) {
            return styles[i].style;
        }
    }
    return STYLE_BY_PARAMS;
}

bool native_reads_format(const Native *native)
{
    return native_style(native) == STYLE_FORMAT;
}

// Special methods that are ordinary methods of C in CPython, with the types
// where they are if others have a slot for them.
// Whoever gives a type a new dunder method looks here first: one that is
// missing is taken for a slot, and its errors lose the method's name.
static const struct {
    const char *name;
    const char *owners[3];
} ordinary[] = {
    {"__getitem__", {"list", "dict"}},
    {"__contains__", {"dict", "set", "frozenset"}},
    {"__format__", {NULL}},
    {"__sizeof__", {NULL}},
    {"__reduce__", {NULL}},
    {"__reduce_ex__", {NULL}},
    {"__getstate__", {NULL}},
    {"__setstate__", {NULL}},
    {"__getnewargs__", {NULL}},
    {"__dir__", {NULL}},
    {"__reversed__", {NULL}},
    {"__round__", {NULL}},
    {"__trunc__", {NULL}},
    {"__floor__", {NULL}},
    {"__ceil__", {NULL}},
    {"__length_hint__", {NULL}},
    {"__enter__", {NULL}},
    {"__exit__", {NULL}},
    {"__copy__", {NULL}},
    {"__deepcopy__", {NULL}},
    {"__getformat__", {NULL}},
    {"__instancecheck__", {NULL}},
    {"__subclasscheck__", {NULL}},
    {"__subclasses__", {NULL}},
    {"__prepare__", {NULL}},
    {"__bytes__", {NULL}},
    {"__class_getitem__", {NULL}},
    {"__init_subclass__", {NULL}},
    {"__subclasshook__", {NULL}},
    {"__set_name__", {NULL}},
    {"__missing__", {NULL}},
    {"__new__", {NULL}},
};

// Such a method is a wrapper of a slot in CPython, whose errors have words of
// their own.
// A row with owners holds for those types only: list and dict have a
// __getitem__ of their own beside the slot, for speed, while str and tuple have
// the slot alone.
bool native_is_slot(const Native *native)
{
    const char *name = native->def->name;
    if (native_self_count(native) == 0 || name[0] != '_' || name[1] != '_' ||
        name[strlen(name) - 1] != '_') {
        return false;
    }
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++) {
        // The third letter tells most of them apart without a call: this is
        // asked for each native when the program starts.
        if (ordinary[i].name[2] != name[2] ||
            strcmp(ordinary[i].name, name) != 0) {
            continue;
        }
        const char *const *owner = ordinary[i].owners;
        bool found = owner[0] == NULL;
        for (int at = 0; at < 3 && owner[at] != NULL; at++) {
            found = found || strcmp(owner[at], native_owner_name(native)) == 0;
        }
        return !found;
    }
    return true;
}

// Slots whose wrapper unpacks its arguments for a function without a name:
// the text has a blank where the name would stand. Repetition is such a one in
// a sequence only; numbers multiply by the common wrapper.
bool native_unpacks_slot(const Native *native)
{
    static const char *const names[] = {
        "__setattr__", "__setitem__", "__pow__", "__rpow__",
        "__ipow__",    "__get__",     "__set__",
    };
    // For a sequence these three fill sq_repeat, which wrap_indexargfunc reads
    // by PyArg_UnpackTuple as the names above.
    static const char *const repeats[] = {"__mul__", "__rmul__", "__imul__"};
    const char *name = native->def->name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof repeats / sizeof *repeats; i++) {
        if (strcmp(repeats[i], name) == 0) {
            // A type without a length slot is a number.
            return native->owner == NULL ||
                   native->owner->def->slots.length != NULL;
        }
    }
    return false;
}
