// The writer of the module json: a value as one text.
//
// Invariant: whatever is being written is held by a reference of its own,
// since default() and items() run code of the program, which may change the
// containers on the way down.
#include "base/utf8.h"
#include "interp/core/name.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/native/json.h"

// A container that is being written, or what default() was asked about. They
// stand in C frames, the innermost first.
typedef struct Level {
    const struct Level *outer;
    const Object *object; // borrowed; NULL: no object, which cannot recur
    size_t number;        // of levels outside of it that indent
} Level;

typedef struct JsonWriter {
    Vm *vm;
    StrBuf out;
    Value fallback; // default(o) for other types
    bool skip_keys; // leave out keys of other types
    bool ascii;     // escape all but ASCII
    bool check_circular;
    bool allow_nan;
    bool sort_keys;
    Str *indent;                         // of one level, NULL: all in one line
    Str *item_separator, *key_separator; // all borrowed
    uint32_t depth;                      // of json_enter
} JsonWriter;

// --- Strings ---

// The letter of a short escape, 0 if the character has none.
static char short_escape(uint32_t c)
{
    switch (c) {
    case '"':
    case '\\': return (char)c;
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return '\0';
    }
}

// \uXXXX, twice for what is beyond 16 bits.
static void put_code(StrBuf *out, uint32_t c)
{
    if (c >= 0x10000) {
        // The high half of the pair; the low half follows.
        put_code(out, 0xD800 | (c - 0x10000) >> 10);
        c = 0xDC00 | (c & 0x3FF);
    }
    static const char digits[] = "0123456789abcdef";
    char text[6] = {'\\',
                    'u',
                    digits[c >> 12],
                    digits[c >> 8 & 15],
                    digits[c >> 4 & 15],
                    digits[c & 15]};
    strbuf_add(out, text, sizeof text);
}

// Most texts are plain from end to end: they are copied by one call.
// The bytes from `at` on that stand for themselves.
static size_t plain_bytes(const char *at, const char *end, bool ascii)
{
    const char *p = at;
    for (; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < ' ' || c == '"' || c == '\\' || (ascii && c >= 0x7F)) {
            break;
        }
    }
    return (size_t)(p - at);
}

// The text in quotes. False: interrupted; the buffer tells of its own errors.
static bool put_quoted(Vm *vm, StrBuf *out, const Str *str, bool ascii)
{
    const char *at = str->text, *end = at + str->length;
    strbuf_putc(out, '"');
    for (;;) {
        // Stretches without anything to escape are copied whole.
        size_t plain = plain_bytes(at, end, ascii);
        strbuf_add(out, at, plain);
        at += plain;
        if (at == end) {
            break;
        }
        uint32_t c = (unsigned char)*at;
        size_t length = 1;
        if (c >= 0x80) {
            // A lone surrogate is decoded like any other character.
            length = utf8_decode(at, (size_t)(end - at), &c);
        }
        at += length;
        // \n and its kind; everything else as \uXXXX.
        char letter = short_escape(c);
        if (letter != '\0') {
            strbuf_putc(out, '\\');
            strbuf_putc(out, letter);
        } else {
            put_code(out, c);
        }
        if (!ctx_poll(&vm->ctx)) {
            return false;
        }
    }
    strbuf_putc(out, '"');
    return true;
}

// --- Numbers ---

// A float as float.__repr__ gives it, whatever its class.
static bool put_float(JsonWriter *w, double d)
{
    const char *name = d != d                  ? "NaN"
                       : d == __builtin_inf()  ? "Infinity"
                       : d == -__builtin_inf() ? "-Infinity"
                                               : NULL;
    if (name == NULL) {
        float_print_repr(&w->out, d);
        return true;
    }
    if (!w->allow_nan) {
        // The number is shown where the text is indented.
        const char *shown = w->indent == NULL ? ""
                            : d != d          ? ": nan"
                            : d > 0           ? ": inf"
                                              : ": -inf";
        return raise_false(w->vm, ERR_VALUE,
                           "Out of range float values are not JSON "
                           "compliant%s",
                           shown);
    }
    strbuf_puts(&w->out, name);
    return true;
}

