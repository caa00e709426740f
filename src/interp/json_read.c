// The reader of the module json: one pass over the UTF-8 bytes; places are
// counted in characters only for an error.
//
// Invariant: every function that reads leaves `at` behind what it read, or
// fails with an error pending. Hooks run code of the program, but the text is
// held by the caller's arguments and cannot change.
#include "interp/json.h"
#include "interp/number_methods.h"
#include "interp/obj_dict.h"
#include "interp/obj_float.h"
#include "interp/obj_int.h"
#include "interp/obj_list.h"
#include "interp/protocol.h"

enum {
    KEY_SLOTS = 64, // remembered keys; a power of two
    KEY_LENGTH = 32 // longer keys are not worth remembering
};

// What scan() was given, borrowed from its arguments, and how far it is.
typedef struct Reader {
    Vm *vm;
    Str *text;              // borrowed
    const char *begin, *at, *end;
    bool strict;            // control characters in strings are errors
    Value object_hook;      // None: objects are dicts
    Value pairs_hook;       // None: the same; goes before object_hook
    Value parse_float;      // None: float
    Value parse_int;        // None: int
    Value parse_constant;   // None: the floats that they name
    Value error_class;      // JSONDecodeError
    uint32_t depth;         // of json_enter
    Str *keys[KEY_SLOTS];   // owned; equal keys of one text are one Str
} Reader;

// error_class(message, text, index). VALUE_FAIL.
static Value fault_at(Reader *r, const char *message, int64_t index)
{
    Vm *vm = r->vm;
    Str *words = str_from(vm, message);
    if (words == NULL) {
        return VALUE_FAIL;
    }
    Value args[3] = {str_value(words), str_value(r->text),
                     int_from_i64(vm, index)};
    Value made = value_failed(args[2])
                     ? VALUE_FAIL
                     : vm_call(vm, r->error_class, args, 3);
    release(vm, args[2]);
    object_release(&vm->ctx, words);
    return value_failed(made) ? VALUE_FAIL : raise_object(vm, made);
}

// The same for a place in the text. VALUE_FAIL.
static Value fault(Reader *r, const char *message, const char *place)
{
    size_t offset = (size_t)(place - r->begin);
    return fault_at(r, message,
                    (int64_t)str_index_of(r->vm, r->text, offset));
}

// The four characters that JSON calls white space, no others.
static void skip_white(Reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' ||
                              *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
}

// The character at hand is c; false at the end too.
static bool sees(const Reader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

// ASCII digits alone, and none behind the end.
static bool is_digit(const Reader *r, const char *at)
{
    return at < r->end && *at >= '0' && *at <= '9';
}

// --- Strings ---

// The character that a one-letter escape means, 0 if there is none.
static char escaped(char c)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *found = c == '\0' ? NULL : strchr(letters, c);
    return found == NULL ? '\0' : meanings[found - letters];
}

// Four hexadecimal digits behind the `u` at hand. A string must go on behind
// them, if only with its closing quote.
static bool read_hex(Reader *r, uint32_t *code)
{
    const char *u = r->at;
    *code = 0;
    for (int i = 1; i <= 4; i++) {
        char c = r->end - u > 5 ? u[i] : '\0';
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16) {
            fault(r, "Invalid \\uXXXX escape", u);
            return false;
        }
        *code = *code << 4 | digit;
    }
    r->at = u + 5;
    return true;
}

// The code point of the \u escape whose `u` is at hand; two escapes of a
// surrogate pair are one, a lone surrogate stays.
static bool read_code_point(Reader *r, StrBuf *out)
{
    uint32_t code, low;
    if (!read_hex(r, &code)) {
        return false;
    }
    const char *after = r->at;
    if (code >= 0xD800 && code <= 0xDBFF && r->end - after > 6 &&
        after[0] == '\\' && after[1] == 'u') {
        r->at++;
        if (!read_hex(r, &low)) {
            return false;
        }
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
        } else {
            r->at = after;
        }
    }
    strbuf_codepoint(out, code);
    return true;
}

// The escape whose backslash is at hand. `opening`: the string's quote.
static bool read_escape(Reader *r, const char *opening, StrBuf *out)
{
    if (++r->at == r->end) {
        fault(r, "Unterminated string starting at", opening);
        return false;
    }
    if (*r->at == 'u') {
        return read_code_point(r, out);
    }
    char c = escaped(*r->at);
    if (c == '\0') {
        fault(r, "Invalid \\escape", r->at - 1);
        return false;
    }
    strbuf_putc(out, c);
    r->at++;
    return true;
}

// Moves on to the quote or backslash that ends a plain stretch.
static bool skip_plain(Reader *r, const char *opening)
{
    for (; r->at < r->end; r->at++) {
        unsigned char c = (unsigned char)*r->at;
        if (c == '"' || c == '\\') {
            return true;
        }
        if (c < ' ' && r->strict) {
            fault(r, "Invalid control character at", r->at);
            return false;
        }
    }
    fault(r, "Unterminated string starting at", opening);
    return false;
}

