// Slow paths: what they share, attributes and items.
//
// All slow paths are called with f->pc behind the instruction and return false
// with an error pending; operands then are as they were, for the unwinding to
// release. They test locals for being unbound themselves.
// A few take an operand out first (append_text, slow_withexit,
// slow_importstar): its register is then empty whatever happens.
#include "interp/machine/vm/vm_run.h"

#include "interp/hooks/tracing.h"
#include "interp/machine/vm/vm_fast.h"
#include "interp/machine/vm/vm_site.h"
#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/tuple_field.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/text/obj_str.h"

// Temporaries are never unbound in code that the compiler made: the name is
// that of a local.
bool slow_unbound(Vm *vm, const Frame *f, uint32_t reg)
{
    const Code *code = f->code;
    const Str *name = reg < code->local_count ? code->local_names[reg] : NULL;
    if (UNLIKELY(vm->trace != NULL) && name != NULL &&
        vm->hooks->unbound(vm, code, name)) {
        return false;
    }
    return raise_false(vm, ERR_UNBOUND_LOCAL,
                       "cannot access local variable '%s' where it is not "
                       "associated with a value",
                       name == NULL ? "?" : name->text);
}

// The test of an operand that may be a local without a value; a temporary
// always passes.
bool slow_bound(Vm *vm, const Frame *f, uint32_t reg)
{
    if (LIKELY(!value_unbound(f->registers[reg]))) {
        return true;
    }
    int late = vm->trace != NULL && reg < f->code->local_count
                   ? vm->hooks->late(vm, (Frame *)f, reg)
                   : 0;
    return late > 0 || (late == 0 && slow_unbound(vm, f, reg));
}

// Whoever reads a temporary for the last time empties it: that is every
// instruction but the few whose text says "stays".
void slow_drop(Vm *vm, Frame *f, uint32_t reg)
{
    if (reg >= f->code->local_count) {
        value_replace(&vm->ctx, &f->registers[reg], VALUE_UNBOUND);
    }
}

// Stores first and releases then, so that a finaliser sees the new value.
bool slow_set(Vm *vm, Frame *f, uint32_t reg, Value v)
{
    if (value_failed(v)) {
        return false;
    }
    value_replace(&vm->ctx, &f->registers[reg], v);
    return true;
}

// Stores the result and empties the operands b and c that were temporaries; -1:
// none. An operand in the target's register has been replaced already.
bool slow_finish(Vm *vm, Frame *f, Ins ins, Value v, int32_t b, int32_t c)
{
    if (UNLIKELY(value_failed(v))) {
        return false;
    }
    int32_t a = INS_A(ins), locals = (int32_t)f->code->local_count;
    value_replace(&vm->ctx, &f->registers[a], v);
    // No local is emptied, and -1 is below all of them.
    if (b >= locals && b != a) {
        value_replace(&vm->ctx, &f->registers[b], VALUE_UNBOUND);
    }
    if (c >= locals && c != a) {
        value_replace(&vm->ctx, &f->registers[c], VALUE_UNBOUND);
    }
    return true;
}

// Interned, so that dicts find it by its address; borrowed.
static Str *name_of(const Frame *f, uint32_t constant)
{
    return value_as_str(f->code->constants[constant]);
}

// The getter of a property that is written in Duet, where nothing else of the
// class has a say. NULL: the general way.
static Function *written_getter(Vm *vm, Value self, Str *name)
{
    if (!value_is_kind(self, KIND_INSTANCE)) {
        return NULL;
    }
    Value get = property_plain_getter(vm, self, name);
    return value_is_kind(get, KIND_FUNCTION) ? (Function *)value_object(get)
                                             : NULL;
}

