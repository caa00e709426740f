// What running plans ask of the host: text to print, host code, errors.
#include <string.h>

#include "backend/host_text.h"
#include "interp/hooks/program.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/concrete.h"
#include "stager/error_notes.h"
#include "stager/late_error.h"
#include "stager/stage_host.h"
#include "stager/stage_write.h"

// stage.print, stage_write.c.
static bool host_print(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    (void)ctx;
    return stage_write_node(data, node, inputs);
}

// stage.host_call and stage.summary, stage_host.c.
static bool host_call(void *data, Ctx *ctx, const GraphNode *node,
                      Tensor *const *inputs, Tensor **outputs)
{
    (void)ctx;
    return stage_host_run(data, node, inputs, outputs);
}

// The built-in exception class of this name, borrowed; UNBOUND: none.
static Value error_class(Vm *vm, const char *name, size_t length)
{
    Str *key = str_intern(vm, name, length);
    Value found =
        key == NULL ? VALUE_UNBOUND : dict_get_name(vm->builtins, key);
    object_release_null(&vm->ctx, key);
    return !value_unbound(found) && value_is_kind(found, KIND_TYPE) &&
                   type_is_subtype((Type *)value_object(found),
                                   vm->error_types[ERR_EXCEPTION])
               ? found
               : VALUE_UNBOUND;
}

// A class of the program that was saved: a RuntimeError of the same name.
static Value make_class(Vm *vm, const char *name, size_t length)
{
    Value base = value_from_object(vm->error_types[ERR_RUNTIME]);
    Str *text = str_new(vm, name, length);
    Tuple *bases = tuple_from(vm, &base, 1);
    Dict *dict = dict_new(vm);
    Value made = VALUE_FAIL;
    Str *module = str_new(vm, "__main__", strlen("__main__"));
    if (text != NULL && bases != NULL && dict != NULL && module != NULL &&
        dict_set_name(vm, dict, vm->names[NAME_MODULE], str_value(module))) {
        Value args[3] = {str_value(text), value_from_object(bases),
                         value_from_object(dict)};
        made = vm_call(vm, value_from_object(type_of(vm, base)), args, 3);
    }
    object_release_null(&vm->ctx, module);
    object_release_null(&vm->ctx, text);
    object_release_null(&vm->ctx, bases);
    object_release_null(&vm->ctx, dict);
    return made;
}

// str() of a KeyError is repr() of its argument: a plain text or number is
// found in it again.
static Value key_said(Vm *vm, const char *text, size_t length)
{
    bool quoted = length >= 2 && (text[0] == '\'' || text[0] == '"') &&
                  text[length - 1] == text[0] &&
                  memchr(text, '\\', length) == NULL;
    size_t digits = length > 0 && text[0] == '-';
    while (digits < length && text[digits] >= '0' && text[digits] <= '9') {
        digits++;
    }
    if (digits == length && length > 0 && text[length - 1] != '-') {
        return int_parse(vm, text, length, 10);
    }
    Str *made = str_new(vm, text + quoted, length - 2 * (size_t)quoted);
    return made != NULL ? str_value(made) : VALUE_FAIL;
}

// "ValueError: text" is raised as one.
static void raise_text(Vm *vm, const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    size_t name = colon != NULL ? (size_t)(colon - text) : length;
    Value cls = error_class(vm, text, name);
    size_t skipped = name;
    while (skipped < length && (text[skipped] == ':' || text[skipped] == ' ')) {
        skipped++;
    }
    cls = value_unbound(cls) ? make_class(vm, text, name) : value_retain(cls);
    if (value_failed(cls)) {
        return;
    }
    bool key =
        value_is_kind(cls, KIND_TYPE) &&
        type_is_subtype((Type *)value_object(cls), vm->error_types[ERR_KEY]);
    Value argument =
        key ? key_said(vm, text + skipped, length - skipped)
            : value_or_fail(str_new(vm, text + skipped, length - skipped));
    Value made = value_failed(argument)
                     ? VALUE_FAIL
                     : vm_call(vm, cls, &argument, length > skipped);
    release(vm, argument);
    release(vm, cls);
    if (!value_failed(made)) {
        raise_object(vm, made);
    }
}

// A node of a graph that was read has no exception object: its text is all
// there is to raise.
static void host_raise(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    if (node->host != NULL) {
        late_error_raise(data, node, inputs);
        return;
    }
    StrBuf text;
    strbuf_init(&text, ctx);
    if (host_text_error(&text, node, inputs)) {
        raise_text(data, strbuf_text(&text), text.length);
    }
    strbuf_free(&text);
}

// For the line about long work; nothing else of the machine may run here.
static void host_turn(void *data, Ctx *ctx, int64_t done, int64_t total)
{
    Vm *vm = data;
    if (vm->program != NULL && ctx_interrupt_bits(ctx) & INTERRUPT_TICK) {
        ctx_interrupt_clear(ctx, INTERRUPT_TICK);
        vm->program->graph_turn(vm, done, total);
    }
}

// Calls that the node's function came by are told from the inside out, as the
// unwinding of eager code would.
static void host_failed(void *data, Ctx *ctx, const Graph *graph,
                        const GraphNode *node)
{
    (void)ctx;
    if (node->place.note != NULL) {
        error_notes_read(data, node->place.note);
    }
    for (uint32_t site = node->place.site; site != 0;) {
        const GraphSite *at = &graph->sites.items[site - 1];
        raise_add_frame(data, (const Code *)at->code, at->word);
        site = at->caller;
    }
}

// In the order of HostTable's fields. `data` is the Vm, which a plan knows
// nothing of.
const HostTable host_table = {host_print, host_call, host_raise, host_turn,
                              host_failed};