// The rest of a string with escapes. `start`: its first character.
static Str *read_escaped(Reader *r, const char *start)
{
    StrBuf out;
    strbuf_init(&out, &r->vm->ctx);
    const char *opening = start - 1;
    bool ok = true;
    while (ok && *r->at == '\\') {
        strbuf_add(&out, start, (size_t)(r->at - start));
        // A fault is told by code, which must not run over another error.
        ok = strbuf_ok(&out) && read_escape(r, opening, &out) &&
             strbuf_ok(&out) && ctx_poll(&r->vm->ctx);
        start = r->at;
        ok = ok && skip_plain(r, opening);
    }
    if (!ok) {
        strbuf_free(&out);
        return NULL;
    }
    strbuf_add(&out, start, (size_t)(r->at - start));
    return str_from_buf(r->vm, &out);
}

// Documents repeat the keys of their records: one Str for all of them saves
// the allocations, and its hash is computed once.
// The remembered key of this text, which takes the place of an older one.
static Str *read_key_text(Reader *r, const char *start, size_t length)
{
    size_t slot = length * 7;
    for (size_t i = 0; i < length; i++) {
        slot = slot * 31 + (unsigned char)start[i];
    }
    Str **place = &r->keys[slot % KEY_SLOTS];
    Str *key = *place;
    if (key == NULL || key->length != length ||
        memcmp(key->text, start, length) != 0) {
        key = str_new(r->vm, start, length);
        if (key == NULL) {
            return NULL;
        }
        object_release_null(&r->vm->ctx, *place);
        *place = key;
    }
    return object_retain(key);
}

// Most strings have no escape and are copied in one piece; the buffer is made
// for the others alone.
// The string whose opening quote is at hand. NULL: failed.
static Str *read_string(Reader *r, bool is_key)
{
    const char *start = ++r->at;
    if (!skip_plain(r, start - 1)) {
        return NULL;
    }
    size_t length = (size_t)(r->at - start);
    Str *made = *r->at == '\\' ? read_escaped(r, start)
                : is_key && length <= KEY_LENGTH
                    ? read_key_text(r, start, length)
                    : str_new(r->vm, start, length);
    r->at++; // the closing quote
    return made;
}

// --- Numbers ---

// Calls the hook with the text [start, at), or int or float if it is None.
static Value number_by(Reader *r, const char *start, Value hook, Kind kind)
{
    Vm *vm = r->vm;
    Str *text = str_new(vm, start, (size_t)(r->at - start));
    if (text == NULL) {
        return VALUE_FAIL;
    }
    Value callee = value_is_none(hook)
                       ? value_from_object(type_of_kind(vm, kind))
                       : hook;
    Value argument = str_value(text);
    Value result = vm_call(vm, callee, &argument, 1);
    object_release(&vm->ctx, text);
    return result;
}

// More may not fit 62 bits, and int() words what is wrong with too many.
// Up to 18 digits are read in place.
static Value make_int(Reader *r, const char *start)
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

// Moves over ".5" and "e+10", as far as they are whole. False: neither.
static bool skip_fraction(Reader *r)
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

