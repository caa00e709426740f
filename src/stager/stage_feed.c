// Feeds as objects. See stage_feed.h.
//
// Invariant: the tensors that the feed's thread reads are held here until it
// has ended.
#include "stager/stage_feed.h"

#include "backend/feed.h"
#include "interp/core/memory.h"
#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/stager.h"

typedef struct FeedObject {
    Object head;
    Feed *feed;
    Value held;    // a tuple of what its thread reads, or UNBOUND
    bool is_begun; // its thread runs
    bool broken;
} FeedObject;

// The head of a native function; the rows of feed_methods name it.
#define FEED_BODY(name) static Value feed_object_##name(Vm *vm, Value *args)

Value stage_feed_method(Vm *vm, Value *args)
{
    (void)args;
    FeedObject *self = object_new(vm, stager_of(vm)->feed_type, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->feed = feed_new();
    self->held = VALUE_UNBOUND;
    self->is_begun = self->broken = false;
    if (self->feed == NULL) {
        object_release(&vm->ctx, self);
        return raise_error(vm, ERR_MEMORY, "no feed");
    }
    return value_from_object(self);
}

// Its feed while it may still be changed.
static Feed *feed_of(Vm *vm, Value self)
{
    FeedObject *object = (FeedObject *)value_object(self);
    return object->is_begun
               ? raise_null(vm, ERR_RUNTIME, "the feed has been started")
               : object->feed;
}

// The strings of a list, borrowed; the array is the caller's, who frees so
// many. NULL: an error is pending.
static const char **texts_of(Vm *vm, Value list, size_t *count)
{
    if (!value_is_kind(list, KIND_LIST)) {
        return raise_null(vm, ERR_TYPE, "a feed's files come in a list");
    }
    *count = value_as_list(list)->count;
    const char **texts = ctx_alloc(&vm->ctx, (*count + 1) * sizeof *texts);
    for (size_t i = 0; texts != NULL && i < *count; i++) {
        Value text = value_as_list(list)->items[i];
        if (!value_is_str(text)) {
            ctx_free(&vm->ctx, texts, (*count + 1) * sizeof *texts);
            return raise_null(vm, ERR_TYPE, "a file's name is a str");
        }
        texts[i] = value_as_str(text)->text;
    }
    return texts;
}

static Value add_files(Vm *vm, Value *args, FeedFile kind)
{
    size_t count;
    Feed *feed = feed_of(vm, args[0]);
    const char **texts = feed == NULL ? NULL : texts_of(vm, args[1], &count);
    if (texts == NULL) {
        return VALUE_FAIL;
    }
    bool ok = feed_files(feed, kind, texts, count);
    ctx_free(&vm->ctx, texts, (count + 1) * sizeof *texts);
    return value_from_bool(ok);
}

FEED_BODY(lines)
{
    return add_files(vm, args,
                     value_same(args[2], VALUE_TRUE) ? FEED_WHOLE : FEED_LINES);
}

FEED_BODY(records)
{
    return add_files(vm, args, FEED_RECORDS);
}

// rows(tensors, order): the tensors and, if it is no None, the order in one
// tuple, which is held.
FEED_BODY(rows)
{
    FeedObject *self = (FeedObject *)value_object(args[0]);
    Tensor *tensors[FEED_LEAVES + 1];
    Feed *feed = feed_of(vm, args[0]);
    if (feed == NULL) {
        return VALUE_FAIL;
    }
    if (!value_is_kind(args[1], KIND_TUPLE) || !value_unbound(self->held)) {
        return raise_error(vm, ERR_TYPE, "a feed's rows come in one tuple");
    }
    const Tuple *given = value_as_tuple(args[1]);
    if (given->count > FEED_LEAVES) {
        return VALUE_FALSE;
    }
    for (size_t i = 0; i < given->count; i++) {
        if (!value_is_tensor(given->items[i])) {
            return VALUE_FALSE;
        }
        tensors[i] = value_as_tensor(given->items[i]);
    }
    self->held = value_retain(args[1]);
    bool ordered = value_same(args[2], VALUE_TRUE);
    uint32_t count = (uint32_t)given->count - ordered;
    return value_from_bool(
        feed_rows(feed, tensors, count, ordered ? tensors[count] : NULL));
}

FEED_BODY(batch)
{
    int64_t size;
    Feed *feed = feed_of(vm, args[0]);
    if (feed == NULL || !value_to_index(vm, args[1], &size)) {
        return VALUE_FAIL;
    }
    return value_from_bool(
        size > 0 && feed_batch(feed, size, value_same(args[2], VALUE_TRUE)));
}

// The leaves' numbers in a list. False: there are too many, or an error is
// pending.
static bool numbers_of(Vm *vm, Value list, uint32_t *numbers, uint32_t *count)
{
    if (!value_is_kind(list, KIND_LIST) ||
        value_as_list(list)->count > FEED_LEAVES) {
        return false;
    }
    *count = (uint32_t)value_as_list(list)->count;
    for (uint32_t i = 0; i < *count; i++) {
        int64_t number;
        if (!value_to_index(vm, value_as_list(list)->items[i], &number)) {
            return false;
        }
        numbers[i] = number >= 0 && number < FEED_LEAVES ? (uint32_t)number
                                                         : FEED_LEAVES;
    }
    return true;
}

FEED_BODY(map)
{
    uint32_t inputs[FEED_LEAVES], outputs[FEED_LEAVES];
    uint32_t input_count, output_count;
    Feed *feed = feed_of(vm, args[0]);
    if (feed == NULL) {
        return VALUE_FAIL;
    }
    if (!value_is_kind(args[1], KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE, "a feed's graph comes as bytes");
    }
    if (!numbers_of(vm, args[2], inputs, &input_count) ||
        !numbers_of(vm, args[3], outputs, &output_count)) {
        return ctx_failed(&vm->ctx) ? VALUE_FAIL : VALUE_FALSE;
    }
    return value_from_bool(feed_map(feed, bytes_text(args[1]),
                                    bytes_length(args[1]), inputs, input_count,
                                    outputs, output_count));
}

FEED_BODY(start)
{
    FeedObject *self = (FeedObject *)value_object(args[0]);
    int64_t ahead, width;
    Feed *feed = feed_of(vm, args[0]);
    if (feed == NULL || !value_to_index(vm, args[1], &ahead) ||
        !value_to_index(vm, args[2], &width)) {
        return VALUE_FAIL;
    }
    if (ahead < 1 || width < 1 || ahead > FEED_AHEAD_MOST / width) {
        return raise_error(vm, ERR_VALUE, "a feed keeps 1 to %d elements",
                           FEED_AHEAD_MOST);
    }
    self->is_begun = feed_start(feed, (uint32_t)ahead, (uint32_t)width);
    return value_from_bool(self->is_begun);
}

static Value feed_iter(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(self);
}

// A tuple of the element's leaves.
static Value feed_object_next(Vm *vm, Value value)
{
    FeedObject *self = (FeedObject *)value_object(value);
    Tensor *leaves[FEED_LEAVES];
    uint32_t count;
    FeedState state = self->is_begun
                          ? feed_next(self->feed, &vm->ctx, leaves, &count)
                          : FEED_BROKEN;
    if (state != FEED_MADE) {
        self->broken = state == FEED_BROKEN;
        return state == FEED_INTERRUPTED ? VALUE_FAIL : VALUE_STOP;
    }
    Value items[FEED_LEAVES];
    for (uint32_t i = 0; i < count; i++) {
        items[i] = value_from_object(leaves[i]);
    }
    Tuple *tuple = tuple_from(vm, items, count);
    for (uint32_t i = 0; i < count; i++) {
        value_release(&vm->ctx, items[i]);
    }
    return value_or_fail(tuple);
}

static Value member_broken(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(((const FeedObject *)value_object(self))->broken);
}

// The thread first: it reads what is held.
static void feed_destroy(Vm *vm, Object *self)
{
    FeedObject *object = (FeedObject *)self;
    feed_free(object->feed);
    value_release(&vm->ctx, object->held);
    object_free(vm, self, sizeof *object);
}

static const NativeDef feed_methods[] = {
    {"lines", "self, paths, whole=False, /", feed_object_lines,
     "The lines of files are its source; whole: with their ends."},
    {"records", "self, paths, /", feed_object_records,
     "The records of TFRecord files are its source."},
    {"rows", "self, tensors, ordered=False, /", feed_object_rows,
     "The rows of tensors are its source; ordered: those that the last one "
     "names."},
    {"batch", "self, size, drop_remainder, /", feed_object_batch,
     "Stacks so many elements of those so far."},
    {"map", "self, graph, inputs, outputs, /", feed_object_map,
     "Runs a packed graph on each: inputs[i] is the leaf of its input i, "
     "outputs[i] that of its output i."},
    {"start", "self, ahead, width, /", feed_object_start,
     "Starts the thread. False, like the others: this cannot be done so."},
    {NULL, NULL, NULL, NULL},
};

static const MemberDef feed_members[] = {
    {"broken", member_broken, NULL,
     "Whether it ended because its thread could not go on."},
    {NULL, NULL, NULL, NULL},
};

// Not tracked: a tuple of tensors holds nothing that could hold it.
const TypeDef feed_type_def = {
    .name = "feed",
    .doc = "Elements of a dataset that a thread makes ahead of time.",
    .kind = KIND_OPAQUE,
    .size = sizeof(FeedObject),
    .flags = TYPE_FINAL,
    .slots = {.destroy = feed_destroy,
              .iter = feed_iter,
              .next = feed_object_next},
    .methods = feed_methods,
    .members = feed_members,
};
