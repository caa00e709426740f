// str.translate and str.maketrans.
//
// A table is anything with __getitem__ by code point: a missing entry
// (LookupError) keeps the character, None drops it, an int or a str stands
// for it.
//
// maketrans makes a dict by code point, the commonest table.
#include "base/utf8.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/str_methods.h"

static bool mapped_code(Vm *vm, Value mapped, uint32_t *code)
{
    int64_t number;
    if (!value_is_integer(mapped) && !value_is_bool(mapped)) {
        return raise_false(vm, ERR_TYPE,
                           "character mapping must return "
                           "integer, None or str");
    }
    if (!int_to_i64(mapped, &number) || number < 0 || number > 0x10FFFF) {
        return raise_false(vm, ERR_VALUE,
                           "character mapping must be in "
                           "range(0x110000)");
    }
    *code = (uint32_t)number;
    return true;
}

// Appends what `mapped` says for one character.
// False: an error is pending.
static bool add_mapped(Vm *vm, StrBuf *out, Value mapped)
{
    uint32_t code;
    if (value_is_none(mapped)) {
        return true;
    }
    if (value_is_str(mapped)) {
        strbuf_add(out, value_as_str(mapped)->text,
                   value_as_str(mapped)->length);
        return true;
    }
    if (!mapped_code(vm, mapped, &code)) {
        return false;
    }
    strbuf_codepoint(out, code);
    return true;
}

// What the table has for a character, owned; UNBOUND: nothing. An exact dict is
// looked into; another table may be code of the program.
// In a trace an exact dict goes the general way as well, where reads are noted.
static Value look_up(Vm *vm, Value table, uint32_t c)
{
    Value key = value_from_small((int64_t)c);
    if (type_of(vm, table) == vm->types[KIND_DICT] && vm->trace == NULL) {
        Value found;
        int known = dict_get(vm, value_as_dict(table), key, &found);
        return known > 0    ? value_retain(found)
               : known == 0 ? VALUE_UNBOUND
                            : VALUE_FAIL;
    }
    Value found = value_get_item(vm, table, key);
    if (value_failed(found) && raise_matches(vm, ERR_LOOKUP)) {
        raise_clear(vm);
        return VALUE_UNBOUND;
    }
    return found;
}

enum {
    ASCII_COUNT = 128,
    ASCII_DROP = 0xFE,  // the table says None
    ASCII_OTHER = 0xFF, // not asked yet, or no single ASCII character
    PIECE = 256         // bytes that are put together before they are added
};

// What stands for an ASCII character, as a byte of `known`. False: an error is
// pending.
static bool learn_ascii(Vm *vm, Value table, unsigned char c, uint8_t *known)
{
    Value mapped = look_up(vm, table, c);
    if (value_failed(mapped)) {
        return false;
    }
    uint32_t code = c;
    bool ok = true;
    if (value_is_none(mapped)) {
        known[c] = ASCII_DROP;
    } else if (value_is_str(mapped)) {
        const Str *text = value_as_str(mapped);
        // A single byte is ASCII.
        known[c] = text->length == 1 ? (uint8_t)text->text[0] : ASCII_OTHER;
    } else {
        ok = value_unbound(mapped) || mapped_code(vm, mapped, &code);
        known[c] = code < ASCII_COUNT ? (uint8_t)code : ASCII_OTHER;
    }
    release(vm, mapped);
    return ok;
}

// An ASCII text, as far as single ASCII characters stand for its own: the table
// is asked for each character once. From *at on the general way goes, which
// asks for that character again. False: an error is pending.
static bool translate_ascii(Vm *vm, StrBuf *out, const Str *self, Value table,
                            size_t *at)
{
    uint8_t known[ASCII_COUNT];
    char piece[PIECE];
    size_t made = 0;
    memset(known, ASCII_OTHER, sizeof known);
    for (; *at < self->length; ++*at) {
        unsigned char c = (unsigned char)self->text[*at];
        if (known[c] == ASCII_OTHER && !learn_ascii(vm, table, c, known)) {
            return false;
        }
        if (known[c] == ASCII_OTHER) {
            break;
        }
        piece[made] = (char)known[c];
        made += known[c] != ASCII_DROP;
        if (made == PIECE) {
            strbuf_add(out, piece, made);
            made = 0;
        }
        if (!ctx_poll_at(&vm->ctx, *at + 1)) {
            return false;
        }
    }
    strbuf_add(out, piece, made);
    return true;
}