// A number; anything else is no value at all.
static Value read_number(Reader *r)
{
    const char *start = r->at;
    r->at += *start == '-';
    if (!is_digit(r, r->at)) {
        return fault(r, "Expecting value", start);
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

// The word is at hand, and is moved over.
static bool take_word(Reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length ||
        memcmp(r->at, word, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

// NaN and the infinities, by parse_constant if there is one.
static Value make_constant(Reader *r, const char *name, double number)
{
    return value_is_none(r->parse_constant)
               ? float_new(r->vm, number)
               : number_by(r, r->at - strlen(name), r->parse_constant,
                           KIND_FLOAT);
}

// A word that is only begun is no number either, and read_number says so.
// What is no string, list or object.
static Value read_plain(Reader *r)
{
    switch (*r->at) {
    case 'n':
        return take_word(r, "null") ? VALUE_NONE : read_number(r);
    case 't':
        return take_word(r, "true") ? VALUE_TRUE : read_number(r);
    case 'f':
        return take_word(r, "false") ? VALUE_FALSE : read_number(r);
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
    default:
        return read_number(r);
    }
}

static Value read_value(Reader *r);

// White space behind the comma is skipped here, so that a fault in the next
// item is placed at its first character, as CPython does it.
// Behind an item: a comma moves on to the next (1), `close` ends it (0).
static int read_comma(Reader *r, char close)
{
    skip_white(r);
    if (sees(r, close)) {
        r->at++;
        return 0;
    }
    if (!sees(r, ',')) {
        fault(r, "Expecting ',' delimiter", r->at);
        return -1;
    }
    r->at++;
    skip_white(r);
    return ctx_poll(&r->vm->ctx) ? 1 : -1;
}

// The list is seen by nobody until it is whole, but hooks may run meanwhile and
// the collector with them: its items are valid at each moment.
// The list whose bracket was read.
static Value read_list(Reader *r)
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
static bool add_pair(Vm *vm, List *pairs, Str *key, Value value)
{
    Value items[2] = {str_value(key), value};
    Tuple *pair = tuple_from(vm, items, 2);
    return pair != NULL &&
           list_append_owned(vm, pairs, value_from_object(pair));
}

// Of equal keys in a dict the last value stays, at the place of the first;
// pairs keep both.
// One key and its value into the Dict, or the List of pairs.
static bool read_pair(Reader *r, Object *into)
{
    if (!sees(r, '"')) {
        fault(r, "Expecting property name enclosed in double quotes", r->at);
        return false;
    }
    Vm *vm = r->vm;
    Str *key = read_string(r, true);
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
        fault(r, "Expecting ':' delimiter", r->at);
    }
    bool ok = !value_failed(value) &&
              (into->kind == KIND_LIST
                   ? add_pair(vm, (List *)into, key, value)
                   : dict_set(vm, (Dict *)into, str_value(key), value));
    object_release(&vm->ctx, key);
    if (!value_failed(value)) {
        release(vm, value);
    }
    return ok;
}

// The object whose brace was read, and what a hook makes of it.
static Value read_object(Reader *r)
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
    Value hook = pairs ? r->pairs_hook : r->object_hook;
    Value made = value_from_object(into);
    if (value_is_none(hook)) {
        return made;
    }
    Value result = vm_call(vm, hook, &made, 1);
    release(vm, made);
    return result;
}

// Only lists and objects nest, so only they are counted as levels.
// The value at hand, without white space in front.
static Value read_value(Reader *r)
{
    if (r->at >= r->end) {
        return fault(r, "Expecting value", r->end);
    }
    if (*r->at == '"') {
        Str *text = read_string(r, false);
        return text == NULL ? VALUE_FAIL : str_value(text);
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

// The byte of character `index`. False: it is negative or behind the end,
// which the caller words.
static bool find_place(Vm *vm, Value text, int64_t index, size_t *place)
{
    Str *str = value_as_str(text);
    if (index < 0 || (uint64_t)index > str->count) {
        return false;
    }
    *place = str_offset(vm, str, (size_t)index);
    return true;
}

// A str and an index; false with CPython's TypeError pending.
static bool text_and_index(Vm *vm, const Value *args, int64_t *index)
{
    if (!value_is_str(args[0])) {
        return raise_false(vm, ERR_TYPE,
                           "first argument must be a string, not %s",
                           type_name(type_of(vm, args[0])));
    }
    return value_to_index(vm, args[1], index);
}

// (value, index behind it).
static Value scanned(Reader *r, Value value)
{
    size_t end = str_index_of(r->vm, r->text, (size_t)(r->at - r->begin));
    Value items[2] = {value, value_from_small((int64_t)end)};
    Tuple *pair = tuple_from(r->vm, items, 2);
    release(r->vm, value);
    return pair == NULL ? VALUE_FAIL : value_from_object(pair);
}

// scan(text, index, strict, object_hook, object_pairs_hook, parse_float,
// parse_int, parse_constant, error).
Value json_scan(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int64_t index;
    int strict = value_truth(vm, args[2]);
    if (strict < 0 || !text_and_index(vm, args, &index)) {
        return VALUE_FAIL;
    }
    Reader r = {.vm = vm, .text = value_as_str(args[0]),
                .strict = strict != 0, .object_hook = args[3],
                .pairs_hook = args[4], .parse_float = args[5],
                .parse_int = args[6], .parse_constant = args[7],
                .error_class = args[8]};
    if (index < 0) {
        return raise_error(vm, ERR_VALUE, "idx cannot be negative");
    }
    size_t place;
    if (!find_place(vm, args[0], index, &place)) {
        return fault_at(&r, "Expecting value", index);
    }
    r.begin = r.text->text;
    r.at = r.begin + place;
    r.end = r.begin + r.text->length;
    Value value = read_value(&r);
    for (size_t i = 0; i < KEY_SLOTS; i++) {
        object_release_null(&vm->ctx, r.keys[i]);
    }
    return value_failed(value) ? value : scanned(&r, value);
}

// skip(text, index): the index of the first character that is not white.
Value json_skip(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int64_t index;
    size_t place;
    if (!text_and_index(vm, args, &index)) {
        return VALUE_FAIL;
    }
    if (!find_place(vm, args[0], index, &place)) {
        return value_from_small(index);
    }
    Str *text = value_as_str(args[0]);
    Reader r = {.vm = vm, .at = text->text + place,
                .end = text->text + text->length};
    const char *start = r.at;
    skip_white(&r);
    return value_from_small(index + (r.at - start));
}
