// The native half of the module traceback: the text that an error prints.
#include "interp/module.h"
#include "interp/obj_exception.h"
#include "interp/obj_str.h"
#include "interp/protocol.h"

// text(exception, limit=None, alone=False): as the interpreter prints it when
// nothing catches it. `alone`: only its last lines, without frames and chain.
static Value traceback_text(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int64_t limit = INT64_MIN;
    bool limited = !value_unbound(args[1]) && !value_is_none(args[1]);
    if (!value_is_kind(args[0], KIND_EXCEPTION)) {
        return raise_error(vm, ERR_TYPE, "expected an exception, not '%s'",
                           type_name(type_of(vm, args[0])));
    }
    if (limited && !value_to_index(vm, args[1], &limit)) {
        return VALUE_FAIL;
    }
    int alone = value_unbound(args[2]) ? 0 : value_truth(vm, args[2]);
    if (alone < 0) {
        return VALUE_FAIL;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool done = alone == 1
                    ? raise_print_message(vm, args[0], &out)
                    : raise_print_traceback(vm, args[0], limit, &out);
    Str *text = done ? str_from_buf(vm, &out) : NULL;
    if (!done) {
        strbuf_free(&out);
    }
    return text == NULL ? VALUE_FAIL : str_value(text);
}

static const NativeDef functions[] = {
    {"text", "exception, limit=None, alone=False, /", traceback_text,
     "The traceback and the message, as they print when nothing catches it."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef traceback_module = {
    .name = "traceback",
    .doc = "What errors print.",
    .functions = functions};