// A subclass with a repr of its own, such as an enumeration, is written as the
// number that it is.
// An int as int.__repr__ gives it: int_text knows the limit of digits.
static bool put_int(JsonWriter *w, Value v)
{
    if (value_is_int(v)) {
        int_print(w->vm, &w->out, v, 10);
        return true;
    }
    // A subclass or a bool-like: the int in it.
    Value plain = int_exact(w->vm, v);
    Str *text = value_failed(plain) ? NULL : value_repr(w->vm, plain);
    if (text != NULL) {
        strbuf_add(&w->out, text->text, text->length);
        object_release(&w->vm->ctx, text);
    }
    if (!value_failed(plain)) {
        release(w->vm, plain);
    }
    return text != NULL;
}

// The words for None and the bools, NULL for all else.
static const char *constant_name(Value v)
{
    return value_is_none(v)             ? "null"
           : value_same(v, VALUE_TRUE)  ? "true"
           : value_same(v, VALUE_FALSE) ? "false"
                                        : NULL;
}

// --- Containers ---

static bool put_value(JsonWriter *w, Value v, const Level *outer);

// The levels are at most as many as the recursion limit, and few in most
// documents: a walk is cheaper than a set of what is being written.
// One level deeper, unless the object is being written already.
static bool enter(JsonWriter *w, Level *level, Value v, const Level *outer,
                  bool indents)
{
    level->outer = outer;
    level->object = value_is_object(v) ? value_object(v) : NULL;
    level->number = (outer == NULL ? 0 : outer->number) + indents;
    // The same object further out is a circle; an equal one is none.
    for (const Level *l = outer; w->check_circular && l != NULL; l = l->outer) {
        if (level->object != NULL && l->object == level->object) {
            return raise_false(w->vm, ERR_VALUE, "Circular reference detected");
        }
    }
    return json_enter(w->vm, &w->depth, " while encoding a JSON object");
}

static void put_line(JsonWriter *w, size_t number)
{
    if (w->indent == NULL) {
        return;
    }
    strbuf_putc(&w->out, '\n');
    for (size_t i = 0; i < number && strbuf_ok(&w->out); i++) {
        strbuf_add(&w->out, w->indent->text, w->indent->length);
    }
}

// What stands in front of an item: nothing or a separator, and the line.
static void put_separator(JsonWriter *w, bool first, const Level *level)
{
    if (!first) {
        strbuf_add(&w->out, w->item_separator->text, w->item_separator->length);
    }
    put_line(w, level->number);
}

// Item `i` of a list, which may shrink meanwhile, or of a tuple. Owned;
// UNBOUND behind the last.
static Value item_at(Value v, size_t i)
{
    bool is_list = value_is_kind(v, KIND_LIST);
    size_t count = is_list ? value_as_list(v)->count : value_as_tuple(v)->count;
    if (i >= count) {
        return VALUE_UNBOUND;
    }
    return value_retain(is_list ? value_as_list(v)->items[i]
                                : value_as_tuple(v)->items[i]);
}

// Asks for the count again each time: default() may change the list.
static bool put_items(JsonWriter *w, Value v, const Level *level)
{
    for (size_t i = 0;; i++) {
        Value item = item_at(v, i);
        if (value_unbound(item)) {
            return true;
        }
        put_separator(w, i == 0, level);
        bool ok = put_value(w, item, level) && ctx_poll(&w->vm->ctx);
        release(w->vm, item);
        if (!ok) {
            return false;
        }
    }
}

// A copy of the references costs little beside the text of the items.
// Keys and values by turns, from the dict itself: they stay what they are
// whatever code runs meanwhile. NULL: failed.
static List *pairs_of_dict(Vm *vm, const Dict *dict)
{
    List *flat = list_new(vm, (size_t)dict->count * 2);
    uint32_t position = 0;
    size_t i = 0;
    Value key, value;
    while (flat != NULL && i < flat->count &&
           dict_next(dict, &position, &key, &value)) {
        flat->items[i++] = value_retain(key);
        flat->items[i++] = value_retain(value);
    }
    return flat;
}

// The same of a list of pairs. Takes it.
static List *pairs_of_items(Vm *vm, List *items)
{
    List *flat = list_new(vm, 0);
    bool ok = flat != NULL;
    for (size_t i = 0; ok && i < items->count; i++) {
        Value pair = items->items[i];
        // A class of the program may give anything from items().
        ok = (value_is_kind(pair, KIND_TUPLE) &&
              value_as_tuple(pair)->count == 2) ||
             raise_false(vm, ERR_VALUE, "items must return 2-tuples");
        ok = ok && list_append(vm, flat, value_as_tuple(pair)->items[0]) &&
             list_append(vm, flat, value_as_tuple(pair)->items[1]);
    }
    object_release(&vm->ctx, items);
    if (!ok) {
        object_release_null(&vm->ctx, flat);
    }
    return ok ? flat : NULL;
}

