// Fields of error classes.
//
// Invariant: exception->fields is NULL or holds EXCEPTION_FIELD_MAX values,
// UNBOUND where the field still follows from args. Which field an index means
// is the family's matter.
#include "interp/objects/errors/exception_fields.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/errors/exception_family.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"

// The bit of each family whose fields exist, by error kind.
static const ErrorKind families[] = {ERR_OS,
                                     ERR_SYNTAX,
                                     ERR_STOP_ITERATION,
                                     ERR_SYSTEM_EXIT,
                                     ERR_ATTRIBUTE,
                                     ERR_NAME,
                                     ERR_IMPORT,
                                     ERR_UNICODE_DECODE,
                                     ERR_UNICODE_ENCODE,
                                     ERR_UNICODE_TRANSLATE};

void exception_families_mark(Vm *vm)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        vm->error_types[families[i]]->flags |= TYPE_FAMILY;
    }
}

static ErrorKind family_of(const Vm *vm, const Type *cls)
{
    size_t i = 0;
    while (vm->error_types[families[i]] != cls) {
        i++;
    }
    return families[i];
}

// Every exception that is made comes here, so the classes are walked once; no
// class derives from two families.
ErrorKind exception_family(Vm *vm, const Exception *self)
{
    const Tuple *mro = self->head.type->mro;
    // The last two are BaseException and object.
    for (size_t at = 0; at + 2 < mro->count; at++) {
        const Type *cls = (const Type *)value_object(mro->items[at]);
        if (cls->flags & TYPE_FAMILY) {
            return family_of(vm, cls);
        }
    }
    return ERR_NONE;
}

// Owned; UNBOUND behind the last. Arguments that were not given leave fields
// without a value.
static Value item_of(const Tuple *args, size_t i)
{
    return i < args->count ? value_retain(args->items[i]) : VALUE_UNBOUND;
}

// The text between the number-th pair of quotes in the message; UNBOUND: none.
// The interpreter's own errors keep no objects, and the names that they speak
// of are read back from their words. A program's words name nothing.
static Value quoted_name(Vm *vm, const Exception *self, int number)
{
    if (!self->told || self->args->count == 0 ||
        !value_is_str(self->args->items[0])) {
        return VALUE_UNBOUND;
    }
    const char *at = value_as_str(self->args->items[0])->text, *end = at;
    // `end` is the closing quote of the pair before.
    // From pair to pair, since texts in quotes may have anything around them.
    for (int i = 0; i <= number; i++) {
        at = strchr(i == 0 ? at : end + 1, '\'');
        end = at == NULL ? NULL : strchr(at + 1, '\'');
        if (end == NULL) {
            return VALUE_UNBOUND;
        }
    }
    return value_or_fail(str_new(vm, at + 1, (size_t)(end - at - 1)));
}

// "No module named 'x'", "cannot import name 'y' from 'x'": x. What was no
// module has a name in angle brackets there, and no field.
static Value module_name(Vm *vm, const Exception *self)
{
    // The second name of "cannot import", the first of "No module".
    bool missing = type_is_subtype(self->head.type,
                                   type_of_error(vm, ERR_MODULE_NOT_FOUND));
    Value name = quoted_name(vm, self, missing ? 0 : 1);
    if (value_is_str(name) && value_as_str(name)->text[0] == '<') {
        release(vm, name);
        return VALUE_UNBOUND;
    }
    return name;
}

bool exception_counts_written(Vm *vm, const Exception *self)
{
    return self->args->count == 3 && value_is_integer(self->args->items[2]) &&
           type_is_subtype(self->head.type, type_of_error(vm, ERR_BLOCKING_IO));
}

// errno, text, file, (a number of Windows,) second file: two to five of them,
// other counts are no such error. A file of None is none: OSError(errno, text,
// file, None, file2).
static Value os_default(Vm *vm, const Exception *self, int field)
{
    const Tuple *args = self->args;
    // Its third argument is a number of characters, and no file.
    if (exception_counts_written(vm, self)) {
        return field == OS_WRITTEN ? item_of(args, 2)
               : field < OS_FILE   ? item_of(args, (size_t)field)
                                   : VALUE_UNBOUND;
    }
    if (field == OS_WRITTEN) {
        return VALUE_UNBOUND;
    }
    // OSError("text") has no number, and its text is its argument alone.
    if (args->count < 2 || args->count > 5) {
        return VALUE_UNBOUND;
    }
    Value item = item_of(args, field == OS_FILE2 ? 4 : (size_t)field);
    return field >= OS_FILE && value_is_none(item) ? VALUE_UNBOUND : item;
}

