// The operations behind syntax: repr, str, hash, truth, items. Operators are in
// protocol_binary.c, comparisons in protocol_compare.c, iteration in
// protocol_iter.c.
//
// Each looks at the kinds that are most common first and otherwise calls the
// slot of the value's type. Invariant: a slot that is NULL means that the type
// has not got the operation, its bases neither.
#include "interp/objects/protocol/protocol.h"
#include "interp/core/depth.h"

#include "interp/hooks/note.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_str.h"

// A repr or str slot's result, which must be a Str. Takes `v`.
static Str *as_text(Vm *vm, Value v, const char *method)
{
    if (value_failed(v)) {
        return NULL;
    }
    if (value_is_str(v)) {
        return value_as_str(v);
    }
    raise_error(vm, ERR_TYPE, "%s returned non-string (type %s)", method,
                type_name(type_of(vm, v)));
    release(vm, v);
    return NULL;
}

// What is asked for a text while a failed append to the caller's buffer is
// pending is asked in vain: its code would meet that error, or lose it.
static bool is_vain(const Vm *vm)
{
    return UNLIKELY(vm_has_error(vm));
}

// Without a slot: the form with the address. The depth is counted, since
// containers print what they hold.
Str *value_repr(Vm *vm, Value v)
{
    if (is_vain(vm)) {
        return NULL;
    }
    Type *type = type_of(vm, v);
    // Values that are no objects have a slot; the address is for those that
    // are.
    if (type->slots.repr == NULL) {
        return str_printf(vm, "<%s object at %p>", type_name(type),
                          value_is_object(v) ? (void *)value_object(v) : NULL);
    }
    if (!depth_enter(vm, DEPTH_REPR)) {
        return NULL;
    }
    Str *text = as_text(vm, type->slots.repr(vm, v), "__repr__");
    depth_leave(vm);
    return text;
}

// One code point of UTF-8 as an escape; returns its bytes. The leading byte
// says how many there are: the text is valid UTF-8, surrogates included.
static size_t add_escape(StrBuf *out, const unsigned char *text)
{
    size_t length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    uint32_t code = text[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | (text[i] & 0x3Fu);
    }
    if (code < 0x100) {
        strbuf_printf(out, "\\x%02x", code);
    } else if (code < 0x10000) {
        strbuf_printf(out, "\\u%04x", code);
    } else {
        strbuf_printf(out, "\\U%08x", code);
    }
    return length;
}

// Equal counts of bytes and code points mean that the text is ASCII already.
// Quotes and controls are escaped by repr already, so only what is beyond ASCII
// is left.
Str *value_ascii(Vm *vm, Value v)
{
    Str *text = value_repr(vm, v);
    if (text == NULL || text->length == text->count) {
        return text;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t i = 0; i < text->length;) {
        const unsigned char *here = (const unsigned char *)text->text + i;
        if (*here < 0x80) {
            strbuf_putc(&out, (char)*here);
            i++;
        } else {
            i += add_escape(&out, here);
        }
    }
    object_release(&vm->ctx, text);
    return str_from_buf(vm, &out);
}

// The exact str is its own text. A type without __str__ is printed by what
// makes its repr, and what is wrong with that is told of __str__.
Str *value_str(Vm *vm, Value v)
{
    if (value_is_str(v) && value_object(v)->type == vm->types[KIND_STR]) {
        return object_retain(value_object(v));
    }
    if (is_vain(vm)) {
        return NULL;
    }
    Type *type = type_of(vm, v);
    Value (*slot)(Vm *, Value) =
        type->slots.str != NULL ? type->slots.str : type->slots.repr;
    if (slot == NULL) {
        return value_repr(vm, v);
    }
    if (!depth_enter(vm, DEPTH_STR)) {
        return NULL;
    }
    Str *text = as_text(vm, slot(vm, v), "__str__");
    depth_leave(vm);
    return text;
}

// Without a __format__ only the empty specification is understood, as
// object.__format__ has it. The result is checked like that of __str__.
Str *value_format(Vm *vm, Value v, Str *spec)
{
    if (is_vain(vm)) {
        return NULL;
    }
    Type *type = type_of(vm, v);
    if (type->slots.format != NULL) {
        return as_text(vm, type->slots.format(vm, v, spec), "__format__");
    }
    if (spec->length != 0) {
        return raise_null(vm, ERR_TYPE,
                          "unsupported format string passed to %s.__format__",
                          type_name(type));
    }
    return value_str(vm, v);
}

