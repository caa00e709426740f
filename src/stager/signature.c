// The key of a call: a byte string, so that look-up is one hash.
//
// Invariant: two calls have equal keys only if one trace is right for both.
// Objects enter by the serial of their Identity, which no other object gets.
#include "stager/signature.h"

#include "base/float_bits.h"
#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/stager.h"
#include "stager/trace.h"

// One walk over one argument; all walks of a call add to the same key.
// The same walk is used for calls and, with `specs`, for input signatures, so
// that their keys can be compared.
typedef struct SignatureWalk {
    Signature *out;
    const char *name;  // the parameter being walked
    uint32_t argument; // and its number
    bool specs;        // specs are tensor leaves
} SignatureWalk;

// Nine bytes: what follows is of a kind and a size that these tell.
// In the machine's byte order: keys never leave the process.
static void tag(StrBuf *key, char kind, uint64_t number)
{
    strbuf_putc(key, kind);
    strbuf_add(key, (const char *)&number, sizeof number);
}

// The length goes first, so that no text can look like two.
static void add_text(StrBuf *key, char kind, const char *text, size_t size)
{
    tag(key, kind, size);
    strbuf_add(key, text, size);
}

// Rank and sizes; a rank that is unknown has no sizes.
// A char holds every rank, and -1 for an unknown one.
static void add_type(StrBuf *key, TensorType type)
{
    strbuf_putc(key, (char)type.rank);
    if (type.rank > 0) {
        strbuf_add(key, (const char *)type.dims,
                   (size_t)type.rank * sizeof *type.dims);
    }
}

// A spec speaks of tensors as they are in a trace.
TensorType signature_leaf_type(Value leaf)
{
    return value_is_kind(leaf, KIND_SPEC)
               ? spec_type((const Spec *)value_object(leaf))
               : operand_type(leaf);
}

// What the trace will see, which may be more general than what came.
TensorType signature_type(const Signature *signature, size_t index)
{
    const TensorLeaf *leaf = &signature->tensors.items[index];
    return leaf->pattern != NULL ? spec_type(leaf->pattern)
                                 : signature_leaf_type(leaf->value);
}

// The dtype, and behind it, in a place of their own, rank and sizes, which
// signature_relaxed can leave out. Takes `owned`.
static bool add_tensor(Vm *vm, SignatureWalk *walk, Value owned)
{
    if (value_failed(owned)) {
        return false;
    }
    Signature *out = walk->out;
    TensorType type = signature_leaf_type(owned);
    // A call from inside another trace.
    out->any_symbolic |= value_is_kind(owned, KIND_SYMBOLIC);
    if (vm->trace != NULL && symbolic_is_weak(owned)) {
        vm->trace->weak = true; // in the callee it is a tensor like any other
    }
    tag(&out->key, 't', type.dtype);
    TensorLeaf leaf = {.value = owned,
                       .argument = walk->argument,
                       .type_at = (uint32_t)out->key.length};
    add_type(&out->key, type);
    leaf.type_size = (uint32_t)out->key.length - leaf.type_at;
    if (!vec_push(&vm->ctx, &out->tensors, leaf)) {
        release(vm, owned);
        return false;
    }
    return true;
}

enum { SIGNATURE_FEW = 16 }; // Variables that are found by a search

static bool note_variable(Signature *out, size_t index)
{
    const Object *object = value_object(out->variables.items[index]);
    return map_put(&out->numbers, (const char *)&object, sizeof object, index);
}

// From the few on all of them stand in the map.
static bool push_variable(Vm *vm, Signature *out, Variable *variable)
{
    Value v = value_from_object(object_retain(variable));
    bool ok = structure_push(vm, &out->variables, v);
    size_t count = out->variables.count, from = count - 1;
    if (count == SIGNATURE_FEW + 1) {
        from = 0;
    }
    for (size_t i = from; ok && count > SIGNATURE_FEW && i < count; i++) {
        ok = note_variable(out, i);
    }
    return ok;
}

uint32_t signature_variable(const Signature *signature, Value v)
{
    Variable *variable = variable_identity(value_as_variable(v));
    size_t index = 0, count = signature->variables.count;
    if (count > SIGNATURE_FEW) {
        const uint64_t *found = map_get(
            &signature->numbers, (const char *)&variable, sizeof variable);
        return found != NULL ? (uint32_t)*found : (uint32_t)count;
    }
    while (index < count &&
           value_object(signature->variables.items[index]) != &variable->head) {
        index++;
    }
    return (uint32_t)index;
}

