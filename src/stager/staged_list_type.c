// What a program can do with a staged list.
//
// Invariant: an operation either replaces all parts of the list or, with an
// error pending, none.
#include "stager/staged_list.h"

#include <stdio.h>

#include "graph/build.h"
#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/describe.h"
#include "stager/events.h"
#include "stager/late_error.h"
#include "stager/merge.h"
#include "stager/structure.h"
#include "stager/weak.h"

#define CAN_DO                                                                 \
    "tensors decide how long this list is; use append, extend, insert, pop, "  \
    "clear, reverse, copy, +, * of an int, del, items and slices, len, for "   \
    "statements and stack"

static Value fail_use(Vm *vm, const char *what)
{
    return raise_error(vm, ERR_SYMBOLIC, "%s: " CAN_DO, what);
}

static bool fail_use_false(Vm *vm, const char *what)
{
    (void)fail_use(vm, what);
    return false;
}

// --- operations ---

// The parts become these, which are taken.
static void replace_parts(Vm *vm, Value self, ValueVec *parts)
{
    List *list = value_as_list(self);
    for (size_t i = 0; i < parts->count; i++) {
        value_replace(&vm->ctx, &list->items[i + 1],
                      value_retain(parts->items[i]));
    }
    structure_free(vm, parts);
}

// A leaf as an element of that list. Eager lists take any: no error of dtypes.
static Value as_element(Vm *vm, const char *who, Value list, Value leaf)
{
    DType dtype = dtype_element((DType)value_as_symbolic(list)->dtype);
    if (!list_form_takes(dtype, weak_is_number(list), leaf)) {
        return raise_error(vm, ERR_SYMBOLIC,
                           "%s: tensors decide how long this list is, and its "
                           "elements are of dtype %s: cast, or put elements of "
                           "one dtype into it from the start",
                           who, dtype_name(dtype));
    }
    if (weak_is_number(leaf)) {
        event_tensor(vm, leaf);
    }
    if (value_is_operand(leaf) && operand_type(leaf).dtype != dtype) {
        NamedAttr attr = {"dtype", attr_of_dtype(dtype)};
        return tensor_call(vm, "cast", &leaf, 1, &attr, 1);
    }
    return tensor_from_value(vm, who, leaf, dtype);
}

static bool split_item(Vm *vm, const char *who, Value self, Value item,
                       ValueVec *leaves)
{
    const Value *parts = staged_list_parts(self);
    int fits = list_form_split(vm, parts[0], item, leaves);
    char own[72];
    if (fits != 0) {
        return fits > 0;
    }
    return describe_value(vm, item, own, sizeof own) &&
           raise_false(vm, ERR_SYMBOLIC,
                       "%s: tensors decide how long this list is, and its "
                       "elements are of another form than %s: put tensors, "
                       "numbers, or tuples of one form into it",
                       who, own);
}

// `index` UNBOUND: at the end. The list with one more element, or another one.
static bool put_item(Vm *vm, const char *who, Value self, Value index,
                     Value item)
{
    ValueVec leaves = {0}, made = {0};
    const Value *parts = staged_list_parts(self);
    bool ok = staged_list_lives(vm, who, self) &&
              split_item(vm, who, self, item, &leaves) &&
              note_store(vm, value_object(self), item);
    for (size_t i = 0; ok && i < leaves.count; i++) {
        Value list = parts[i + 1];
        Value element = as_element(vm, who, list, leaves.items[i]);
        bool append = value_unbound(index);
        Value inputs[3] = {list, append ? element : index, element};
        Value grown =
            value_failed(element)
                ? element
                : apply_one(vm, append ? OP_LIST_APPEND : OP_LIST_WRITE, inputs,
                            append ? 2 : 3, NULL);
        weak_join(vm, grown, list, leaves.items[i]);
        release(vm, element);
        ok = structure_push(vm, &made, grown);
    }
    if (ok) {
        replace_parts(vm, self, &made);
    }
    structure_free(vm, &made);
    structure_free(vm, &leaves);
    return ok;
}

