// Calls as the machine makes them: a frame is pushed wherever Duet code is to
// run, so that no C stack is used; all else is called through call.c.
//
// Invariant: window[-1] is the callee and holds it alive; vm_enter leaves the
// result there, or a frame whose result will go there.
#include "interp/machine/vm/vm_run.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/iterators/obj_generator.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_str.h"

// Immediate values are left: they hold no reference, and the registers are
// written before they are read.
void vm_empty_window(Vm *vm, Value *window, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (value_is_object(window[i])) {
            value_replace(&vm->ctx, &window[i], VALUE_UNBOUND);
        }
    }
}

// 0: the result stands in the callee's place; -1: it failed. Takes the result.
static inline int finish(Vm *vm, Value *window, Value result)
{
    if (value_failed(result)) {
        return -1;
    }
    value_replace(&vm->ctx, &window[-1], result);
    return 0;
}

// Binding is skipped when the plain positional arguments are just those that
// the parameters want. A generator function only makes its object here.
int vm_enter_function(Vm *vm, Function *function, Value *window, uint32_t count,
                      Tuple *keyword_names, uint32_t flags)
{
    if ((keyword_names != NULL || function->code->plain_count != count) &&
        !call_bind(vm, function, window, count, keyword_names)) {
        return -1;
    }
    if (!(function->code->flags & CODE_GENERATOR)) {
        return vm_push_frame(vm, function, window, flags) ? 1 : -1;
    }
    Generator *made = generator_new(vm, function, window);
    return made == NULL ? -1 : finish(vm, window, value_from_object(made));
}

// --- natives ---

// As native_is_direct, for the first argument of a subclass as well.
static bool is_direct(Vm *vm, const Native *native, const Value *window,
                      uint32_t count)
{
    return count - native->direct_least <= native->direct_span &&
           (native->owner == NULL ||
            (count > 0 &&
             type_is_subtype(type_of(vm, window[0]), native->owner) &&
             (vm->trace == NULL || native->owner != vm->types[KIND_STR])));
}

// Optional parameters at the end that are missing are filled up in the window
// itself: vm_next_window keeps that much free above each frame. The callee's
// place takes the result last: it keeps the native alive.
// There is no guard of the C stack here: what runs Duet code guards it.
bool vm_call_direct(Vm *vm, Native *native, Value *window, uint32_t count)
{
    uint32_t wanted = native->positional_count;
    for (uint32_t i = count; i < wanted; i++) {
        window[i] = VALUE_UNBOUND;
    }
    Value result = native->function(vm, window);
    for (Value *held = window + count; held-- > window;) {
        if (value_is_object(*held)) {
            value_replace(&vm->ctx, held, VALUE_UNBOUND);
        }
    }
    if (UNLIKELY(value_failed(result))) {
        return false;
    }
    value_replace(&vm->ctx, &window[-1], result);
    return true;
}

// Arguments that need binding, a self or a check of the first one go by call.c,
// and what a trace is told of.
static int enter_native(Vm *vm, Native *native, Value *window, uint32_t count,
                        Tuple *keyword_names)
{
    if (keyword_names == NULL && is_direct(vm, native, window, count)) {
        return vm_call_direct(vm, native, window, count) ? 0 : -1;
    }
    return finish(vm, window,
                  call_object(vm, value_from_object(native), window, count,
                              keyword_names));
}

// --- bound methods ---

static int enter_method(Vm *vm, Method *method, Value *window, uint32_t count,
                        Tuple *keyword_names)
{
    Value function = value_retain(method->function);
    vm_move_up(window, count, 1);
    window[0] = value_retain(method->self);
    value_replace(&vm->ctx, &window[-1], function);
    return vm_enter(vm, window, count + 1, keyword_names);
}

// --- classes ---

// The function for which a frame can be pushed. NULL is kept too; any change of
// a class makes the answer stale.
static Function *find_maker(Vm *vm, Type *cls)
{
    if (cls->maker_epoch != vm->epoch) {
        cls->maker_epoch = vm->epoch;
        cls->maker_function = (Object *)class_maker(vm, cls);
    }
    return (Function *)cls->maker_function;
}

// The int of a text of a few digits; UNBOUND: longer, or not so plain.
static Value short_decimal(const Str *text)
{
    enum { MOST = 17 };
    bool negative = text->text[0] == '-';
    int64_t number = 0;
    if (text->length > MOST || text->length == (size_t)negative) {
        return VALUE_UNBOUND;
    }
    for (size_t i = negative; i < text->length; i++) {
        if (text->text[i] < '0' || text->text[i] > '9') {
            return VALUE_UNBOUND;
        }
        number = number * 10 + (text->text[i] - '0');
    }
    return value_from_small(negative ? -number : number);
}

