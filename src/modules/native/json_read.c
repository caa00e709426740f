// The reader of the module json: one pass over the UTF-8 bytes; places are
// counted in characters only for an error. Strings are in json_string.c.
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/number_methods.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/native/json.h"
#include "modules/native/json_reader.h"

// The four characters that JSON calls white space, no others. Anything else, a
// byte-order mark included, is left to be refused.
static void skip_white(JsonReader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' ||
                              *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
}

// The character at hand is c; false at the end too.
// What is behind the end is never read, so the text need not end in a zero
// byte.
static bool sees(const JsonReader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

// ASCII digits alone, and none behind the end.
static bool is_digit(const JsonReader *r, const char *at)
{
    return at < r->end && *at >= '0' && *at <= '9';
}

// --- Numbers ---

// Calls the hook with the text [start, at), or int or float if it is None. The
// hook gets the text as it stands, so that decimal.Decimal loses no digit.
// Owned. `kind` is what to make of it without a hook.
static Value number_by(JsonReader *r, const char *start, Value hook, Kind kind)
{
    Vm *vm = r->vm;
    Str *text = str_new(vm, start, (size_t)(r->at - start));
    if (text == NULL) {
        return VALUE_FAIL;
    }
    Value callee =
        value_is_none(hook) ? value_from_object(type_of_kind(vm, kind)) : hook;
    Value argument = str_value(text);
    Value result = vm_call(vm, callee, &argument, 1);
    object_release(&vm->ctx, text);
    return result;
}

// Up to 18 digits are read in place. More may not fit 62 bits, and int() words
// what is wrong with too many.
// 18 digits are below 2^60 and fit an immediate int.
static Value make_int(JsonReader *r, const char *start)
{
    size_t length = (size_t)(r->at - start);
    if (length > 18 || !value_is_none(r->parse_int)) {
        return number_by(r, start, r->parse_int, KIND_INT);
    }
    bool negative = *start == '-';
    int64_t number = 0;
    for (const char *p = start + negative; p < r->at; p++) {
        number = number * 10 + (*p - '0');
    }
    return value_from_small(negative ? -number : number);
}

// Moves over ".5" and "e+10", as far as they are whole. False: neither. A point
// without a digit behind it is not part of the number: what follows is told as
// extra data.
// An exponent without digits is not part of the number either.
static bool skip_fraction(JsonReader *r)
{
    const char *start = r->at;
    if (sees(r, '.') && is_digit(r, r->at + 1)) {
        for (r->at++; is_digit(r, r->at); r->at++) {
        }
    }
    if (sees(r, 'e') || sees(r, 'E')) {
        const char *p = r->at + 1;
        p += p < r->end && (*p == '+' || *p == '-');
        if (is_digit(r, p)) {
            for (r->at = p; is_digit(r, r->at); r->at++) {
            }
        }
    }
    return r->at != start;
}

// A number; anything else is no value at all. Nothing but JSON's own form: no
// '+', no leading zeros, no underscores.
// Nothing else begins a value, so this is where NULL comes from.
static Value read_number(JsonReader *r)
{
    const char *start = r->at;
    r->at += *start == '-';
    if (!is_digit(r, r->at)) {
        return json_fault(r, NULL, start);
    }
    // A leading zero is the whole number.
    if (*r->at++ != '0') {
        while (is_digit(r, r->at)) {
            r->at++;
        }
    }
    if (!skip_fraction(r)) {
        return make_int(r, start);
    }
    return value_is_none(r->parse_float)
               ? float_parse(r->vm, start, (size_t)(r->at - start))
               : number_by(r, start, r->parse_float, KIND_FLOAT);
}

// --- Values ---

// The word is at hand, and is moved over. What stands behind it is not looked
// at: "nullx" is null and extra data.
// False: it is another word, and nothing was taken.
static bool take_word(JsonReader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

// NaN and the infinities, by parse_constant if there is one. Not of JSON, but
// read by default, as Python does.
// The hook gets the name as it stands in the text, sign included.
static Value make_constant(JsonReader *r, const char *name, double number)
{
    return value_is_none(r->parse_constant)
               ? float_new(r->vm, number)
               : number_by(r, r->at - strlen(name), r->parse_constant,
                           KIND_FLOAT);
}

// What is no string, list or object. A word that is only begun is no number
// either, and read_number says so.
// r->at is inside the text.
static Value read_plain(JsonReader *r)
{
    switch (*r->at) {
    case 'n': return take_word(r, "null") ? VALUE_NONE : read_number(r);
    case 't': return take_word(r, "true") ? VALUE_TRUE : read_number(r);
    case 'f': return take_word(r, "false") ? VALUE_FALSE : read_number(r);
    case 'N':
        return take_word(r, "NaN")
                   ? make_constant(r, "NaN", (double)__builtin_nan(""))
                   : read_number(r);
    case 'I':
        return take_word(r, "Infinity")
                   ? make_constant(r, "Infinity", __builtin_inf())
                   : read_number(r);
    case '-':
        return take_word(r, "-Infinity")
                   ? make_constant(r, "-Infinity", -__builtin_inf())
                   : read_number(r);
    default: return read_number(r);
    }
}

static Value read_value(JsonReader *r);

// Behind an item: a comma moves on to the next (1), `close` ends it (0). White
// space behind the comma is skipped here, so that a fault in the next item is
// placed at its first character.
// -1: an error is pending.
static int read_comma(JsonReader *r, char close)
{
    skip_white(r);
    if (sees(r, close)) {
        r->at++;
        return 0;
    }
    if (!sees(r, ',')) {
        json_fault(r, "Expecting ',' delimiter", r->at);
        return -1;
    }
    r->at++;
    skip_white(r);
    return ctx_poll(&r->vm->ctx) ? 1 : -1;
}

// The list whose bracket was read. It is seen by nobody until it is whole, but
// hooks may run meanwhile and the collector with them: its items are valid at
// each moment.
// Owned. An error in the middle drops what was read.
static Value read_list(JsonReader *r)
{
    List *list = list_new(r->vm, 0);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    skip_white(r);
    int more = !sees(r, ']');
    r->at += !more;
    while (more > 0) {
        Value item = read_value(r);
        // The list takes the item even where it fails.
        more = !value_failed(item) && list_append_owned(r->vm, list, item)
                   ? read_comma(r, ']')
                   : -1;
    }
    if (more == 0) {
        return value_from_object(list);
    }
    object_release(&r->vm->ctx, list);
    return VALUE_FAIL;
}

// A pair for object_pairs_hook. Takes nothing.
// False: an error is pending.
static bool add_pair(Vm *vm, List *pairs, Str *key, Value value)
{
    Value items[2] = {str_value(key), value};
    Tuple *pair = tuple_from(vm, items, 2);
    return pair != NULL &&
           list_append_owned(vm, pairs, value_from_object(pair));
}

// False: an error is pending.
// One key and its value into the Dict, or the List of pairs. Of equal keys in a
// dict the last value stays, at the place of the first; pairs keep both.
static bool read_pair(JsonReader *r, Object *into)
{
    if (!sees(r, '"')) {
        json_fault(r, "Expecting property name enclosed in double quotes",
                   r->at);
        return false;
    }
    Vm *vm = r->vm;
    // Keys are kept in a small table, for records repeat them (json_string.c).
    Str *key = json_read_string(r, true);
    if (key == NULL) {
        return false;
    }
    Value value = VALUE_FAIL;
    skip_white(r);
    if (sees(r, ':')) {
        r->at++;
        skip_white(r);
        value = read_value(r);
    } else {
        json_fault(r, "Expecting ':' delimiter", r->at);
    }
    bool ok = !value_failed(value) &&
              (into->kind == KIND_LIST
                   ? add_pair(vm, (List *)into, key, value)
                   : dict_set(vm, (Dict *)into, str_value(key), value));
    object_release(&vm->ctx, key);
    release(vm, value);
    return ok;
}

// The object whose brace was read, and what a hook makes of it. Without a hook
// the dict itself.
// A pairs hook goes before an object hook.
static Value read_object(JsonReader *r)
{
    Vm *vm = r->vm;
    bool pairs = !value_is_none(r->pairs_hook);
    Object *into = pairs ? (Object *)list_new(vm, 0) : (Object *)dict_new(vm);
    if (into == NULL) {
        return VALUE_FAIL;
    }
    skip_white(r);
    int more = !sees(r, '}');
    r->at += !more;
    while (more > 0) {
        more = read_pair(r, into) ? read_comma(r, '}') : -1;
    }
    if (more < 0) {
        object_release(&vm->ctx, into);
        return VALUE_FAIL;
    }
    // It gets the list or dict, and its result is the value.
    Value hook = pairs ? r->pairs_hook : r->object_hook;
    Value made = value_from_object(into);
    if (value_is_none(hook)) {
        return made;
    }
    Value result = vm_call(vm, hook, &made, 1);
    release(vm, made);
    return result;
}

// The value at hand, without white space in front. Only lists and objects nest,
// so only they are counted as levels.
// Owned.
static Value read_value(JsonReader *r)
{
    if (r->at >= r->end) {
        return json_fault(r, NULL, r->end);
    }
    if (*r->at == '"') {
        return value_or_fail(json_read_string(r, false));
    }
    if (*r->at != '[' && *r->at != '{') {
        return read_plain(r);
    }
    bool is_list = *r->at++ == '[';
    if (!json_enter(r->vm, &r->depth,
                    is_list ? " while decoding a JSON array from a unicode "
                              "string"
                            : " while decoding a JSON object from a unicode "
                              "string")) {
        return VALUE_FAIL;
    }
    Value result = is_list ? read_list(r) : read_object(r);
    json_leave(r->vm, &r->depth);
    return result;
}

// --- The natives ---

// The byte of character `index`. False: it is negative or behind the end, which
// the caller words. Characters are counted from the start of the text, which
// takes time in its length unless it is ASCII.
// The end of the text is a place: an index there is only refused by what is
// read from it.
static bool find_place(Vm *vm, Value text, int64_t index, size_t *place)
{
    Str *str = value_as_str(text);
    if (index < 0 || (uint64_t)index > str->count) {
        return false;
    }
    *place = str_offset(vm, str, (size_t)index);
    return true;
}

// A str and an index; false with a TypeError pending.
static bool text_and_index(Vm *vm, const Value *args, int64_t *index)
{
    if (!value_is_str(args[0])) {
        return raise_false(vm, ERR_TYPE,
                           "first argument must be a string, not %s",
                           type_name(type_of(vm, args[0])));
    }
    return value_to_index(vm, args[1], index);
}

// (value, index behind it). Takes `value`. NULL of the pair: memory is short,
// and the value is gone.
// Characters, not bytes, since the program counts in these.
static Value scanned(JsonReader *r, Value value)
{
    size_t end = str_index_of(r->vm, r->text, (size_t)(r->at - r->begin));
    Value items[2] = {value, value_from_small((int64_t)end)};
    Tuple *pair = tuple_from(r->vm, items, 2);
    release(r->vm, value);
    return value_or_fail(pair);
}

// scan(text, index, strict, object_hook, object_pairs_hook, parse_float,
// parse_int, parse_constant, error).
Value json_scan(Vm *vm, Value *args)
{
    int64_t index;
    int strict = value_truth(vm, args[2]);
    if (strict < 0 || !text_and_index(vm, args, &index)) {
        return VALUE_FAIL;
    }
    JsonReader r = {.vm = vm,
                    .text = value_as_str(args[0]),
                    .strict = strict != 0,
                    .object_hook = args[3],
                    .pairs_hook = args[4],
                    .parse_float = args[5],
                    .parse_int = args[6],
                    .parse_constant = args[7],
                    .error_class = args[8]};
    if (index < 0) {
        return raise_error(vm, ERR_VALUE, "idx cannot be negative");
    }
    size_t place;
    if (!find_place(vm, args[0], index, &place)) {
        return json_fault_at(&r, NULL, index);
    }
    // Only now: a fault before needs no places of bytes.
    r.begin = r.text->text;
    r.at = r.begin + place;
    r.end = r.begin + r.text->length;
    Value value = read_value(&r);
    // The table of keys lives for one call: a later text may have quite others.
    for (size_t i = 0; i < JSON_KEY_SLOTS; i++) {
        // The keys that the values use have counts of their own.
        object_release_null(&vm->ctx, r.keys[i]);
    }
    return value_failed(value) ? value : scanned(&r, value);
}

// skip(text, index): the index of the first character that is not white. For
// lib/json, which looks for what stands behind the value.
Value json_skip(Vm *vm, Value *args)
{
    int64_t index;
    size_t place;
    if (!text_and_index(vm, args, &index)) {
        return VALUE_FAIL;
    }
    if (!find_place(vm, args[0], index, &place)) {
        return value_from_small(index);
    }
    Str *text = value_as_str(args[0]);
    JsonReader r = {
        .vm = vm, .at = text->text + place, .end = text->text + text->length};
    const char *start = r.at;
    skip_white(&r);
    return value_from_small(index + (r.at - start));
}
