// Texts in results that have a name where eager code has a tensor's value.
#include "stager/result_text.h"

#include "interp/core/raise.h"
#include "stager/concrete.h"
#include "stager/late_text.h"
#include "stager/structure.h"

bool result_text_check(Vm *vm, const Trace *trace, Value v)
{
    LateIds ids = {0};
    Value late = value_is_str(v) ? late_text_pack(vm, value_as_str(v), &ids)
                                 : VALUE_UNBOUND;
    vec_free(&vm->ctx, &ids);
    if (!value_unbound(late) && !value_failed(late)) {
        release(vm, late);
        return raise_false(vm, ERR_SYMBOLIC,
                           "%s returns a text that says a tensor's value; "
                           "return the tensor, and make the text of it outside",
                           trace->request->name->text);
    }
    return !value_failed(late);
}

// A key, or what is in one: a tuple has children and no keys.
static bool check_key(Vm *vm, const Trace *trace, Value key)
{
    uint32_t line =
        value_is_str(key) ? late_text_line(vm, value_as_str(key)) : 0;
    ValueVec parts = {0};
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = line == 0 ||
              raise_false(vm, ERR_SYMBOLIC,
                          "%s returns a key made of a tensor's text (line %u), "
                          "which is a name while tracing; return the tensor, "
                          "and make the key of it outside",
                          trace->request->name->text, (unsigned)line);
    if (value_is_kind(key, KIND_TUPLE)) {
        ok = ok && structure_children(vm, key, &parts);
    }
    for (size_t i = 0; ok && i < parts.count; i++) {
        ok = check_key(vm, trace, parts.items[i]);
    }
    structure_free(vm, &parts);
    ctx_leave(&vm->ctx);
    return ok;
}

bool result_text_check_keys(Vm *vm, const Trace *trace, Value v)
{
    StructureKind kind = structure_kind(vm, v);
    ValueVec keys = {0}, children = {0};
    bool ok = ctx_enter(&vm->ctx);
    if (!ok) {
        return false;
    }
    if (kind == STRUCTURE_DICT || kind == STRUCTURE_SET) {
        ok = structure_keys(vm, v, &keys);
    }
    for (size_t i = 0; ok && i < keys.count; i++) {
        ok = check_key(vm, trace, keys.items[i]);
    }
    if (kind != STRUCTURE_LEAF && kind != STRUCTURE_SET) {
        ok = ok && structure_children(vm, v, &children);
    }
    for (size_t i = 0; ok && i < children.count; i++) {
        ok = result_text_check_keys(vm, trace, children.items[i]);
    }
    structure_free(vm, &keys);
    structure_free(vm, &children);
    ctx_leave(&vm->ctx);
    return ok;
}