// Built-in classes called with one argument, the common conversions; UNBOUND:
// the general way.
static Value convert(Vm *vm, const Type *cls, Value v)
{
    if (cls == vm->types[KIND_STR] && value_is_int(v)) {
        return int_text(vm, v);
    }
    if (cls == vm->types[KIND_STR]) {
        return value_or_fail(value_str(vm, v));
    }
    if (cls == vm->types[KIND_INT] && value_is_int(v)) {
        return v;
    }
    if (cls == vm->types[KIND_INT] && value_is_kind(v, KIND_STR) &&
        value_object(v)->type == vm->types[KIND_STR]) {
        return short_decimal(value_as_str(v));
    }
    if (cls == vm->types[KIND_FLOAT] && value_is_immediate_float(v)) {
        return v;
    }
    if (cls == vm->types[KIND_FLOAT] && value_is_int(v)) {
        return float_new(vm, (double)value_small(v));
    }
    if (cls == vm->bool_type && vm->trace == NULL) {
        int truth = value_truth(vm, v);
        return truth < 0 ? VALUE_FAIL : value_from_bool(truth);
    }
    return VALUE_UNBOUND;
}

// list, set, dict and tuple themselves, empty or with the items of `source`
// (UNBOUND: none); UNBOUND: another class.
static Value make_container(Vm *vm, const Type *cls, Value source)
{
    bool empty = value_unbound(source), filled;
    Object *made = NULL;
    if (cls == vm->types[KIND_LIST]) {
        List *list = list_new(vm, 0);
        made = (Object *)list;
        filled = list != NULL && (empty || list_extend(vm, list, source));
    } else if (cls == vm->types[KIND_SET]) {
        Set *set = set_new(vm, false);
        made = (Object *)set;
        filled = set != NULL && (empty || set_update(vm, set, source));
    } else if (cls == vm->types[KIND_DICT]) {
        Dict *dict = dict_new(vm);
        made = (Object *)dict;
        filled = dict != NULL && (empty || dict_update(vm, dict, source));
    } else if (cls == vm->types[KIND_TUPLE] && !empty) {
        Tuple *tuple = value_to_tuple(vm, source);
        made = (Object *)tuple;
        filled = tuple != NULL;
    } else {
        return VALUE_UNBOUND;
    }
    if (!filled) {
        object_release_null(&vm->ctx, made);
        return VALUE_FAIL;
    }
    return value_from_object(made);
}

static int make_by_c(Vm *vm, Type *cls, Value *window, uint32_t count,
                     Tuple *keyword_names)
{
    // Errors are made as often as all others together, and never so.
    bool short_way = count <= 1 && keyword_names == NULL &&
                     !(cls->flags & TYPE_HEAP) && cls->kind != KIND_EXCEPTION;
    if (short_way) {
        Value made =
            make_container(vm, cls, count == 0 ? VALUE_UNBOUND : window[0]);
        if (!value_unbound(made)) {
            vm_empty_window(vm, window, count);
            return finish(vm, window, made);
        }
    }
    if (short_way && count == 1) {
        Value made = convert(vm, cls, window[0]);
        if (!value_unbound(made)) {
            vm_empty_window(vm, window, 1);
            return finish(vm, window, made);
        }
    }
    return finish(
        vm, window,
        call_object(vm, value_from_object(cls), window, count, keyword_names));
}

// The arguments of a call and the names of its keywords, for class_init_made.
static Tuple *keep_call(Vm *vm, const Value *args, uint32_t count,
                        Tuple *keyword_names)
{
    Tuple *kept = tuple_new(vm, count + 1);
    if (kept == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        kept->items[i] = value_retain(args[i]);
    }
    kept->items[count] = keyword_names == NULL
                             ? VALUE_NONE
                             : value_retain(value_from_object(keyword_names));
    return kept;
}

// The class stays in the callee's place; above it stand the arguments, for an
// __init__ of a subclass, then __new__ as R[-1] of its frame, the class again
// and the arguments.
static int enter_new(Vm *vm, Type *cls, Function *function, Value *window,
                     uint32_t count, Tuple *keyword_names)
{
    Tuple *kept = keep_call(vm, window, count, keyword_names);
    if (kept == NULL) {
        vm_empty_window(vm, window, count);
        return -1;
    }
    vm_move_up(window, count, 3);
    window[0] = value_from_object(kept);
    window[1] = value_from_object(object_retain(function));
    window[2] = value_from_object(object_retain(cls));
    int entered = vm_enter_function(vm, function, window + 2, count + 1,
                                    keyword_names, FRAME_NEW);
    if (entered < 0) {
        vm_empty_window(vm, window, 2);
    }
    return entered;
}