// The rest of a text from `at` on, where the table is asked for every
// character; behind a run of dropped ones it is asked twice. False: an error is
// pending.
static bool translate_rest(Vm *vm, StrBuf *out, const Str *self, Value table,
                           size_t at)
{
    bool done = true, dropping = false;
    while (done && at < self->length) {
        uint32_t c = 0;
        size_t size = utf8_decode(self->text + at, self->length - at, &c);
        // The table may be any mapping, or a class with __getitem__.
        Value mapped = look_up(vm, table, c);
        if (dropping && !value_is_none(mapped) && !value_failed(mapped)) {
            release(vm, mapped);
            mapped = look_up(vm, table, c);
        }
        dropping = value_is_none(mapped);
        if (value_unbound(mapped)) {
            strbuf_codepoint(out, c);
        } else {
            done = !value_failed(mapped) && add_mapped(vm, out, mapped);
            release(vm, mapped);
        }
        at += size;
        done = done && ctx_poll(&vm->ctx);
    }
    return done;
}

// Owned. Anything but a LookupError of the table goes on to the caller.
Value str_method_translate(Vm *vm, Value *args)
{
    const Str *self = value_as_str(args[0]);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    size_t at = 0;
    bool ascii = self->count == self->length;
    if ((ascii && !translate_ascii(vm, &out, self, args[1], &at)) ||
        !translate_rest(vm, &out, self, args[1], at)) {
        strbuf_free(&out);
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// The code point of a key given as a str of one character, or an int.
// An int stays as it is and need not be a code point: translate then never asks
// for it.
static Value key_of(Vm *vm, Value key)
{
    if (!value_is_str(key)) {
        return value_is_integer(key) || value_is_bool(key)
                   ? key
                   : raise_error(vm, ERR_TYPE,
                                 "keys in translate table must "
                                 "be strings or integers");
    }
    const Str *text = value_as_str(key);
    uint32_t c = 0;
    if (text->count != 1) {
        return raise_error(vm, ERR_VALUE,
                           "string keys in translate table "
                           "must be of length 1");
    }
    (void)utf8_decode(text->text, text->length, &c);
    return value_from_small((int64_t)c);
}

// str.maketrans(dict): the keys become code points, the values stay.
// False: an error is pending. `table` is filled.
static bool table_of_dict(Vm *vm, Dict *table, Value source)
{
    if (type_of(vm, source) != vm->types[KIND_DICT]) {
        return raise_false(vm, ERR_TYPE,
                           "if you give only one argument to "
                           "maketrans it must be a dict");
    }
    uint32_t position = 0;
    Value key, value;
    while (dict_next(value_as_dict(source), &position, &key, &value)) {
        Value code = key_of(vm, key);
        if (value_failed(code) || !dict_set(vm, table, code, value)) {
            return false;
        }
    }
    return true;
}

// Each character of `from` maps to that of `to` at its place; NULL: to None.
// False: an error is pending. Of a character that comes twice the last one
// counts.
static bool table_of_texts(Vm *vm, Dict *table, const Str *from, const Str *to)
{
    for (size_t i = 0, k = 0; i < from->length;) {
        uint32_t c = 0, d = 0;
        i += utf8_decode(from->text + i, from->length - i, &c);
        // As many code points as in `from`, but not always as many bytes.
        if (to != NULL) {
            k += utf8_decode(to->text + k, to->length - k, &d);
        }
        if (!ctx_poll(&vm->ctx) ||
            !dict_set(vm, table, value_from_small((int64_t)c),
                      to == NULL ? VALUE_NONE : value_from_small((int64_t)d))) {
            return false;
        }
    }
    return true;
}

// The forms with one, two and three arguments; errors are. False: an error is
// pending.
static bool fill_table(Vm *vm, Dict *table, const Value *args)
{
    if (value_unbound(args[1])) {
        return table_of_dict(vm, table, args[0]);
    }
    for (int i = 1; i < 3; i++) {
        if (!value_unbound(args[i]) && !value_is_str(args[i])) {
            return raise_false(vm, ERR_TYPE,
                               "maketrans() argument %d must be str, not %s",
                               i + 1, type_name_given(vm, args[i]));
        }
    }
    // The first is looked at last: it may be of any type in the other form.
    if (!value_is_str(args[0])) {
        return raise_false(vm, ERR_TYPE,
                           "first maketrans argument must be a "
                           "string if there is a second "
                           "argument");
    }
    const Str *from = value_as_str(args[0]), *to = value_as_str(args[1]);
    if (from->count != to->count) {
        return raise_false(vm, ERR_VALUE,
                           "the first two maketrans arguments "
                           "must have equal length");
    }
    return table_of_texts(vm, table, from, to) &&
           (value_unbound(args[2]) ||
            table_of_texts(vm, table, value_as_str(args[2]), NULL));
}

// Static: called on the class. A plain dict is the result, which programs may
// change before they use it.
static Value method_maketrans(Vm *vm, Value *args)
{
    Dict *table = dict_new(vm);
    if (table == NULL || !fill_table(vm, table, args)) {
        object_release_null(&vm->ctx, table);
        return VALUE_FAIL;
    }
    return value_from_object(table);
}

const NativeDef str_static_methods[] = {{"maketrans", "x, y=None, z=None, /",
                                         method_maketrans,
                                         "A table for translate."},
                                        {NULL, NULL, NULL, NULL}};