// (file, line, column, text …) of a SyntaxError; NULL: it has none.
static const Tuple *syntax_place(const Exception *self)
{
    const Tuple *args = self->args;
    return args->count == 2 && value_is_kind(args->items[1], KIND_TUPLE) &&
                   value_as_tuple(args->items[1])->count >= 4
               ? value_as_tuple(args->items[1])
               : NULL;
}

static Value syntax_default(const Exception *self, int field)
{
    if (field == SYNTAX_MSG) {
        return item_of(self->args, 0);
    }
    const Tuple *place = syntax_place(self);
    return place == NULL || field == SYNTAX_PRINT
               ? VALUE_UNBOUND
               : item_of(place, (size_t)field - 1);
}

// What a field is as long as nothing has set it: owned, UNBOUND if it follows
// from nothing. Errors of the interpreter name things in their messages alone.
static Value default_field(Vm *vm, ErrorKind family, const Exception *self,
                           int field)
{
    switch (family) {
    case ERR_OS: return os_default(vm, self, field);
    case ERR_SYNTAX: return syntax_default(self, field);
    case ERR_NAME: return quoted_name(vm, self, 0);
    case ERR_ATTRIBUTE:
        return field == 0 ? quoted_name(vm, self, 1)
                          : value_retain(self->subject);
    case ERR_IMPORT:
        return field == IMPORT_MSG && self->args->count == 1
                   ? item_of(self->args, 0)
               : field == 1 ? module_name(vm, self)
                            : VALUE_UNBOUND;
    case ERR_SYSTEM_EXIT:
        return self->args->count > 1
                   ? value_retain(value_from_object(self->args))
                   : item_of(self->args, 0);
    case ERR_UNICODE_TRANSLATE:
        return field == UNICODE_ENCODING
                   ? VALUE_UNBOUND
                   : item_of(self->args, (size_t)field - 1);
    default: return item_of(self->args, (size_t)field);
    }
}

Value exception_family_field(Vm *vm, ErrorKind family, const Exception *self,
                             int field)
{
    if (self->fields != NULL && !value_unbound(self->fields[field])) {
        return value_retain(self->fields[field]);
    }
    return default_field(vm, family, self, field);
}

static bool make_room(Vm *vm, Exception *self)
{
    if (self->fields != NULL) {
        return true;
    }
    self->fields =
        ctx_alloc(&vm->ctx, EXCEPTION_FIELD_MAX * sizeof *self->fields);
    for (int i = 0; self->fields != NULL && i < EXCEPTION_FIELD_MAX; i++) {
        self->fields[i] = VALUE_UNBOUND;
    }
    return self->fields != NULL;
}

// Retains. A trace is told, since an exception may be seen outside of it.
static bool set_field(Vm *vm, Exception *self, int field, Value value)
{
    if (!make_room(vm, self) || !note_store(vm, self, value)) {
        return false;
    }
    // The old value goes last: its death may look at the field.
    value_replace(&vm->ctx, &self->fields[field], value_retain(value));
    return true;
}

bool exception_set_missing(Vm *vm, Exception *self, Value object, Str *name)
{
    bool said = self->told || !value_unbound(self->subject) ||
                (self->fields != NULL &&
                 (!value_unbound(self->fields[ATTRIBUTE_NAME]) ||
                  !value_unbound(self->fields[ATTRIBUTE_OBJ])));
    return said || (set_field(vm, self, ATTRIBUTE_NAME, str_value(name)) &&
                    set_field(vm, self, ATTRIBUTE_OBJ, object));
}

// What a member shows. What nothing has set is None to programs.
static Value get_field(Vm *vm, Value self, int field)
{
    const Exception *exception = value_as_exception(self);
    ErrorKind family = exception_family(vm, exception);
    Value found = exception_family_field(vm, family, exception, field);
    if (value_unbound(found) && family == ERR_OS && field == OS_WRITTEN) {
        return raise_error(vm, ERR_ATTRIBUTE, "characters_written");
    }
    return value_unbound(found) ? VALUE_NONE : found;
}

static bool check_place(Vm *vm, Value value)
{
    return value_unbound(value)
               ? raise_false(vm, ERR_TYPE,
                             "can't delete numeric/char attribute")
               : value_is_integer(value) ||
                     raise_false(vm, ERR_TYPE, "an integer is required");
}

