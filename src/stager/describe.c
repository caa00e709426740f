// Values as messages about a trace show them.
#include "stager/describe.h"

#include <stdio.h>
#include <string.h>

#include "interp/core/raise.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/poison.h"

// How deep structures are shown.
enum { DESCRIBED_DEPTH = 3 };

static bool describe(Vm *vm, Value v, StrBuf *out, int depth);

// A repr of the program may raise: the message then does without it.
static bool describe_repr(Vm *vm, Value v, StrBuf *out)
{
    Str *text = value_repr(vm, v);
    if (text == NULL &&
        (raise_matches(vm, ERR_MEMORY) || raise_matches(vm, ERR_INTERRUPT))) {
        return false;
    }
    if (text == NULL) {
        raise_clear(vm);
    }
    // "<Vec object>": an address says nothing, and two of them no more.
    const char *address =
        text != NULL ? strstr(text->text, " object at 0x") : NULL;
    if (address != NULL && text->text[0] == '<') {
        strbuf_add(out, text->text, (size_t)(address - text->text));
        strbuf_puts(out, " object>");
    } else {
        strbuf_puts(out, text != NULL ? text->text : "an object");
    }
    object_release_null(&vm->ctx, text);
    return true;
}

static bool describe_items(Vm *vm, const Value *items, size_t count,
                           const char *brackets, StrBuf *out, int depth)
{
    bool ok = true;
    strbuf_putc(out, brackets[0]);
    for (size_t i = 0; i < count && i < 8 && ok; i++) {
        strbuf_puts(out, i > 0 ? ", " : "");
        ok = describe(vm, items[i], out, depth + 1);
    }
    strbuf_puts(out, count > 8 ? ", …" : "");
    strbuf_puts(out, count == 1 && brackets[0] == '(' ? "," : "");
    strbuf_putc(out, brackets[1]);
    return ok;
}

static bool describe(Vm *vm, Value v, StrBuf *out, int depth)
{
    bool ok = true;
    if (poison_is(vm, v)) {
        strbuf_puts(out, "undecided"); // its repr would be refused
    } else if (value_is_operand(v)) {
        tensor_type_print(out, operand_type(v));
    } else if (value_is_kind(v, KIND_LIST) && depth < DESCRIBED_DEPTH) {
        const List *list = value_as_list(v);
        ok = describe_items(vm, list->items, list->count, "[]", out, depth);
    } else if (value_is_kind(v, KIND_TUPLE) && depth < DESCRIBED_DEPTH) {
        const Tuple *tuple = value_as_tuple(v);
        ok = describe_items(vm, tuple->items, tuple->count, "()", out, depth);
    } else {
        ok = describe_repr(vm, v, out);
    }
    return ok;
}

// Tensors by type and shape, in lists and tuples too; all else by its repr;
// long ones are cut.
bool describe_value(Vm *vm, Value v, char *room, size_t size)
{
    if (value_unbound(v)) {
        snprintf(room, size, "unbound");
        return true;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool ok = describe(vm, v, &out, 0) && strbuf_ok(&out);
    if (ok) {
        snprintf(room, size, out.length > 60 ? "%.57s…" : "%.60s",
                 strbuf_text(&out));
    }
    strbuf_free(&out);
    return ok;
}