// An instance's own attribute or slot, where the class has no code of its own
// to find it: what a place with instances of several shapes finds again and
// again. It fills the cache for the next time. NULL: the general way.
static const Value *own_attribute(Vm *vm, Value self, Str *name,
                                  AttrCache *cache)
{
    if (!value_is_kind(self, KIND_INSTANCE) || vm->trace != NULL) {
        return NULL;
    }
    const Instance *instance = (const Instance *)value_object(self);
    if (site_recall(vm, instance->shape, name, SITE_READ, cache)) {
        const Value *place = fast_attr(vm, self, cache);
        if (LIKELY(place != NULL)) {
            return place;
        }
    }
    if (instance->shape == NULL ||
        instance->head.type->slots.get_attr != NULL) {
        return NULL;
    }
    int32_t slot = attr_slot(vm, instance, name);
    if (slot < 0 || value_unbound(instance->slots[slot])) {
        return NULL;
    }
    *cache = (AttrCache){.shape = instance->shape,
                         .slot = (uint32_t)slot,
                         .epoch = (uint32_t)vm->epoch};
    site_keep(vm, name, SITE_READ, cache);
    return &instance->slots[slot];
}

static bool is_cached_module(Value self, const ObjectShape *shape)
{
    return value_is_kind(self, KIND_MODULE) &&
           (const char *)shape == (const char *)value_object(self) + 1;
}

bool slow_getattr(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    Value self = f->registers[INS_B(ins)];
    // Code is constant but for its cache words, hence the cast.
    AttrCache *cache = (AttrCache *)(uintptr_t)f->pc;
    if (is_cached_module(self, cache->shape)) {
        Value found =
            attr_of_module(vm, self, name_of(f, INS_C(ins)), cache->slot);
        if (!value_unbound(found)) {
            return slow_finish(vm, f, ins, value_retain(found), INS_B(ins), -1);
        }
    }
    const Value *own = own_attribute(vm, self, name_of(f, INS_C(ins)), cache);
    if (own != NULL) {
        return slow_finish(vm, f, ins, value_retain(*own), INS_B(ins), -1);
    }
    own = tuple_field_find(vm, self, name_of(f, INS_C(ins)));
    if (own != NULL) {
        return slow_finish(vm, f, ins, value_retain(*own), INS_B(ins), -1);
    }
    Function *getter = written_getter(vm, self, name_of(f, INS_C(ins)));
    if (getter != NULL && vm_can_operate(vm, getter, 1)) {
        return vm_operate(vm, getter, &self, 1);
    }
    return slow_finish(
        vm, f, ins,
        attr_load(vm, f->registers[INS_B(ins)], name_of(f, INS_C(ins)), cache),
        INS_B(ins), -1);
}

// Value before object: `a.b = x` evaluates them in that order, and the first
// unbound one is told.
bool slow_setattr(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_A(ins))) {
        return false;
    }
    StoreCache *cache = (StoreCache *)(uintptr_t)f->pc;
    Str *name = name_of(f, INS_C(ins));
    Value self = f->registers[INS_A(ins)], value = f->registers[INS_B(ins)];
    const ObjectShape *before =
        value_is_kind(self, KIND_INSTANCE)
            ? ((const Instance *)value_object(self))->shape
            : NULL;
    Value *place = site_recall(vm, before, name, SITE_STORE, cache)
                       ? fast_attr_place(vm, self, cache)
                       : NULL;
    if (place != NULL) {
        value_replace(&vm->ctx, place, value_retain(value));
    } else if (!attr_store(vm, self, name, value, cache)) {
        return false;
    } else if (before != NULL && cache->before == before) {
        site_keep(vm, name, SITE_STORE, cache);
    }
    slow_drop(vm, f, INS_B(ins));
    slow_drop(vm, f, INS_A(ins));
    return true;
}

// A store of UNBOUND is a removal, for classes with __delattr__ too.
bool slow_delattr(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins)) ||
        !value_set_attr(vm, f->registers[INS_A(ins)], name_of(f, INS_C(ins)),
                        VALUE_UNBOUND)) {
        return false;
    }
    slow_drop(vm, f, INS_A(ins));
    return true;
}

