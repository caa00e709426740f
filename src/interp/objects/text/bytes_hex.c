// Bytes as hexadecimal digits, and back.
#include <ctype.h>

#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/bytes_methods.h"
#include "interp/objects/text/obj_str.h"

// hex(sep, n): a separator after each n bytes, counted from the end, or from
// the start if n is negative.
Value bytes_method_hex(Vm *vm, Value *args)
{
    // Without a separator the group has no effect.
    int group = 1;
    char sep = '\0';
    // Arguments are converted before the separator is looked at.
    if (!value_unbound(args[2]) && !value_to_c_int(vm, args[2], &group)) {
        return VALUE_FAIL;
    }
    bool parted = !value_unbound(args[1]);
    if (parted) {
        bool str = value_is_str(args[1]);
        // The length is asked for before the kind.
        int64_t items = str ? 1 : value_length(vm, args[1]);
        if (items < 0) {
            return VALUE_FAIL;
        }
        if (items != 1) {
            return raise_error(vm, ERR_VALUE, "sep must be length 1.");
        }
        if (!str && !value_is_kind(args[1], KIND_BYTES)) {
            return raise_error(vm, ERR_TYPE, "sep must be str or bytes.");
        }
        size_t length =
            str ? value_as_str(args[1])->length : bytes_length(args[1]);
        if (str ? value_as_str(args[1])->count != 1 : length != 1) {
            return raise_error(vm, ERR_VALUE, "sep must be length 1.");
        }
        if (str ? length != 1 : bytes_text(args[1])[0] & 0x80) {
            return raise_error(vm, ERR_VALUE, "sep must be ASCII.");
        }
        sep = str ? value_as_str(args[1])->text[0] : bytes_text(args[1])[0];
    }
    size_t length = bytes_length(args[0]);
    // A width of 0 sets no separator.
    size_t width = (size_t)(group < 0 ? -(int64_t)group : group);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length && strbuf_ok(&out); i++) {
        // Counted from the end, the first group is the one that may be short.
        size_t left = group < 0 ? i : length - i;
        if (i > 0 && parted && width > 0 && left % width == 0) {
            strbuf_putc(&out, sep);
        }
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            strbuf_free(&out);
            return VALUE_FAIL;
        }
        unsigned char byte = (unsigned char)bytes_text(args[0])[i];
        strbuf_putc(&out, digits[byte >> 4]);
        strbuf_putc(&out, digits[byte & 15]);
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// -1: not one.
static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// Counted from 0, in characters.
static Value not_hexadecimal(Vm *vm, size_t position)
{
    return raise_error(vm, ERR_VALUE,
                       "non-hexadecimal number found in fromhex() arg at "
                       "position %zu",
                       position);
}

// White space may stand between bytes, not inside one. The text's NUL ends a
// lone digit safely: it is no hexadecimal digit.
Value bytes_method_fromhex(Vm *vm, Value *args)
{
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "fromhex() argument must be str, not %s",
                           type_name_given(vm, args[1]));
    }
    const Str *text = value_as_str(args[1]);
    // The first character beyond ASCII is told of before any other fault. What
    // precedes it is one byte a character.
    for (size_t at = 0; text->count != text->length; at++) {
        if ((unsigned char)text->text[at] >= 0x80) {
            return not_hexadecimal(vm, at);
        }
    }
    Bytes *bytes = bytes_new(vm, NULL, text->length / 2);
    size_t used = 0, i = 0;
    while (bytes != NULL && i < text->length) {
        if (!ctx_poll(&vm->ctx)) {
            object_release(&vm->ctx, bytes);
            return VALUE_FAIL;
        }
        if (isspace((unsigned char)text->text[i])) {
            i++;
            continue;
        }
        int high = hex_digit(text->text[i]);
        int low = high < 0 ? 0 : hex_digit(text->text[i + 1]);
        if (high < 0 || low < 0) {
            object_release(&vm->ctx, bytes);
            return not_hexadecimal(vm, i + (high >= 0));
        }
        bytes->data[used++] = (char)(high << 4 | low);
        i += 2;
    }
    // The buffer was made for the longest result; a copy has the real length.
    Value result =
        bytes == NULL ? VALUE_FAIL : bytes_value(vm, bytes->data, used);
    object_release_null(&vm->ctx, bytes);
    // A class of the program makes its own of it.
    if (value_failed(result) || !value_is_kind(args[0], KIND_TYPE) ||
        value_object(args[0]) == &vm->types[KIND_BYTES]->head) {
        return result;
    }
    Value made = vm_call(vm, args[0], &result, 1);
    release(vm, result);
    return made;
}