static bool set_member(Vm *vm, Value self, Value value, int field)
{
    ErrorKind family = exception_family(vm, value_as_exception(self));
    bool unicode = family == ERR_UNICODE_DECODE ||
                   family == ERR_UNICODE_ENCODE ||
                   family == ERR_UNICODE_TRANSLATE;
    if (unicode && (field == UNICODE_START || field == UNICODE_END) &&
        !check_place(vm, value)) {
        return false;
    }
    return set_field(vm, value_as_exception(self), field,
                     value_unbound(value) ? VALUE_NONE : value);
}

// A member's functions do not know their row, so there is a pair for each
// index.
#define FIELD_ACCESS(index)                                                    \
    static Value get_field_##index(Vm *vm, Value self)                         \
    {                                                                          \
        return get_field(vm, self, index);                                     \
    }                                                                          \
    static bool set_field_##index(Vm *vm, Value self, Value value)             \
    {                                                                          \
        return set_member(vm, self, value, index);                             \
    }
FIELD_ACCESS(0)
FIELD_ACCESS(1)
FIELD_ACCESS(2)
FIELD_ACCESS(3)
FIELD_ACCESS(4)
FIELD_ACCESS(5)
FIELD_ACCESS(6)
FIELD_ACCESS(7)
#undef FIELD_ACCESS

// The rows of exception_field_list.h; index and family stand in both halves.
static const struct {
    ErrorKind family;
    int index;
    MemberDef member;
} rows[] = {
#define FIELD(family, index, name, doc)                                        \
    {ERR_##family, index, {name, get_field_##index, set_field_##index, doc}},
#include "interp/objects/errors/exception_field_list.h"
#undef FIELD
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

bool exception_has_fields(Vm *vm, const Type *cls)
{
    for (size_t i = 0; cls->kind == KIND_EXCEPTION && i < ROW_COUNT; i++) {
        if (vm->error_types[rows[i].family] == cls) {
            return true;
        }
    }
    return false;
}

// As members, so that dir() and the class show them.
bool exception_fields_install(Vm *vm, ErrorKind kind, Type *cls)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].family != kind) {
            continue;
        }
        const MemberDef *member = &rows[i].member;
        Str *name = str_intern(vm, member->name, strlen(member->name));
        Member *made = name == NULL ? NULL : member_new(vm, member, cls);
        bool done = made != NULL &&
                    dict_set_name(vm, cls->dict, name, value_from_object(made));
        object_release_null(&vm->ctx, made);
        object_release_null(&vm->ctx, name);
        if (!done) {
            return false;
        }
    }
    return true;
}

// -1: the family has no such field. By the names of the rows, for keywords.
static int field_index(ErrorKind family, const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].family == family &&
            strcmp(rows[i].member.name, name) == 0) {
            return rows[i].index;
        }
    }
    return -1;
}

Value exception_field(Vm *vm, const Exception *self, const char *name)
{
    ErrorKind family = exception_family(vm, self);
    int field = field_index(family, name);
    if (field < 0) {
        return VALUE_UNBOUND;
    }
    Value found = exception_family_field(vm, family, self, field);
    return value_unbound(found) ? VALUE_NONE : found;
}

// An __init__ of the program may call none of ours; args stay those of __new__.
bool exception_fields_blank(Vm *vm, Exception *self)
{
    if (exception_family(vm, self) == ERR_NONE) {
        return true;
    }
    if (!make_room(vm, self)) {
        return false;
    }
    for (int i = 0; i < EXCEPTION_FIELD_MAX; i++) {
        self->fields[i] = VALUE_NONE;
    }
    return true;
}

// Called when a program assigns to args, which by then may not say what the
// fields were.
bool exception_fields_keep(Vm *vm, Exception *self)
{
    ErrorKind family = exception_family(vm, self);
    if (family == ERR_NONE || !make_room(vm, self)) {
        return family == ERR_NONE;
    }
    for (int i = 0; i < EXCEPTION_FIELD_MAX; i++) {
        Value now = exception_family_field(vm, family, self, i);
        if (value_failed(now)) {
            return false;
        }
        // None from here on, as if a program had set it so.
        value_replace(&vm->ctx, &self->fields[i],
                      value_unbound(now) ? VALUE_NONE : now);
    }
    return true;
}

// Arguments

