// Calls with the arguments of a tuple and a dict.
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"

Tuple *call_keyword_names(Vm *vm, Dict *keywords)
{
    Tuple *names = tuple_new(vm, keywords->count);
    uint32_t position = 0, i = 0;
    Value key, value;
    while (names != NULL && dict_next(keywords, &position, &key, &value)) {
        if (!value_is_str(key)) {
            object_release(&vm->ctx, names);
            return raise_null(vm, ERR_TYPE, "keywords must be strings");
        }
        names->items[i++] = value_retain(key);
    }
    return names;
}

typedef Value (*CallSlot)(Vm *vm, Value self, const Value *args, uint32_t count,
                          Tuple *keyword_names);

static Value call_spread(Vm *vm, CallSlot call, Value callee, Tuple *args,
                         Dict *keywords)
{
    if (keywords == NULL || keywords->count == 0) {
        return call(vm, callee, args->items, (uint32_t)args->count, NULL);
    }
    uint32_t count = (uint32_t)args->count + keywords->count;
    // Borrowed references: only the array is freed.
    Value *all = ctx_alloc(&vm->ctx, count * sizeof(Value));
    if (all == NULL) {
        return VALUE_FAIL;
    }
    memcpy(all, args->items, args->count * sizeof(Value));
    uint32_t position = 0;
    Value key, *place = all + args->count;
    while (dict_next(keywords, &position, &key, place)) {
        place++;
    }
    Tuple *names = call_keyword_names(vm, keywords);
    Value result =
        names != NULL ? call(vm, callee, all, count, names) : VALUE_FAIL;
    object_release_null(&vm->ctx, names);
    ctx_free(&vm->ctx, all, count * sizeof(Value));
    return result;
}

Value vm_call_dict(Vm *vm, Value callee, Tuple *args, Dict *keywords)
{
    return call_spread(vm, vm_call_keywords, callee, args, keywords);
}

// For classes whose layout is callable: past a __call__ of the program.
Value call_layout(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    return call_spread(vm, type_of(vm, self)->def->slots.call, self, args,
                       keywords);
}