// The cache is asked again here, for selves that are no instances.
bool slow_loadm(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    MethodCache *cache = (MethodCache *)(uintptr_t)f->pc;
    Str *name = name_of(f, INS_C(ins));
    Value self = f->registers[INS_B(ins)], callee;
    // A function of a module, by the number of its entry.
    Value held = cache->key == NULL && value_is_object(self) &&
                         cache->function == value_object(self)
                     ? attr_of_module(vm, self, name, cache->epoch)
                     : VALUE_UNBOUND;
    // Immediate values come here with a cache that holds, too.
    const void *key = attr_method_key(vm, self);
    int found = 0;
    if (!value_unbound(held)) {
        callee = value_retain(held);
    } else if (vm->trace == NULL &&
               ((cache->key == key && key != NULL) ||
                site_recall(vm, key, name, SITE_CALL, cache)) &&
               cache->epoch == vm->epoch) {
        callee = value_from_object(object_retain(cache->function));
        found = 1;
    } else {
        found = attr_load_method(vm, self, name, cache, &callee);
        if (found > 0 && cache->key == key && key != NULL) {
            site_keep(vm, name, SITE_CALL, cache);
        }
    }
    if (found < 0) {
        return false;
    }
    // Without a self the callee was no method; CALLM then moves the arguments
    // down.
    Value front = found ? value_retain(self) : VALUE_UNBOUND;
    uint32_t a = INS_A(ins), b = INS_B(ins);
    value_replace(&vm->ctx, &f->registers[a + 1], front);
    value_replace(&vm->ctx, &f->registers[a], callee);
    if (b != a && b != a + 1) {
        slow_drop(vm, f, b);
    }
    return true;
}

// container[key] where that runs no code of the program; UNBOUND: ask the
// protocol.
static Value quick_item(Vm *vm, Value container, Value key)
{
    if (value_is_kind(container, KIND_DICT) && vm->trace == NULL &&
        value_object(container)->type == vm->types[KIND_DICT]) {
        const DictEntry *entry =
            dict_find_simple(value_as_dict(container), key);
        return entry == NULL ? VALUE_UNBOUND : value_retain(entry->value);
    }
    // The characters of ASCII texts are shared.
    if (value_is_kind(container, KIND_STR) && value_is_int(key) &&
        vm->trace == NULL &&
        value_object(container)->type == vm->types[KIND_STR]) {
        const Str *text = value_as_str(container);
        int64_t at = value_small(key);
        at += at < 0 ? (int64_t)text->count : 0;
        if (text->count == text->length && (uint64_t)at < text->count) {
            return value_retain(
                value_from_object(vm->char_strs[text->text[at] & 127]));
        }
    }
    return VALUE_UNBOUND;
}

// The __getitem__ of a class written in Duet that can be called without C.
static Function *item_method(Vm *vm, Value container)
{
    if (!value_is_object(container) ||
        !(value_object(container)->type->flags & TYPE_HEAP)) {
        return NULL;
    }
    Value found =
        type_lookup_special(vm, value_object(container)->type, NAME_GETITEM);
    return value_is_kind(found, KIND_FUNCTION) ? (Function *)value_object(found)
                                               : NULL;
}

// A __getitem__ that is written in Duet gets a frame in this machine rather
// than a nested one, so that it costs no C stack.
bool slow_getitem(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    Value args[] = {f->registers[INS_B(ins)], f->registers[INS_C(ins)]};
    Value item = quick_item(vm, args[0], args[1]);
    if (value_unbound(item)) {
        Function *method = item_method(vm, args[0]);
        if (method != NULL && vm_can_operate(vm, method, 2)) {
            return vm_operate(vm, method, args, 2);
        }
        item = value_get_item(vm, args[0], args[1]);
    }
    return slow_finish(vm, f, ins, item, INS_B(ins), INS_C(ins));
}

