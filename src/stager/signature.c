// The key of a call: a byte string, so that look-up is one hash.
//
// Invariant: two calls have equal keys only if one trace is right for both.
// Objects enter by address; the trace holds them, so no other object gets it.
#include "stager/signature.h"

#include "interp/obj_dict.h"
#include "interp/obj_float.h"
#include "interp/obj_int.h"
#include "interp/tensor_convert.h"

typedef struct Walk {
    Signature *out;
    const char *name; // the parameter being walked
} Walk;

static void both(Signature *out, const void *bytes, size_t size)
{
    strbuf_add(&out->key, bytes, size);
    strbuf_add(&out->relaxed, bytes, size);
}

static void tag(Signature *out, char kind, uint64_t number)
{
    both(out, &kind, 1);
    both(out, &number, sizeof number);
}

static bool keep(Vm *vm, ValueVec *vec, Value owned)
{
    if (value_failed(owned)) {
        return false;
    }
    if (!vec_push(&vm->ctx, vec, owned)) {
        release(vm, owned);
        return false;
    }
    return true;
}

static void add_type(Signature *out, TensorType type)
{
    strbuf_putc(&out->key, (char)type.rank);
    strbuf_add(&out->key, (const char *)type.dims,
               (size_t)type.rank * sizeof *type.dims);
}

static bool add_tensor(Vm *vm, Walk *walk, Value v)
{
    Signature *out = walk->out;
    Value tensor = tensor_from_value(vm, walk->name, v, DT_NONE);
    if (!keep(vm, &out->tensors, tensor)) {
        return false;
    }
    TensorType type = operand_type(tensor);
    tag(out, 't', type.dtype);
    add_type(out, type);
    Str *name = str_from(vm, walk->name);
    return name != NULL && keep(vm, &out->names, str_value(name));
}

static bool add_variable(Vm *vm, Signature *out, Value v)
{
    size_t index = 0;
    while (index < out->variables.count &&
           !value_same(out->variables.items[index], v)) {
        index++;
    }
    TensorType type = operand_type(v);
    tag(out, 'v', (uint64_t)type.dtype << 32 | index);
    both(out, &type.rank, sizeof type.rank);
    both(out, type.dims, (size_t)type.rank * sizeof *type.dims);
    return index < out->variables.count ||
           keep(vm, &out->variables, value_retain(v));
}

static void add_text(Signature *out, char kind, const char *text, size_t size)
{
    tag(out, kind, size);
    both(out, text, size);
}

static bool add_int(Vm *vm, Signature *out, Value v)
{
    StrBuf digits;
    strbuf_init(&digits, &vm->ctx);
    int_print(vm, &digits, v, 16);
    bool ok = strbuf_ok(&digits);
    add_text(out, 'i', strbuf_text(&digits), digits.length);
    strbuf_free(&digits);
    return ok;
}

static bool add_leaf(Vm *vm, Walk *walk, Value v)
{
    Signature *out = walk->out;
    if (value_is_leaf_tensor(vm, v)) {
        return add_tensor(vm, walk, v);
    }
    if (value_is_kind(v, KIND_VARIABLE)) {
        return add_variable(vm, out, v);
    }
    if (value_is_integer(v)) {
        return add_int(vm, out, v);
    }
    if (value_is_float(v)) {
        double number = value_float(v);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        tag(out, 'f', number != number ? UINT64_MAX : bits);
        return true;
    }
    if (value_is_str(v)) {
        add_text(out, 's', value_as_str(v)->text, value_as_str(v)->length);
        return true;
    }
    tag(out, 'o', VALUE_BITS(v));
    return !value_is_object(v) || keep(vm, &out->objects, value_retain(v));
}

static bool add_value(Vm *vm, Walk *walk, Value v);

static bool add_items(Vm *vm, Walk *walk, char kind, const Value *items,
                      size_t count)
{
    tag(walk->out, kind, count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = add_value(vm, walk, items[i]);
    }
    return ok;
}

static bool add_dict(Vm *vm, Walk *walk, Dict *dict)
{
    tag(walk->out, 'd', dict->count);
    uint32_t position = 0;
    Value key, value;
    while (dict_next(dict, &position, &key, &value)) {
        if (!add_value(vm, walk, key) || !add_value(vm, walk, value)) {
            return false;
        }
    }
    return true;
}

static bool add_container(Vm *vm, Walk *walk, Value v)
{
    Type *cls = value_object(v)->type;
    if (cls == vm->types[KIND_LIST]) {
        List *list = value_as_list(v);
        return add_items(vm, walk, 'l', list->items, list->count);
    }
    if (cls == vm->types[KIND_TUPLE]) {
        Tuple *tuple = value_as_tuple(v);
        return add_items(vm, walk, 'u', tuple->items, tuple->count);
    }
    return cls == vm->types[KIND_DICT] ? add_dict(vm, walk, value_as_dict(v))
                                       : add_leaf(vm, walk, v);
}

static bool add_value(Vm *vm, Walk *walk, Value v)
{
    if (!value_is_object(v)) {
        return add_leaf(vm, walk, v);
    }
    if (!ctx_enter(&vm->ctx)) { // a cyclic list ends here
        return false;
    }
    bool ok = add_container(vm, walk, v);
    ctx_leave(&vm->ctx);
    return ok;
}

bool signature_make(Vm *vm, Value host, const Bound *bound, Signature *out)
{
    *out = (Signature){0};
    strbuf_init(&out->key, &vm->ctx);
    strbuf_init(&out->relaxed, &vm->ctx);
    size_t keywords = bound->names != NULL ? bound->names->count : 0;
    tag(out, 'n', (uint64_t)bound->values.count << 32 | keywords);
    for (size_t i = 0; i < keywords; i++) {
        const Str *name = value_as_str(bound->names->items[i]);
        add_text(out, 'k', name->text, name->length);
    }
    for (size_t i = 0; i < bound->values.count; i++) {
        Walk walk = {out, bound_name(host, bound, i)};
        if (!add_value(vm, &walk, bound->values.items[i])) {
            return false;
        }
    }
    return strbuf_ok(&out->key) && strbuf_ok(&out->relaxed);
}

void signature_free(Vm *vm, Signature *signature)
{
    strbuf_free(&signature->key);
    strbuf_free(&signature->relaxed);
    value_vec_free(vm, &signature->tensors);
    value_vec_free(vm, &signature->names);
    value_vec_free(vm, &signature->variables);
    value_vec_free(vm, &signature->objects);
}