// items() is asked for in these cases and only in these, which a program can
// see.
// A class that extends dict may have an items() of its own, and sorting
// compares pairs; else the table is read.
static List *pairs_of(JsonWriter *w, Value v)
{
    Vm *vm = w->vm;
    if (!w->sort_keys && type_of(vm, v) == type_of_kind(vm, KIND_DICT)) {
        return pairs_of_dict(vm, value_as_dict(v));
    }
    Value view = value_call_method(vm, v, vm->names[NAME_ITEMS], NULL, 0);
    if (value_failed(view)) {
        return NULL;
    }
    List *items = list_new(vm, 0);
    bool ok = items != NULL && list_extend(vm, items, view) &&
              (!w->sort_keys || list_sort(vm, items, VALUE_UNBOUND, false));
    release(vm, view);
    if (!ok) {
        object_release_null(&vm->ctx, items);
        return NULL;
    }
    return pairs_of_items(vm, items);
}

// The text of the key is taken for these types and no others: a tuple is
// refused, and a bool is not written as an int.
// The key in quotes, whatever it was. False: failed, or *skipped.
static bool put_key(JsonWriter *w, Value key, bool *skipped)
{
    if (value_is_str(key)) {
        return put_quoted(w->vm, &w->out, value_as_str(key), w->ascii);
    }
    // true, false and null as keys are their JSON names.
    const char *name = constant_name(key);
    bool is_float = value_is_float(key);
    if (name == NULL && !is_float && !value_is_integer(key)) {
        *skipped = w->skip_keys;
        return *skipped
                   ? false
                   : raise_false(w->vm, ERR_TYPE,
                                 "keys must be str, int, float, bool or None, "
                                 "not %s",
                                 type_short_name(type_of(w->vm, key)));
    }
    strbuf_putc(&w->out, '"');
    bool ok = true;
    if (name != NULL) {
        strbuf_puts(&w->out, name);
    } else {
        ok = is_float ? put_float(w, value_float(key)) : put_int(w, key);
    }
    strbuf_putc(&w->out, '"');
    return ok;
}

// The separator is written before the key is known to be written, so it is
// taken back if the key is left out.
static bool put_pairs(JsonWriter *w, const List *flat, const Level *level)
{
    bool first = true;
    for (size_t i = 0; i + 1 < flat->count; i += 2) {
        // Where the text ends if the key is left out.
        size_t length = w->out.length;
        bool skipped = false;
        put_separator(w, first, level);
        if (!strbuf_ok(&w->out) || !put_key(w, flat->items[i], &skipped)) {
            if (!skipped) {
                return false;
            }
            w->out.length = length;
            continue;
        }
        first = false;
        strbuf_add(&w->out, w->key_separator->text, w->key_separator->length);
        if (!put_value(w, flat->items[i + 1], level) ||
            !ctx_poll(&w->vm->ctx)) {
            return false;
        }
    }
    if (first) {
        put_line(w, level->number); // as if there had been one
    }
    return true;
}

// The pairs are held while they are written.
static bool put_dict(JsonWriter *w, Value v, const Level *level)
{
    List *flat = pairs_of(w, v);
    bool ok = flat != NULL && put_pairs(w, flat, level);
    object_release_null(&w->vm->ctx, flat);
    return ok;
}

// An empty one has no line of its own, whatever the indent, and is no level.
// A list, tuple or dict with its brackets. `parts` has the items, mostly it is
// the container itself.
static bool put_parts(JsonWriter *w, Value v, Value parts, const Level *outer)
{
    bool is_dict = value_is_kind(v, KIND_DICT);
    size_t count = is_dict ? value_as_dict(v)->count
                   : value_is_kind(parts, KIND_LIST)
                       ? value_as_list(parts)->count
                       : value_as_tuple(parts)->count;
    if (count == 0) {
        strbuf_puts(&w->out, is_dict ? "{}" : "[]");
        return true;
    }
    Level level;
    if (!enter(w, &level, v, outer, true)) {
        return false;
    }
    strbuf_putc(&w->out, is_dict ? '{' : '[');
    // No code of the program may run while an error is pending.
    bool ok = strbuf_ok(&w->out) &&
              (is_dict ? put_dict(w, v, &level) : put_items(w, parts, &level));
    json_leave(w->vm, &w->depth);
    if (ok) {
        put_line(w, level.number - 1);
        strbuf_putc(&w->out, is_dict ? '}' : ']');
    }
    return ok;
}