// A number, a tensor of one int; owned. A slice or anything else is refused.
static Value as_index(Vm *vm, Value key)
{
    if (value_is_bool(key) || value_is_int(key)) {
        int64_t i =
            value_is_int(key) ? value_small(key) : value_same(key, VALUE_TRUE);
        return tensor_from_value(vm, "list", value_from_small(i), DT_INT32);
    }
    if (value_is_kind(key, KIND_VARIABLE)) {
        return variable_read(vm, value_as_variable(key));
    }
    return value_is_operand(key) ? symbolic_counted(vm, key)
                                 : fail_use(vm, "a slice of a list");
}

static Value copy_of(Vm *vm, Value self)
{
    return staged_list_new(vm, staged_list_parts(self),
                           staged_list_count(self));
}

static Value get_item(Vm *vm, Value self, Value key)
{
    if (value_is_kind(key, KIND_SLICE)) {
        const Slice *slice = (const Slice *)value_object(key);
        int64_t step = value_is_none(slice->step)  ? 1
                       : value_is_int(slice->step) ? value_small(slice->step)
                                                   : 0;
        return step != 0 ? staged_list_slice(vm, self, slice->start,
                                             slice->stop, step)
               : value_is_int(slice->step)
                   ? raise_error(vm, ERR_VALUE, "slice step cannot be zero")
                   : fail_use(vm, "a slice of a list by a step that is no int");
    }
    Value index = as_index(vm, key);
    if (value_failed(index)) {
        return index;
    }
    ValueVec leaves = {0};
    const Value *parts = staged_list_parts(self);
    bool ok = true;
    for (size_t i = 1; ok && i < staged_list_count(self); i++) {
        Value inputs[2] = {parts[i], index};
        Value read = apply_one(vm, OP_LIST_READ, inputs, 2, NULL);
        weak_join(vm, read, parts[i], parts[i]);
        ok = structure_push(vm, &leaves, read);
    }
    Value item = ok ? list_form_join(vm, parts[0], leaves.items) : VALUE_FAIL;
    structure_free(vm, &leaves);
    release(vm, index);
    return item;
}

// The element, which goes; by `del` an error has other words.
static Value take_item(Vm *vm, Value self, Value key, bool deletes)
{
    bool last = !deletes && value_is_int(key) && value_small(key) == -1;
    Value index = last ? VALUE_NONE : as_index(vm, key);
    if (value_failed(index)) {
        return index;
    }
    ValueVec lists = {0}, leaves = {0};
    AttrValue attrs[OP_MAX_ATTRS] = {{.kind = ATTR_BOOL, .boolean = deletes}};
    bool ok = note_store(vm, value_object(self), VALUE_UNBOUND);
    const Value *parts = staged_list_parts(self);
    for (size_t i = 1; ok && i < staged_list_count(self); i++) {
        Value made[OP_MAX_OUTPUTS], inputs[2] = {parts[i], index};
        uint32_t outputs = OP_MAX_OUTPUTS;
        ok = last ? apply(vm, OP_LIST_POP, inputs, 1, NULL, made, &outputs)
                  : apply(vm, OP_LIST_TAKE, inputs, 2, attrs, made, &outputs);
        if (ok) {
            weak_join(vm, made[0], parts[i], parts[i]);
            weak_join(vm, made[1], parts[i], parts[i]);
            ok = structure_push(vm, &lists, made[0]);
            ok = structure_push(vm, &leaves, made[1]) && ok;
        }
    }
    Value item = ok ? list_form_join(vm, parts[0], leaves.items) : VALUE_FAIL;
    if (!value_failed(item)) {
        replace_parts(vm, self, &lists);
    }
    structure_free(vm, &lists);
    structure_free(vm, &leaves);
    release(vm, index);
    return item;
}

static bool set_item(Vm *vm, Value self, Value key, Value value)
{
    if (value_is_kind(key, KIND_SLICE)) {
        const Slice *slice = (const Slice *)value_object(key);
        return (value_is_none(slice->step) ||
                value_same(slice->step, value_from_small(1)))
                   ? staged_list_set_slice(vm, self, slice, value)
                   : fail_use_false(vm, "a slice of a list by a step");
    }
    if (value_unbound(value)) {
        Value gone = take_item(vm, self, key, true);
        release(vm, gone);
        return !value_failed(gone);
    }
    Value index = as_index(vm, key);
    bool ok = !value_failed(index) &&
              put_item(vm, "item of a list", self, index, value);
    release(vm, index);
    return ok;
}