bool slow_getitemi(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    Value args[] = {f->registers[INS_B(ins)], value_from_small(INS_CI(ins))};
    int entered = vm_special(vm, NAME_GETITEM, args, 2);
    if (entered != 0) {
        return entered > 0;
    }
    Value item = quick_item(vm, args[0], args[1]);
    if (value_unbound(item)) {
        item = value_get_item(vm, args[0], args[1]);
    }
    return slow_finish(vm, f, ins, item, INS_B(ins), -1);
}

static bool set_item(Vm *vm, Value container, Value key, Value item)
{
    return value_is_kind(container, KIND_DICT) &&
                   value_object(container)->type == vm->types[KIND_DICT]
               ? dict_set(vm, value_as_dict(container), key, item)
               : value_set_item(vm, container, key, item);
}

// Value, container, key: the order in which Python evaluates them decides which
// unbound local is told.
bool slow_setitem(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_C(ins)) || !slow_bound(vm, f, INS_A(ins)) ||
        !slow_bound(vm, f, INS_B(ins)) ||
        !set_item(vm, f->registers[INS_A(ins)], f->registers[INS_B(ins)],
                  f->registers[INS_C(ins)])) {
        return false;
    }
    slow_drop(vm, f, INS_C(ins));
    slow_drop(vm, f, INS_B(ins));
    slow_drop(vm, f, INS_A(ins));
    return true;
}

// A store of UNBOUND is a removal.
bool slow_delitem(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins)) || !slow_bound(vm, f, INS_B(ins)) ||
        !value_set_item(vm, f->registers[INS_A(ins)], f->registers[INS_B(ins)],
                        VALUE_UNBOUND)) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    slow_drop(vm, f, INS_A(ins));
    return true;
}

// A slice of plain ints as the key of a plain container, as in a[i:j], is not
// made: this slice on the C stack serves, which nobody can keep. True: the
// GETITEM that follows is done, too, or has failed (*ok).
static bool slice_at_once(Vm *vm, Frame *f, Ins ins, bool *ok)
{
    Value *part = &f->registers[INS_B(ins)];
    Ins next = f->pc[0];
    Value container = f->registers[INS_B(next)];
    if (INS_OP(next) != OPCODE_GETITEM || INS_C(next) != INS_A(ins) ||
        vm->trace != NULL || !value_is_object(container)) {
        return false;
    }
    const Type *type = value_object(container)->type;
    // Only exact built-in types, whose slices run no code.
    if (type != vm->types[KIND_LIST] && type != vm->types[KIND_STR] &&
        type != vm->types[KIND_TUPLE] && type != vm->types[KIND_BYTES]) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (!value_is_int(part[i]) && !value_is_none(part[i])) {
            return false;
        }
    }
    // On the C stack: x[a:b] makes no object for the slice itself.
    Slice slice = {.head = {.rc = 1,
                            .kind = KIND_SLICE,
                            .birth = vm->ctx.birth,
                            .type = vm->types[KIND_SLICE]},
                   .start = part[0],
                   .stop = part[1],
                   .step = part[2]};
    part[0] = part[1] = part[2] = VALUE_UNBOUND;
    // Errors are the second instruction's.
    f->pc++;
    Value made = type->slots.get_item(vm, container, value_from_object(&slice));
    *ok = slow_finish(vm, f, next, made, INS_B(next), -1);
    return true;
}

// The three parts are temporaries that the compiler put side by side. Moves
// the frame's pc on if that does the next instruction as well.
bool slow_slice(Vm *vm, Frame *f, Ins ins)
{
    Value *part = &f->registers[INS_B(ins)];
    bool ok;
    if (slice_at_once(vm, f, ins, &ok)) {
        return ok;
    }
    Slice *slice = slice_new(vm, part[0], part[1], part[2]);
    if (slice == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        value_replace(&vm->ctx, &part[i], VALUE_UNBOUND);
    }
    return slow_set(vm, f, INS_A(ins), value_from_object(slice));
}