// Ints beyond the immediate range go by their digits: hexadecimal ones are the
// quickest to make.
static bool add_int(Vm *vm, Signature *out, Value v)
{
    if (value_is_int(v)) {
        tag(&out->key, 'i', VALUE_BITS(v));
        return true;
    }
    StrBuf digits;
    strbuf_init(&digits, &vm->ctx);
    int_print(vm, &digits, v, 16);
    bool ok = strbuf_ok(&digits);
    add_text(&out->key, 'I', strbuf_text(&digits), digits.length);
    strbuf_free(&digits);
    return ok;
}

// -0.0 has bits of its own; one trace serves every NaN.
static void add_float(Signature *out, double number)
{
    tag(&out->key, 'f', number != number ? UINT64_MAX : bits_of_double(number));
}

// By identity. False: no memory.
static bool add_object(Vm *vm, Signature *out, StrBuf *key, char kind,
                       Object *object)
{
    Identity *identity = value_identity(vm, value_from_object(object));
    identity = identity != NULL ? identity : identity_of(vm, object);
    if (identity == NULL) {
        return false;
    }
    tag(key, kind, identity->serial);
    return structure_push(vm, &out->objects,
                          value_retain(value_from_object(identity)));
}

// Which Variable it is does not matter, but which arguments are the same one:
// by its number in the order of first appearance f(v, v) and f(v, w) differ.
static bool add_variable(Vm *vm, Signature *out, Value v)
{
    uint32_t index = signature_variable(out, v);
    TensorType type = operand_type(v);
    Type *cls = value_object(v)->type;
    if (cls != vm->types[KIND_VARIABLE] &&
        !add_object(vm, out, &out->key, 'c', &cls->head)) {
        return false;
    }
    uint64_t trainable = value_as_variable(v)->trainable;
    tag(&out->key, 'v', (uint64_t)type.dtype << 33 | trainable << 32 | index);
    add_type(&out->key, type);
    return index < out->variables.count ||
           push_variable(vm, out, variable_identity(value_as_variable(v)));
}

// Numbers, texts and bytes by value. The caller asks structure_is_plain first.
static bool add_plain(Vm *vm, Signature *out, Value v)
{
    if (value_is_integer(v)) {
        return add_int(vm, out, v);
    }
    if (value_is_float(v)) {
        add_float(out, value_float(v));
    } else if (value_is_str(v)) {
        // In a callee's graph it would be the name for good.
        add_text(&out->key, 's', value_as_str(v)->text,
                 value_as_str(v)->length);
        return note_text(vm, value_as_str(v));
    } else {
        add_text(&out->key, 'b', bytes_text(v), bytes_length(v));
    }
    return true;
}

// What a trace was made with, in a pattern: a Variable that it looked at stands
// there as its Identity.
static Value leaf_meant(Vm *vm, Value v)
{
    const Identity *identity = value_identity(vm, v);
    return identity != NULL && identity->kind == KIND_VARIABLE &&
                   identity->object != NULL
               ? value_from_object(identity->object)
               : v;
}

// The order of the questions matters: what has __tensor__ is an instance, and a
// spec is a tensor only in patterns.
// What has __tensor__ is converted here, once, and the leaf keeps the tensor.
static bool add_leaf(Vm *vm, SignatureWalk *walk, Value v)
{
    Signature *out = walk->out;
    v = leaf_meant(vm, v);
    if (structure_is_plain(v)) {
        return add_plain(vm, out, v);
    }
    if (signature_is_variable(v)) {
        return add_variable(vm, out, v);
    }
    // One of a class of the program's is an object of its own.
    if (value_is_kind(v, KIND_VARIABLE)) {
        return add_object(vm, out, &out->key, 'o', value_object(v));
    }
    if (walk->specs && value_is_kind(v, KIND_SPEC)) {
        return add_tensor(vm, walk, value_retain(v));
    }
    if (signature_is_tensor(vm, v)) {
        if (out->converted == NULL && value_is_kind(v, KIND_INSTANCE)) {
            out->converted = walk->name;
        }
        return add_tensor(vm, walk,
                          tensor_from_value(vm, walk->name, v, DT_NONE));
    }
    if (value_is_object(v)) {
        return add_object(vm, out, &out->key, 'o', value_object(v));
    }
    // None, True and the like: their bits are themselves.
    tag(&out->key, 'c', VALUE_BITS(v));
    return true;
}

static bool add_value(Vm *vm, SignatureWalk *walk, Value v,
                      const WalkPath *path);

// Children one after another; their number has been written before.
static bool add_items(Vm *vm, SignatureWalk *walk, const Value *items,
                      size_t count, const WalkPath *path)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = add_value(vm, walk, items[i], path);
    }
    return ok;
}