// A subclass of list or tuple has the items that its __iter__ gives.
static bool put_container(JsonWriter *w, Value v, const Level *outer)
{
    if (value_is_kind(v, KIND_DICT) ||
        (value_object(v)->type->flags & TYPE_HEAP) == 0) {
        return put_parts(w, v, v, outer);
    }
    Tuple *items =
        value_to_items(w->vm, v, "_iterencode_list needs a sequence");
    bool ok = items != NULL && put_parts(w, v, value_from_object(items), outer);
    object_release_null(&w->vm->ctx, items);
    return ok;
}

// default() may give the same object back, or one that holds it: it counts as
// a level of the circular check, though nothing is indented for it.
// Any other type: what default() gives for it.
static bool put_other(JsonWriter *w, Value v, const Level *outer)
{
    Level level;
    if (!enter(w, &level, v, outer, false)) {
        return false;
    }
    Value given = vm_call(w->vm, w->fallback, &v, 1);
    // What it gave is written by the same rules, default() included.
    bool ok = !value_failed(given) && put_value(w, given, &level);
    if (!value_failed(given)) {
        release(w->vm, given);
    }
    json_leave(w->vm, &w->depth);
    return ok;
}

// `outer`: the container around it, NULL: none. A failed buffer stops the
// work at the next value.
static bool put_value(JsonWriter *w, Value v, const Level *outer)
{
    const char *name = constant_name(v);
    if (!strbuf_ok(&w->out)) {
        return false;
    }
    if (name != NULL) {
        strbuf_puts(&w->out, name);
        return true;
    }
    if (value_is_str(v)) {
        return put_quoted(w->vm, &w->out, value_as_str(v), w->ascii);
    }
    // The bools are told above, as their names.
    if (value_is_integer(v)) {
        return put_int(w, v);
    }
    if (value_is_float(v)) {
        return put_float(w, value_float(v));
    }
    return value_is_kind(v, KIND_LIST) || value_is_kind(v, KIND_TUPLE) ||
                   value_is_kind(v, KIND_DICT)
               ? put_container(w, v, outer)
               : put_other(w, v, outer);
}

// --- The natives ---

// The Str is borrowed from the arguments.
// A separator or indent; false with a TypeError if it is no str.
static bool str_argument(Vm *vm, Value v, const char *what, Str **out)
{
    if (!value_is_str(v)) {
        return raise_false(vm, ERR_TYPE, "%s must be str, not %s", what,
                           type_name(type_of(vm, v)));
    }
    *out = value_as_str(v);
    return true;
}

// args[2 .. 7) are flags of any type.
static bool read_flags(JsonWriter *w, const Value *args)
{
    bool *const flags[] = {&w->skip_keys, &w->ascii, &w->check_circular,
                           &w->allow_nan, &w->sort_keys};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int truth = value_truth(w->vm, args[2 + i]);
        if (truth < 0) {
            return false;
        }
        *flags[i] = truth != 0;
    }
    return true;
}

// The parameters that are numbered here are those in modules_json.c.
Value json_write(Vm *vm, Value *args)
{
    JsonWriter w = {.vm = vm, .fallback = args[1]};
    // Nothing is written before all arguments are known to be right.
    if (!read_flags(&w, args) ||
        (!value_is_none(args[7]) &&
         !str_argument(vm, args[7], "indent", &w.indent)) ||
        !str_argument(vm, args[8], "item_separator", &w.item_separator) ||
        !str_argument(vm, args[9], "key_separator", &w.key_separator)) {
        return VALUE_FAIL;
    }
    strbuf_init(&w.out, &vm->ctx);
    if (!put_value(&w, args[0], NULL)) {
        strbuf_free(&w.out);
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &w.out));
}

Value json_quote(Vm *vm, Value *args)
{
    Str *str;
    int ascii = value_truth(vm, args[1]);
    if (ascii < 0 || !str_argument(vm, args[0], "text", &str)) {
        return VALUE_FAIL;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    if (!put_quoted(vm, &out, str, ascii != 0)) {
        strbuf_free(&out);
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &out));
}