// A number of the host's in eager code: it takes the dtype of what it meets.
static Value size_of(Vm *vm, Value self)
{
    Value size =
        apply_one(vm, OP_LIST_SIZE, &staged_list_parts(self)[1], 1, NULL);
    if (!value_failed(size)) {
        value_as_symbolic(size)->weak = true;
    }
    return size;
}

// How the size compares with 0.
static Value size_to_none(Vm *vm, Value self, CompareOp op)
{
    Value size = size_of(vm, self);
    Value answer = value_failed(size)
                       ? size
                       : tensor_compare(vm, op, size, value_from_small(0));
    release(vm, size);
    return answer;
}

static bool extend(Vm *vm, Value self, Value items)
{
    if (staged_list_is(vm, items)) {
        Value both = staged_list_joined(vm, "extend", self, items);
        return staged_list_become(vm, self, both);
    }
    Tuple *all = value_to_tuple(vm, items);
    bool ok = all != NULL;
    for (size_t i = 0; ok && i < all->count; i++) {
        ok = put_item(vm, "extend", self, VALUE_UNBOUND, all->items[i]);
    }
    object_release_null(&vm->ctx, all);
    return ok;
}

// --- methods ---

static Value method_append(Vm *vm, Value *args)
{
    return value_done(put_item(vm, "append", args[0], VALUE_UNBOUND, args[1]));
}

static Value method_extend(Vm *vm, Value *args)
{
    return value_done(extend(vm, args[0], args[1]));
}

// Whether it is the length of the list as it is now.
static bool is_end(Vm *vm, Value self, Value index)
{
    if (!value_is_kind(index, KIND_SYMBOLIC) || vm->trace == NULL) {
        return false;
    }
    ValueId id = trace_operand(vm, vm->trace, index);
    ValueId list =
        id == VALUE_ID_NONE
            ? id
            : trace_operand(vm, vm->trace, staged_list_parts(self)[1]);
    const GraphNode *node =
        list == VALUE_ID_NONE ? NULL : graph_value(vm->trace->graph, id)->node;
    return node != NULL && node->op == OP_LIST_SIZE && node->inputs[0] == list;
}

// What stands before the place, the element, what stands behind it.
static Value method_insert(Vm *vm, Value *args)
{
    Value self = args[0], at = args[1];
    if (is_end(vm, self, at)) {
        return value_done(put_item(vm, "insert", self, VALUE_UNBOUND, args[2]));
    }
    Value head = vm_has_error(vm)
                     ? VALUE_FAIL
                     : staged_list_slice(vm, self, VALUE_NONE, at, 1);
    Value tail = value_failed(head)
                     ? head
                     : staged_list_slice(vm, self, at, VALUE_NONE, 1);
    bool ok = !value_failed(tail) &&
              put_item(vm, "insert", head, VALUE_UNBOUND, args[2]) &&
              staged_list_become(vm, self,
                                 staged_list_joined(vm, "insert", head, tail));
    release(vm, head);
    release(vm, tail);
    return value_done(ok);
}

static Value method_pop(Vm *vm, Value *args)
{
    Value last = value_from_small(-1);
    return take_item(vm, args[0], value_unbound(args[1]) ? last : args[1],
                     false);
}

static Value method_clear(Vm *vm, Value *args)
{
    Value none =
        staged_list_slice(vm, args[0], VALUE_NONE, value_from_small(0), 1);
    return value_done(staged_list_become(vm, args[0], none));
}

static Value method_reverse(Vm *vm, Value *args)
{
    Value back = staged_list_slice(vm, args[0], VALUE_NONE, VALUE_NONE, -1);
    return value_done(staged_list_become(vm, args[0], back));
}

static Value method_copy(Vm *vm, Value *args)
{
    return copy_of(vm, args[0]);
}

static Value method_len(Vm *vm, Value *args)
{
    return size_of(vm, args[0]);
}

static Value method_get_item(Vm *vm, Value *args)
{
    return get_item(vm, args[0], args[1]);
}