// Dicts, sets and dataclasses: their keys, then their children.
static bool add_keyed(Vm *vm, SignatureWalk *walk, Value v,
                      const WalkPath *path)
{
    ValueVec keys = {0}, children = {0};
    bool ok = structure_keys(vm, v, &keys);
    tag(&walk->out->key, 'k', keys.count);
    ok = ok && add_items(vm, walk, keys.items, keys.count, path) &&
         structure_children(vm, v, &children) &&
         add_items(vm, walk, children.items, children.count, path);
    structure_free(vm, &keys);
    structure_free(vm, &children);
    return ok;
}

// Kind and class first: [1, 2], (1, 2) and a named tuple of them all differ.
// Counts are written before children, so that nesting is part of the key.
static bool add_structure(Vm *vm, SignatureWalk *walk, Value v,
                          StructureKind kind, const WalkPath *path)
{
    Signature *out = walk->out;
    Type *cls = value_object(v)->type;
    // The kind of the object tells a set from a frozenset.
    tag(&out->key, 'S', (uint64_t)kind << 8 | value_object(v)->kind);
    if (cls->flags & TYPE_HEAP &&
        !add_object(vm, out, &out->key, 'C', &cls->head)) {
        return false;
    }
    if (kind == STRUCTURE_LIST) {
        List *list = value_as_list(v);
        tag(&out->key, 'n', list->count);
        return add_items(vm, walk, list->items, list->count, path);
    }
    if (kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED) {
        Tuple *tuple = value_as_tuple(v);
        tag(&out->key, 'n', tuple->count);
        return add_items(vm, walk, tuple->items, tuple->count, path);
    }
    return add_keyed(vm, walk, v, path);
}

// A cyclic structure is found out by the path rather than followed; one that is
// only deep is bounded by ctx_enter.
static bool add_value(Vm *vm, SignatureWalk *walk, Value v,
                      const WalkPath *path)
{
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_LEAF) {
        return add_leaf(vm, walk, v);
    }
    if (!structure_check_path(vm, path, v) || !ctx_enter(&vm->ctx)) {
        return false;
    }
    WalkPath inner = {value_object(v), path};
    bool ok = add_structure(vm, walk, v, kind, &inner);
    ctx_leave(&vm->ctx);
    return ok;
}

// Where each argument's part ends is kept: errors and stage.why name arguments.
bool signature_make(Vm *vm, Value host, const Bound *bound, bool specs,
                    Signature *out)
{
    *out = (Signature){0};
    strbuf_init(&out->key, &vm->ctx);
    map_init(&out->numbers, &vm->ctx);
    size_t keywords = bound->names != NULL ? bound->names->count : 0;
    // How many arguments there are goes first, and which have names of their
    // own.
    tag(&out->key, 'n', (uint64_t)bound->values.count << 32 | keywords);
    for (size_t i = 0; i < keywords; i++) {
        const Str *name = value_as_str(bound->names->items[i]);
        add_text(&out->key, 'k', name->text, name->length);
    }
    for (size_t i = 0; i < bound->values.count; i++) {
        SignatureWalk walk = {out, bound_name(host, bound, i), (uint32_t)i,
                              specs};
        if (!add_value(vm, &walk, bound->values.items[i], NULL) ||
            !vec_push(&vm->ctx, &out->ends, out->key.length)) {
            return false;
        }
    }
    return strbuf_ok(&out->key);
}

// Right for one that signature_make left half done.
void signature_free(Vm *vm, Signature *signature)
{
    strbuf_free(&signature->key);
    for (size_t i = 0; i < signature->tensors.count; i++) {
        release(vm, signature->tensors.items[i].value);
        object_release_null(&vm->ctx, signature->tensors.items[i].pattern);
    }
    vec_free(&vm->ctx, &signature->tensors);
    vec_free(&vm->ctx, &signature->ends);
    structure_free(vm, &signature->variables);
    structure_free(vm, &signature->objects);
    map_free(&signature->numbers);
}

// Copies the key up to `end`; `*from` is how far it was copied.
static void copy_key(const Signature *signature, size_t *from, size_t end,
                     StrBuf *out)
{
    strbuf_add(out, strbuf_text(&signature->key) + *from, end - *from);
    *from = end;
}

// The key is written anew without the pieces that the leaves point at.
bool signature_relaxed(const Signature *signature, StrBuf *out)
{
    size_t from = 0;
    for (size_t i = 0; i < signature->tensors.count; i++) {
        const TensorLeaf *leaf = &signature->tensors.items[i];
        copy_key(signature, &from, leaf->type_at, out);
        from += leaf->type_size;
    }
    copy_key(signature, &from, signature->key.length, out);
    return strbuf_ok(out);
}

