// Texts in results that have a name where eager code has a tensor's value.
#include "stager/result_text.h"

#include "interp/core/raise.h"
#include "stager/concrete.h"
#include "stager/late_text.h"
#include "stager/structure.h"

bool result_text_check(Vm *vm, const Trace *trace, Value v)
{
    uint32_t line = value_is_str(v) ? late_text_line(vm, value_as_str(v)) : 0;
    return line == 0 ||
           raise_false(vm, ERR_SYMBOLIC,
                       "%s returns a text that says a tensor's value (line "
                       "%u); return the tensor, and make the text of it "
                       "outside",
                       trace->request->name->text, (unsigned)line);
}

// A key, or what is in one: a tuple has children and no keys.
static bool check_key(Vm *vm, Value key, void *data)
{
    const Trace *trace = data;
    uint32_t line =
        value_is_str(key) ? late_text_line(vm, value_as_str(key)) : 0;
    bool ok = line == 0 ||
              raise_false(vm, ERR_SYMBOLIC,
                          "%s returns a key made of a tensor's text (line %u), "
                          "which is a name while tracing; return the tensor, "
                          "and make the key of it outside",
                          trace->request->name->text, (unsigned)line);
    return ok && (!value_is_kind(key, KIND_TUPLE) ||
                  structure_each(vm, key, check_key, data));
}

bool result_text_check_keys(Vm *vm, Value v, void *trace)
{
    StructureKind kind = structure_kind(vm, v);
    ValueVec keys = {0};
    bool ok = (kind != STRUCTURE_DICT && kind != STRUCTURE_SET) ||
              structure_keys(vm, v, &keys);
    for (size_t i = 0; ok && i < keys.count; i++) {
        ok = check_key(vm, keys.items[i], trace);
    }
    structure_free(vm, &keys);
    return ok && structure_each(vm, v, result_text_check_keys, trace);
}