// The callee's place takes the instance, which is the result; above it stands
// __init__, as R[-1] of its frame, then self and the arguments.
static int enter_class(Vm *vm, Type *cls, Value *window, uint32_t count,
                       Tuple *keyword_names)
{
    // type(x), which is asked at least as often as a class is made.
    if (cls == vm->types[KIND_TYPE] && count == 1 && keyword_names == NULL) {
        Value found = type_asked(vm, window[0]);
        vm_empty_window(vm, window, 1);
        return finish(vm, window, found);
    }
    if (cls == vm->types[KIND_STR] && count == 1 && keyword_names == NULL &&
        value_is_int(window[0])) {
        return finish(vm, window, int_text(vm, window[0]));
    }
    Function *init = find_maker(vm, cls);
    bool makes = cls->slots.make != vm->object_type->slots.make;
    if (init == NULL || (makes && vm->trace != NULL)) {
        return make_by_c(vm, cls, window, count, keyword_names);
    }
    if (makes) {
        return enter_new(vm, cls, init, window, count, keyword_names);
    }
    bool noted = note_method_read(vm, cls, vm->names[NAME_INIT],
                                  value_from_object(init));
    Instance *self = noted ? instance_new(vm, cls) : NULL;
    if (self == NULL) {
        vm_empty_window(vm, window, count);
        return -1;
    }
    vm_move_up(window, count, 2);
    window[0] = value_from_object(object_retain(init));
    window[1] = value_from_object(object_retain(self));
    value_replace(&vm->ctx, &window[-1], value_from_object(self));
    int entered = vm_enter_function(vm, init, window + 1, count + 1,
                                    keyword_names, FRAME_INIT);
    if (entered < 0) {
        value_replace(&vm->ctx, &window[0], VALUE_UNBOUND);
    }
    return entered;
}

// An instance whose class has a __call__ written in Duet, or what wraps such a
// function: that takes the instance's place, and the instance goes in front of
// the arguments. False: no such method.
static bool take_call(Vm *vm, Value *window, uint32_t count)
{
    Type *cls = value_object(window[-1])->type;
    Value found = cls->flags & TYPE_HEAP
                      ? type_lookup_special(vm, cls, NAME_CALL)
                      : VALUE_UNBOUND;
    bool takes =
        value_is_kind(found, KIND_FUNCTION) ||
        (value_is_kind(found, KIND_OPAQUE) &&
         value_object(found)->type->slots.get_descriptor == method_bind);
    if (!takes || vm->trace != NULL) {
        return false;
    }
    vm_move_up(window, count, 1);
    window[0] = window[-1];
    window[-1] = value_retain(found);
    return true;
}

// By the kind of the callee; what has no case here is called by C.
int vm_enter(Vm *vm, Value *window, uint32_t count, Tuple *keyword_names)
{
    Value callee = window[-1];
    Object *object = value_is_object(callee) ? value_object(callee) : NULL;
    if (LIKELY(object != NULL && object->kind == KIND_NATIVE)) {
        return enter_native(vm, (Native *)object, window, count, keyword_names);
    }
    switch (object != NULL ? object->kind : KIND_COUNT) {
    case KIND_FUNCTION:
        return vm_enter_function(vm, (Function *)object, window, count,
                                 keyword_names, 0);
    case KIND_METHOD:
        return enter_method(vm, (Method *)object, window, count, keyword_names);
    case KIND_TYPE:
        return enter_class(vm, (Type *)object, window, count, keyword_names);
    case KIND_INSTANCE:
        if (!take_call(vm, window, count)) {
            break;
        }
        count++;
        object = value_object(window[-1]);
        if (object->kind == KIND_FUNCTION) {
            return vm_enter_function(vm, (Function *)object, window, count,
                                     keyword_names, 0);
        }
        break;
    default: break;
    }
    if (object != NULL && object->type->slots.enter != NULL &&
        vm->trace == NULL) {
        return object->type->slots.enter(vm, window, count, keyword_names);
    }
    // A local that is called before it has a value.
    if (UNLIKELY(value_unbound(callee))) {
        const Frame *f = vm->frame;
        slow_unbound(vm, f, (uint32_t)(window - 1 - f->registers));
        return -1;
    }
    return finish(vm, window,
                  call_object(vm, callee, window, count, keyword_names));
}