// The letters of an argument's type: U str, n int, B bytes. The words are those
// of a native function's arguments.
static bool check_argument(Vm *vm, char letter, Value value, int number)
{
    const char *got = type_name(type_of(vm, value));
    switch (letter) {
    case 'U':
        return value_is_str(value) ||
               raise_false(vm, ERR_TYPE, "argument %d must be str, not %s",
                           number, type_name_given(vm, value));
    case 'B':
        return value_is_kind(value, KIND_BYTES) ||
               raise_false(vm, ERR_TYPE,
                           "a bytes-like object is required, not '%s'", got);
    default:
        return value_is_integer(value) ||
               raise_false(vm, ERR_TYPE,
                           "'%s' object cannot be interpreted as an integer",
                           got);
    }
}

// The Unicode errors take exactly the arguments that `letters` stand for. False
// with a TypeError.
static bool check_arguments(Vm *vm, const Tuple *args, const char *letters)
{
    size_t wanted = strlen(letters);
    if (args->count != wanted) {
        return raise_false(vm, ERR_TYPE,
                           "function takes exactly %zu arguments (%zu given)",
                           wanted, (size_t)args->count);
    }
    for (size_t i = 0; i < wanted; i++) {
        if (!check_argument(vm, letters[i], args->items[i], (int)i + 1)) {
            return false;
        }
    }
    return true;
}

// The second argument of a SyntaxError: a sequence of four to six. One argument
// is a message without a place.
static bool init_syntax(Vm *vm, Exception *self, const Tuple *args)
{
    if (args->count != 2) {
        return true;
    }
    // Any iterable will do.
    Tuple *place = value_to_tuple(vm, args->items[1]);
    if (place == NULL) {
        return false;
    }
    size_t count = place->count;
    bool done;
    if (count < 4 || count > 6) {
        done = raise_false(
            vm, ERR_TYPE, "function takes at %s %d arguments (%zu given)",
            count < 4 ? "least" : "most", count < 4 ? 4 : 6, count);
    } else if (count == 5) {
        done = raise_false(vm, ERR_TYPE,
                           "end_offset must be provided when "
                           "end_lineno is provided");
    } else {
        done = true;
        for (size_t i = 0; done && i < count; i++) {
            // Field 0 is the message.
            done = set_field(vm, self, (int)i + 1, place->items[i]);
        }
    }
    object_release(&vm->ctx, place);
    return done;
}

// name=, obj= and path= of three classes.
static bool init_named(Vm *vm, Exception *self, ErrorKind family,
                       Dict *keywords)
{
    int first = family == ERR_IMPORT ? IMPORT_MSG + 1 : 0;
    uint32_t position = 0;
    Value key, value;
    while (keywords != NULL && dict_next(keywords, &position, &key, &value)) {
        // ImportError's message is no keyword, though it is a field.
        int field = field_index(family, value_as_str(key)->text);
        if (field < first) {
            return raise_false(
                vm, ERR_TYPE, "'%s' is an invalid keyword argument for %s()",
                value_as_str(key)->text, type_name(type_of_error(vm, family)));
        }
        if (!set_field(vm, self, field, value)) {
            return false;
        }
    }
    return true;
}

// The fields of an earlier call go, as a second __init__ sets all anew. The
// array stays for the next ones.
static void forget_fields(Vm *vm, Exception *self)
{
    for (int i = 0; self->fields != NULL && i < EXCEPTION_FIELD_MAX; i++) {
        value_replace(&vm->ctx, &self->fields[i], VALUE_UNBOUND);
    }
    // Who makes an error of the interpreter's text says so afterwards.
    self->told = false;
}

// Classes that take no keywords refuse them here, in their own name.
bool exception_fields_init(Vm *vm, Exception *self, const Tuple *args,
                           Dict *keywords)
{
    ErrorKind family = exception_family(vm, self);
    forget_fields(vm, self);
    switch (family) {
    case ERR_ATTRIBUTE:
    case ERR_NAME:
    case ERR_IMPORT: return init_named(vm, self, family, keywords);
    default: break;
    }
    // The rest take positions alone.
    if (keywords != NULL && keywords->count > 0) {
        return raise_false(vm, ERR_TYPE, "%s() takes no keyword arguments",
                           type_name(self->head.type));
    }
    switch (family) {
    case ERR_SYNTAX: return init_syntax(vm, self, args);
    case ERR_UNICODE_DECODE: return check_arguments(vm, args, "UBnnU");
    case ERR_UNICODE_ENCODE: return check_arguments(vm, args, "UUnnU");
    case ERR_UNICODE_TRANSLATE: return check_arguments(vm, args, "UnnU");
    default: return true;
    }
}