// Rotated by four bits: the low bits, which are alike in all objects, would
// make the tables collide.
uint64_t value_identity_hash(Value v)
{
    return VALUE_BITS(v) >> 4 | VALUE_BITS(v) << 60;
}

// ints and exact strs, which are nearly all keys, need no slot. A type that is
// marked unhashable is refused even if a base has a hash.
bool value_hash(Vm *vm, Value v, uint64_t *hash)
{
    if (value_is_int(v)) {
        *hash = int_hash(v);
        return true;
    }
    Type *type = type_of(vm, v);
    if (type == vm->types[KIND_STR]) {
        *hash = str_hash(value_as_str(v));
        return note_text(vm, value_as_str(v));
    }
    // list, dict, set, and classes with __eq__ but no __hash__.
    if (type->flags & TYPE_UNHASHABLE) {
        if (value_is_kind(v, KIND_SYMBOLIC) && vm->hooks != NULL) {
            vm->hooks->refuse(vm, NEED_HASH, v);
            return false;
        }
        return raise_false(vm, ERR_TYPE, "unhashable type: '%s'",
                           type_name(type));
    }
    if (type->slots.hash != NULL) {
        // A tuple hashes its items, so the depth is the program's choice.
        if (!ctx_enter(&vm->ctx)) {
            return false;
        }
        bool ok = type->slots.hash(vm, v, hash);
        ctx_leave(&vm->ctx);
        return ok;
    }
    *hash = value_identity_hash(v);
    return true;
}

// __bool__, else __len__, else true. None is the special value that is false,
// besides False; a NaN is true.
int value_truth(Vm *vm, Value v)
{
    if (value_is_special(v)) {
        return value_same(v, VALUE_TRUE) || value_same(v, VALUE_ELLIPSIS) ||
               value_same(v, VALUE_NOT_IMPLEMENTED);
    }
    if (value_is_int(v)) {
        return !value_same(v, value_from_small(0));
    }
    if (value_is_float(v)) {
        return value_float(v) != 0;
    }
    const Type *type = type_of(vm, v);
    const TypeSlots *slots = &type->slots;
    // In a trace a text may not be asked for its length.
    if (type == vm->types[KIND_STR]) {
        return value_as_str(v)->count != 0;
    }
    if (slots->truth != NULL) {
        return slots->truth(vm, v);
    }
    // A class of the program with __len__ alone has this slot, too.
    if (slots->length != NULL) {
        int64_t length = slots->length(vm, v);
        return length < 0 ? -1 : length != 0;
    }
    return 1;
}

// No result is checked here: the slot of a class with __len__ does that. -1 is
// the failure, so a length is never negative.
int64_t value_length(Vm *vm, Value v)
{
    Type *type = type_of(vm, v);
    if (type->slots.length == NULL) {
        return raise_int(vm, ERR_TYPE, "object of type '%s' has no len()",
                         type_name(type));
    }
    return type->slots.length(vm, v);
}

Value value_union(Vm *vm, Value a, Value b)
{
    Value args[2] = {a, b};
    return library_call(vm, "types", "_union", args, 2);
}

// list[int] and the like: the containers, type, and what derives from them.
// Their [] makes a types.GenericAlias; __class_getitem__ is not looked for in
// built-in types.
static bool is_generic(Vm *vm, const Type *cls)
{
    return (cls->def->flags & TYPE_GENERIC) || cls == vm->types[KIND_TYPE];
}

static Value class_item(Vm *vm, Value container, Value key)
{
    if (value_is_kind(container, KIND_TYPE)) {
        Value method =
            value_find_attr(vm, container, vm->names[NAME_CLASS_GETITEM]);
        if (value_failed(method)) {
            return VALUE_FAIL;
        }
        if (!value_unbound(method)) {
            Value result = vm_call(vm, method, &key, 1);
            release(vm, method);
            return result;
        }
        if (is_generic(vm, (Type *)value_object(container))) {
            Value args[2] = {container, key};
            return library_call(vm, "types", "GenericAlias", args, 2);
        }
        return raise_error(vm, ERR_TYPE, "type '%s' is not subscriptable",
                           type_name((Type *)value_object(container)));
    }
    return raise_error(vm, ERR_TYPE, "'%s' object is not subscriptable",
                       type_name(type_of(vm, container)));
}