// For staged loops (for_source.c): how many turns, and the item of one. It is
// read from a copy; that the loop does not change the list is seen to there.
static Value method_items(Vm *vm, Value *args)
{
    Value copy = copy_of(vm, args[0]);
    Value pair[2] = {VALUE_FAIL, VALUE_FAIL};
    if (!value_failed(copy)) {
        pair[0] = size_of(vm, copy);
        pair[1] = value_get_attr(vm, copy, vm->names[NAME_GETITEM]);
        release(vm, copy);
    }
    return tuple_of_owned(vm, pair, 2);
}

// stack([]) is refused by the host; the graph finds out when it runs.
static bool refuse_empty(Vm *vm, Value self)
{
    Value some = size_to_none(vm, self, COMPARE_GT);
    Str *text = str_from(vm, "stack: 0 operands given, takes 1");
    Value message = value_or_fail(text);
    Value error =
        value_failed(some) || text == NULL
            ? VALUE_FAIL
            : vm_call(vm, value_from_object(vm->error_types[ERR_TYPE]),
                      &message, 1);
    ValueId id = value_failed(error) ? VALUE_ID_NONE
                                     : trace_operand(vm, vm->trace, some);
    bool ok = id != VALUE_ID_NONE &&
              late_error_append(vm, error, id, trace_place(vm));
    release(vm, some);
    release(vm, error);
    object_release_null(&vm->ctx, text);
    return ok;
}

static Value method_tensor(Vm *vm, Value *args)
{
    const Value *parts = staged_list_parts(args[0]);
    if (!value_same(parts[0], VALUE_ELLIPSIS)) {
        return fail_use(vm, "a tensor of a list of tuples");
    }
    return refuse_empty(vm, args[0])
               ? apply_one(vm, OP_LIST_STACK, &parts[1], 1, NULL)
               : VALUE_FAIL;
}

static const NativeDef methods[] = {
    {"append", "self, object, /", method_append, "Adds at the end."},
    {"extend", "self, iterable, /", method_extend, "Adds all at the end."},
    {"insert", "self, index, object, /", method_insert, "Before a place."},
    {"pop", "self, index=-1, /", method_pop, "Takes one out."},
    {"clear", "self, /", method_clear, "Takes all out."},
    {"reverse", "self, /", method_reverse, "Turns it round."},
    {"copy", "self, /", method_copy, "A list of the same elements."},
    {"__len__", "self, /", method_len, "len(self), a tensor."},
    {"__getitem__", "self, index, /", method_get_item, "self[index]."},
    {"__stage_items__", "self, /", method_items, "How a loop walks it."},
    {"__stage_read__", "self, index, shape, /", staged_list_read_method,
     "An element."},
    {"__stage_write__", "self, index, object, /", staged_list_write_method,
     "Puts an element in the place of another."},
    {"__stage_stack__", "self, shape, /", staged_list_stack_method,
     "The elements along a new axis."},
    {"__stage_join__", "self, shape, /", staged_list_join_method,
     "The elements along their first axis."},
    {"__stage_resize__", "self, size, /", staged_list_resize_method,
     "Makes it longer or shorter."},
    {"__stage_split__", "self, tensor, lengths, /", staged_list_split_method,
     "Makes it the parts of a tensor."},
    {"__tensor__", "self, /", method_tensor, "The elements, stacked."},
    {NULL, NULL, NULL, NULL},
};

// --- slots ---

static Value get_attr(Vm *vm, Value self, Str *name)
{
    if (name == vm->names[NAME_CLASS]) {
        return value_from_object(object_retain(vm->types[KIND_LIST]));
    }
    Value own = type_lookup(vm, type_of(vm, self), name);
    if (!value_unbound(own)) {
        return value_failed(own) ? own : attr_get_generic(vm, self, name);
    }
    char what[80];
    snprintf(what, sizeof what, "list.%.60s", name->text);
    return fail_use(vm, what);
}