// Splices the patterns' sizes into the key; leaves and ends of arguments move
// with it.
bool signature_generalise(Vm *vm, Signature *signature, Spec *const *patterns)
{
    StrBuf key;
    strbuf_init(&key, &vm->ctx);
    // `from` runs in the old key, the new key's length runs with it; `shift`
    // is how far apart they are.
    size_t from = 0, argument = 0, shift = 0;
    for (size_t i = 0; i < signature->tensors.count; i++) {
        TensorLeaf *leaf = &signature->tensors.items[i];
        // Ends of arguments before this leaf move with what was spliced.
        for (; argument < leaf->argument; argument++) {
            signature->ends.items[argument] += shift;
        }
        copy_key(signature, &from, leaf->type_at, &key);
        from += leaf->type_size;
        leaf->type_at = (uint32_t)key.length;
        add_type(&key, spec_type(patterns[i]));
        leaf->type_size = (uint32_t)key.length - leaf->type_at;
        shift = key.length - from; // may wrap: sums still come out right
        (void)object_retain(patterns[i]);
        object_release_null(&vm->ctx, leaf->pattern);
        leaf->pattern = patterns[i];
    }
    for (; argument < signature->ends.count; argument++) {
        signature->ends.items[argument] += shift;
    }
    copy_key(signature, &from, signature->key.length, &key);
    strbuf_free(&signature->key);
    signature->key = key;
    return strbuf_ok(&key);
}

// Keys in order of insertion, as numbers that tell them apart.
static bool add_dict_order(Vm *vm, const Dict *dict, StrBuf *out)
{
    uint32_t position = 0;
    Value key, value;
    if (dict->count < 2) {
        return true;
    }
    while (dict_next(dict, &position, &key, &value)) {
        uint64_t number = VALUE_BITS(key);
        if (value_is_object(key) && !value_hash(vm, key, &number)) {
            return false;
        }
        tag(out, value_is_object(key) ? 'h' : 'i', number);
    }
    return true;
}

static bool add_order(Vm *vm, Value v, void *out)
{
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_LEAF || kind == STRUCTURE_SET) {
        return true;
    }
    return (kind != STRUCTURE_DICT ||
            add_dict_order(vm, value_as_dict(v), out)) &&
           structure_each(vm, v, add_order, out);
}

static bool add_orders(Vm *vm, const Bound *bound, StrBuf *out)
{
    size_t names = bound->names != NULL ? bound->names->count : 0;
    size_t rest = bound->given != NULL ? bound->given->count : 0;
    for (size_t i = 0; names > 1 && i < names; i++) {
        const Str *name = value_as_str(
            i < names - rest ? bound->names->items[i]
                             : bound->given->items[i - (names - rest)]);
        add_text(out, 'k', name->text, name->length);
    }
    for (size_t i = 0; i < bound->values.count; i++) {
        if (!add_order(vm, bound->values.items[i], out)) {
            return false;
        }
    }
    return true;
}

static bool add_looked(Vm *vm, Signature *signature, Value v, uint8_t looks,
                       StrBuf *out)
{
    Variable *variable = variable_look(value_as_variable(v), looks);
    if ((looks & LOOKS_AT_NAME) != 0) {
        const Str *name = variable->name;
        tag(out, 'n', name != NULL ? name->length : UINT64_MAX);
        strbuf_add(out, name != NULL ? name->text : "",
                   name != NULL ? name->length : 0);
    }
    return (looks & LOOKS_AT_IDENTITY) == 0 ||
           add_object(vm, signature, out, 'o', &variable->head);
}

bool signature_looked(Vm *vm, Signature *signature, const Bound *bound,
                      uint32_t looks, StrBuf *out)
{
    if ((looks & LOOKS_AT_ORDER) != 0 && !add_orders(vm, bound, out)) {
        return false;
    }
    bool ok = true;
    looks &= LOOKS_AT_NAME | LOOKS_AT_IDENTITY;
    for (size_t i = 0; looks != 0 && ok && i < signature->variables.count;
         i++) {
        ok = add_looked(vm, signature, signature->variables.items[i],
                        (uint8_t)looks, out);
    }
    return ok && strbuf_ok(out);
}

// Behind everything else, so that the parts of the arguments stay where they
// are.
bool signature_add_looked(Signature *signature, const StrBuf *looked)
{
    add_text(&signature->key, 'O', strbuf_text(looked), looked->length);
    return strbuf_ok(&signature->key);
}
