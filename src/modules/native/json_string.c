// Strings of JSON texts, and the errors of the reader.
#include "interp/core/raise.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/numbers/obj_int.h"
#include "modules/native/json_reader.h"

enum { KEY_LENGTH = 32 }; // longer keys are not worth remembering

// Where no value begins, the scanner ends with StopIteration(index) that the
// decoder hides by `from None`. Owned; NULL with an error pending.
static Exception *hidden_stop(Vm *vm, Value index)
{
    Tuple *args = tuple_from(vm, &index, 1);
    Exception *stop =
        args == NULL
            ? NULL
            : exception_new(vm, vm->error_types[ERR_STOP_ITERATION], args);
    object_release_null(&vm->ctx, args);
    return stop;
}

// Raises the exception (taken), between which and its context the StopIteration
// (taken, NULL: none) is put.
static void raise_over(Vm *vm, Value made, Exception *stop)
{
    (void)raise_object(vm, made);
    if (stop != NULL) {
        Exception *fault = value_as_exception(made);
        stop->context = fault->context;
        fault->context = value_from_object(stop);
        fault->suppress_context = true;
    }
}

// The class of the error is the module's own, written in Duet.
// VALUE_FAIL, always. `index` counts characters.
Value json_fault_at(JsonReader *r, const char *message, int64_t index)
{
    Vm *vm = r->vm;
    Str *words = str_from(vm, message == NULL ? "Expecting value" : message);
    if (words == NULL) {
        return VALUE_FAIL;
    }
    Value args[3] = {str_value(words), str_value(r->text),
                     int_from_i64(vm, index)};
    Value made = value_failed(args[2]) ? VALUE_FAIL
                                       : vm_call(vm, r->error_class, args, 3);
    object_release(&vm->ctx, words);
    bool wanting = !value_failed(made) && value_is_kind(made, KIND_EXCEPTION) &&
                   message == NULL;
    Exception *stop = wanting ? hidden_stop(vm, args[2]) : NULL;
    if (wanting && stop == NULL) {
        release(vm, made);
    } else if (!value_failed(made)) {
        raise_over(vm, made, stop);
    }
    release(vm, args[2]);
    return VALUE_FAIL;
}

// Characters are counted only now: a text without errors never needs them.
// VALUE_FAIL, always. `place` points into the text.
Value json_fault(JsonReader *r, const char *message, const char *place)
{
    size_t offset = (size_t)(place - r->begin);
    return json_fault_at(r, message,
                         (int64_t)str_index_of(r->vm, r->text, offset));
}

static char escaped(char c)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *found = c == '\0' ? NULL : strchr(letters, c);
    return found == NULL ? '\0' : meanings[found - letters];
}

// Four hexadecimal digits behind the `u` at hand. A string must go on behind
// them, if only with its closing quote. *code is valid where true is returned.
// False: the fault is raised. r->at moves behind the digits.
static bool read_hex(JsonReader *r, uint32_t *code)
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
            json_fault(r, "Invalid \\uXXXX escape", u);
            return false;
        }
        *code = *code << 4 | digit;
    }
    r->at = u + 5;
    return true;
}

// The code point of the \u escape whose `u` is at hand; two escapes of a
// surrogate pair are one, a lone surrogate stays. A low surrogate alone is kept
// as well: the text is then no valid UTF-16, but Python reads it.
// False: the fault is raised.
static bool read_code_point(JsonReader *r, StrBuf *out)
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

// The escape whose backslash is at hand. `opening`: the string's quote. What it
// means is appended to `out`.
// False: the fault is raised, or memory is short, which the buffer tells.
static bool read_escape(JsonReader *r, const char *opening, StrBuf *out)
{
    if (++r->at == r->end) {
        json_fault(r, "Unterminated string starting at", opening);
        return false;
    }
    if (*r->at == 'u') {
        return read_code_point(r, out);
    }
    char c = escaped(*r->at);
    if (c == '\0') {
        json_fault(r, "Invalid \\escape", r->at - 1);
        return false;
    }
    strbuf_putc(out, c);
    r->at++;
    return true;
}

// Moves on to the quote or backslash that ends a plain stretch. Control
// characters are refused unless strict=False was given.
// False: the fault is raised.
static bool skip_plain(JsonReader *r, const char *opening)
{
    for (; r->at < r->end; r->at++) {
        unsigned char c = (unsigned char)*r->at;
        if (c == '"' || c == '\\') {
            return true;
        }
        if (c < ' ' && r->strict) {
            json_fault(r, "Invalid control character at", r->at);
            return false;
        }
    }
    json_fault(r, "Unterminated string starting at", opening);
    return false;
}

// The rest of a string with escapes. `start`: its first character. Stretches
// between escapes are copied whole. NULL: failed.
static Str *read_escaped(JsonReader *r, const char *start)
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

// The remembered key of this text, which takes the place of an older one.
// Documents repeat the keys of their records: one Str for all of them saves the
// allocations, and its hash is computed once. A hash of its own, cheap and only
// good enough for a table of this size. Owned; NULL: memory.
static Str *read_key_text(JsonReader *r, const char *start, size_t length)
{
    size_t slot = length * 7;
    for (size_t i = 0; i < length; i++) {
        slot = slot * 31 + (unsigned char)start[i];
    }
    Str **place = &r->keys[slot % JSON_KEY_SLOTS];
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
// Owned; NULL: an error is pending. r->at stands on the opening quote.
Str *json_read_string(JsonReader *r, bool is_key)
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