static Value show(Vm *vm, Value self)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    const Value *parts = staged_list_parts(self);
    for (size_t i = 1; i < staged_list_count(self); i++) {
        strbuf_puts(&out, i == 1 ? "<" : ", ");
        tensor_type_print(&out, operand_type(parts[i]));
    }
    strbuf_puts(&out, ">");
    return value_or_fail(str_from_buf(vm, &out));
}

static Value show_format(Vm *vm, Value self, Str *spec)
{
    return spec->length == 0 ? show(vm, self)
                             : fail_use(vm, "a format of a list");
}

static int64_t length(Vm *vm, Value self)
{
    (void)self;
    (void)fail_use(vm, "the length of a list, asked by host code");
    return -1;
}

static int truth(Vm *vm, Value self)
{
    (void)self;
    (void)fail_use(vm, "the truth of a list, asked by host code");
    return -1;
}

// bool(l), and conditions.
static Value traced_cast(Vm *vm, Value self, const Type *to)
{
    return to == vm->bool_type ? size_to_none(vm, self, COMPARE_NE)
                               : VALUE_UNBOUND;
}

static Value compare(Vm *vm, CompareOp op, Value a, Value b)
{
    (void)op;
    (void)a;
    (void)b;
    return fail_use(vm, "a comparison of lists");
}

// l + [x, y], [x] + l and l * 2 are new lists.
static Value binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (op == BINARY_MUL && (value_is_int(a) || value_is_int(b))) {
        return value_is_int(a) ? staged_list_repeated(vm, b, value_small(a))
                               : staged_list_repeated(vm, a, value_small(b));
    }
    if (op != BINARY_ADD || !staged_list_fits(vm, a) ||
        !staged_list_fits(vm, b)) {
        return staged_list_is(vm, a) && value_is_operand(b)
                   ? VALUE_NOT_IMPLEMENTED
                   : fail_use(vm, "an operator on a list");
    }
    return staged_list_joined(vm, "a sum of lists", a, b);
}

static Value inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool ok = op == BINARY_ADD ? extend(vm, a, b)
              : op == BINARY_MUL
                  ? staged_list_become(vm, a, binary(vm, op, a, b))
                  : fail_use_false(vm, "an operator on a list");
    return ok ? value_retain(a) : VALUE_FAIL;
}

static int contains(Vm *vm, Value self, Value item)
{
    (void)self;
    (void)item;
    (void)fail_use(vm, "'in' of a list");
    return -1;
}

static Value iter(Vm *vm, Value self)
{
    (void)self;
    return fail_use(vm, "a list, walked by host code");
}

// A loop of the host that was walking the list when it was staged.
static Value next(Vm *vm, Value self)
{
    (void)self;
    return fail_use(vm, "a list that changed while a loop walks it");
}

static void destroy(Vm *vm, Object *self)
{
    ((List *)self)->count = ((List *)self)->capacity;
    vm->types[KIND_LIST]->slots.destroy(vm, self);
}

static void visit_parts(Object *self, void (*visit)(Object *child, void *data),
                        void *data)
{
    const List *list = (const List *)self;
    for (size_t i = 0; i < list->capacity; i++) {
        if (value_is_object(list->items[i])) {
            visit(value_object(list->items[i]), data);
        }
    }
}

// The lists of a graph and a pattern of tuples form no cycle by themselves.
static void clear(Vm *vm, Object *self)
{
    List *list = (List *)self;
    for (size_t i = 0; i < list->capacity; i++) {
        value_replace(&vm->ctx, &list->items[i], VALUE_NONE);
    }
}

const TypeDef staged_list_type_def = {
    .name = "list",
    .doc = "A list whose length tensors decide.",
    .kind = KIND_OPAQUE,
    .size = sizeof(List),
    .flags = TYPE_FINAL | TYPE_TRACKED | TYPE_UNHASHABLE,
    .slots = {.destroy = destroy,
              .visit = visit_parts,
              .clear = clear,
              .repr = show,
              .str = show,
              .format = show_format,
              .compare = compare,
              .binary = binary,
              .inplace = inplace,
              .truth = truth,
              .length = length,
              .get_item = get_item,
              .set_item = set_item,
              .contains = contains,
              .iter = iter,
              .next = next,
              .traced_cast = traced_cast,
              .get_attr = get_attr},
    .methods = methods,
};