// Not subscriptable by its type does not mean that it fails: list[int]. The key
// is the slot's to judge: what indices or keys are is not known here.
Value value_get_item(Vm *vm, Value container, Value key)
{
    Type *type = type_of(vm, container);
    if (type->slots.get_item == NULL) {
        return class_item(vm, container, key);
    }
    return type->slots.get_item(vm, container, key);
}

// Does it count as a sequence, whatever it can do? Classes do.
static bool is_sequence(const Type *type)
{
    return (type->flags & TYPE_HEAP) != 0 || type->kind == KIND_DICT_VIEW ||
           (type->kind >= KIND_STR && type->kind <= KIND_RANGE);
}

// A sequence takes its key for an index before it tells that it has no place
// for items; then the words for a deletion are other ones.
static bool no_set_item(Vm *vm, Value container, Value key, bool deletes)
{
    const Type *type = type_of(vm, container);
    bool indexed = is_sequence(type) && value_is_index(vm, key);
    int64_t at;
    if (indexed && !value_to_place(vm, key, &at)) {
        return false;
    }
    bool constant = value_is_kind(container, KIND_TENSOR) ||
                    value_is_kind(container, KIND_SYMBOLIC);
    const char *cure = constant ? ": tensors do not change; scatter_update(x, "
                                  "[[i]], [value]) or where(mask, value, x) "
                                  "makes a new one"
                       : value_is_kind(container, KIND_VARIABLE)
                           ? ": it is assigned whole, as in v.assign("
                             "scatter_update(v, [[i]], [value]))"
                           : "";
    return raise_false(
        vm, ERR_TYPE, "'%s' object %s item %s%s", type_name(type),
        deletes && indexed ? "doesn't support" : "does not support",
        deletes ? "deletion" : "assignment", cure);
}

// UNBOUND deletes, so one slot serves both statements.
bool value_set_item(Vm *vm, Value container, Value key, Value value)
{
    Type *type = type_of(vm, container);
    return type->slots.set_item == NULL
               ? no_set_item(vm, container, key, value_unbound(value))
               : type->slots.set_item(vm, container, key, value);
}

// What `in` means without __contains__: identity or equality with any item that
// iteration gives. It polls, as the iterator may never end. The items after the
// first hit are never asked for.
static int contains_by_walk(Vm *vm, Value container, Value item)
{
    Value iterator =
        value_iter_told(vm, container, "argument of type '%s' is not iterable");
    if (value_failed(iterator)) {
        return -1;
    }
    int found = 0;
    while (found == 0) {
        Value next = value_next(vm, iterator);
        if (value_same(next, VALUE_STOP) || value_failed(next)) {
            found = value_failed(next) ? -1 : 0;
            break;
        }
        // -1, a failure, ends the loop as a hit does.
        found = value_equal(vm, next, item);
        release(vm, next);
        if (found == 0 && !ctx_poll(&vm->ctx)) {
            found = -1;
        }
    }
    release(vm, iterator);
    return found;
}

int value_contains(Vm *vm, Value container, Value item)
{
    Type *type = type_of(vm, container);
    return type->slots.contains != NULL
               ? type->slots.contains(vm, container, item)
               : contains_by_walk(vm, container, item);
}

// A class of the program has the slot if it defines __call__.
bool value_is_callable(Vm *vm, Value v)
{
    return type_of(vm, v)->slots.call != NULL;
}

// Looks the method up in the class, not in the object.
Value value_call_special(Vm *vm, Value v, const char *name, const Value *args,
                         uint32_t count)
{
    // Interned, since classes are searched by address.
    Str *key = str_intern(vm, name, strlen(name));
    if (key == NULL) {
        return VALUE_FAIL;
    }
    // Bound already, hence no self among the arguments.
    Value method = value_find_method(vm, v, key);
    object_release(&vm->ctx, key);
    if (value_failed(method) || value_unbound(method)) {
        return method;
    }
    Value result = vm_call(vm, method, args, count);
    release(vm, method);
    return result;
}
