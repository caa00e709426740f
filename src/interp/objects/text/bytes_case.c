// The methods of bytes about case and classes: those of ASCII, whatever else
// the bytes may encode.
#include "interp/objects/text/bytes_methods.h"
#include "interp/objects/text/bytes_text.h"
#include "interp/objects/text/text_case.h"

// Borrowed: the range lives as long as the argument.
static TextRange self_of(const Value *args)
{
    const Bytes *self = value_as_bytes(args[0]);
    return (TextRange){self->data, self->length};
}

// ASCII letters alone change, as bytes have no encoding; the length stays.
static Value change_case(Vm *vm, Value *args, TextCase mode)
{
    TextRange text = self_of(args);
    Bytes *made = bytes_new(vm, NULL, text.length);
    if (made != NULL && !text_change_case(&vm->ctx, made->data, text, mode)) {
        object_release(&vm->ctx, made);
        made = NULL;
    }
    return value_or_fail(made);
}

// What text_all and text_in_case give.
static Value answer(int found)
{
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

#define CASE_METHOD(name, mode)                                                \
    Value bytes_method_##name(Vm *vm, Value *args)                             \
    {                                                                          \
        return change_case(vm, args, mode);                                    \
    }
CASE_METHOD(lower, TEXT_LOWER)
CASE_METHOD(upper, TEXT_UPPER)
CASE_METHOD(title, TEXT_TITLE)
CASE_METHOD(capitalize, TEXT_CAPITALIZE)
CASE_METHOD(swapcase, TEXT_SWAP)

#define CLASS_METHOD(name, set)                                                \
    Value bytes_method_##name(Vm *vm, Value *args)                             \
    {                                                                          \
        return answer(text_all(&vm->ctx, self_of(args), set));                 \
    }
CLASS_METHOD(isalpha, &text_letters)
CLASS_METHOD(isdigit, &text_digits)
CLASS_METHOD(isalnum, &text_alnums)
CLASS_METHOD(isspace, &text_bytes_spaces)

#define IN_CASE_METHOD(name, mode)                                             \
    Value bytes_method_##name(Vm *vm, Value *args)                             \
    {                                                                          \
        return answer(text_in_case(&vm->ctx, self_of(args), mode));            \
    }
IN_CASE_METHOD(islower, TEXT_LOWER)
IN_CASE_METHOD(isupper, TEXT_UPPER)
IN_CASE_METHOD(istitle, TEXT_TITLE)
