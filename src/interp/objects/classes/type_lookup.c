// What a class has under a name, and the memory of such answers.
#include "interp/objects/classes/type_lookup.h"

#include "interp/core/raise.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_dict.h"

// A trace may be running, which is neither told nor owns what is made. After a
// failure the next look-up tries again.
bool type_fill(Vm *vm, Type *cls)
{
    bool (*fill)(Vm *, Type *) = cls->fill;
    Trace *trace = vm->trace;
    uint16_t birth = vm->ctx.birth;
    vm->trace = NULL;
    vm->ctx.birth = 0;
    cls->fill = NULL;
    bool done = fill(vm, cls);
    if (!done) {
        dict_clear(vm, cls->dict);
        cls->fill = fill;
    }
    vm->ctx.birth = birth;
    vm->trace = trace;
    return done;
}

// Where an answer for this pair would stand.
static LookupEntry *lookup_entry(Vm *vm, const Type *cls, const Str *name)
{
    uintptr_t bits = (uintptr_t)cls >> 5 ^ (uintptr_t)name >> 4;
    return &vm->lookups[(bits ^ bits >> 8) % LOOKUP_SLOTS];
}

// Classes of the program alone: any change of one bumps the epoch, as does
// the end of its making.
static void remember(Vm *vm, LookupEntry *entry, const Type *cls,
                     const Str *name, Value found)
{
    if ((cls->flags & TYPE_HEAP) && !(name->head.flags & STR_RENEWED)) {
        *entry = (LookupEntry){cls, name, found, vm->epoch};
    }
}

// A name that the program made for one look-up has no more: its text and the
// arguments that hand it on.
enum { NAME_COUNTS = 4 };

// The walk that the memory of look-ups spares. Out of line, so that an answer
// that is remembered costs few instructions.
static __attribute__((noinline)) Value
look_up_slowly(Vm *vm, Type *cls, Str *name, LookupEntry *entry)
{
    const Tuple *mro = cls->mro;
    for (size_t i = 0; i < mro->count; i++) {
        Dict *dict = type_dict(vm, (Type *)value_object(mro->items[i]));
        if (UNLIKELY(dict == NULL)) {
            return VALUE_FAIL;
        }
        int32_t number = dict_find_name(dict, name);
        if (number >= 0) {
            const DictEntry *found = &dict->entries[number];
            // Only by the very key of the class: another Str of that text may
            // die, and its address come to mean another name.
            if (value_same(found->key, value_from_object(name))) {
                remember(vm, entry, cls, name, found->value);
            }
            return found->value;
        }
    }
    // Attributes of instances are looked for in the class first, each time. A
    // name that code holds has more counts than what getattr() makes up.
    if ((name->head.flags & STR_INTERNED) && name->head.rc > NAME_COUNTS) {
        name->head.flags |= STR_MISSED;
        remember(vm, entry, cls, name, VALUE_UNBOUND);
    }
    return VALUE_UNBOUND;
}

Value type_lookup(Vm *vm, Type *cls, Str *name)
{
    LookupEntry *entry = lookup_entry(vm, cls, name);
    if (LIKELY(entry->cls == cls && entry->name == name &&
               entry->epoch == vm->epoch)) {
        return entry->found;
    }
    return look_up_slowly(vm, cls, name, entry);
}

// That a class has not got a name is remembered too: vm->names live for ever.
Value type_lookup_special(Vm *vm, Type *cls, NameId id)
{
    Str *name = vm->names[id];
    Value found = type_lookup(vm, cls, name);
    if (value_unbound(found)) {
        remember(vm, lookup_entry(vm, cls, name), cls, name, found);
    }
    return found;
}

bool type_has(Vm *vm, Type *cls, NameId id)
{
    Value found = type_lookup(vm, cls, vm->names[id]);
    if (value_failed(found)) {
        raise_clear(vm);
    }
    return !value_unbound(found) && !value_failed(found);
}
