// Symbolic tensors that outlive their trace: seen when they are stored, told
// when they are used.
//
// The owner of a trace's symbolic tensors keeps its graph, its name and the
// stores, so that the error can say where the tensor was made and where it
// was put, however much later it is used.
#include "stager/leak.h"

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/advice.h"
#include "stager/concrete.h"
#include "stager/poison.h"
#include "stager/trace.h"

enum { LEAK_DEPTH = 3, LEAK_ITEMS = 64 }; // how far structures are searched

// The running trace that a symbolic tensor is of, NULL: none, it leaked before.
static const Trace *trace_of(const Vm *vm, const Symbolic *symbolic)
{
    const Trace *trace = vm->trace;
    while (trace != NULL && trace->owner != symbolic->owner) {
        trace = trace->outer;
    }
    return trace;
}

// A walk through what is stored, or only looked at.
typedef struct LeakWalk {
    Vm *vm;
    const Object *container; // NULL: nothing is stored
    bool found;              // a symbolic tensor of the running trace
    int depth;               // of the object whose children are met
} LeakWalk;

// One record for each store; the same tensor may be put in several places.
static void meet(LeakWalk *walk, const Symbolic *symbolic)
{
    const Trace *trace = trace_of(walk->vm, symbolic);
    walk->found |= trace != NULL && trace == walk->vm->trace;
    if (walk->container != NULL && trace != NULL &&
        !era_has(walk->vm, trace->era, walk->container)) {
        event_add(walk->vm, &((TraceOwner *)symbolic->owner)->events,
                  EVENT_LEAK, "", value_from_small(symbolic->value));
    }
}

static void search_items(LeakWalk *walk, const Value *items, size_t count,
                         int depth);

static void search(LeakWalk *walk, Value v, int depth);

static void search_child(Object *child, void *data)
{
    LeakWalk *walk = data;
    search(walk, value_from_object(child), walk->depth + 1);
}

// One that the running trace made.
static void search_object(LeakWalk *walk, Object *object, int depth)
{
    const Trace *trace = walk->vm->trace;
    int outer = walk->depth;
    if (trace != NULL && era_has(walk->vm, trace->era, object)) {
        walk->depth = depth;
        object->type->slots.visit(object, search_child, walk);
        walk->depth = outer;
    }
}

// Structures are searched to a small depth: a store is told, not proved.
static void search(LeakWalk *walk, Value v, int depth)
{
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        meet(walk, value_as_symbolic(v));
        return;
    }
    if (poison_is_value(walk->vm, v)) {
        // What has no choice stands for tensors all the same.
        v = poison_left(walk->vm, v);
        walk->found |= value_unbound(v);
    }
    // Depth also ends cycles.
    if (depth == LEAK_DEPTH || !value_is_object(v)) {
        return;
    }
    if (value_is_kind(v, KIND_INSTANCE)) {
        search_object(walk, value_object(v), depth);
    } else if (value_is_kind(v, KIND_LIST)) {
        List *list = value_as_list(v);
        search_items(walk, list->items, list->count, depth);
    } else if (value_is_kind(v, KIND_TUPLE)) {
        Tuple *tuple = value_as_tuple(v);
        search_items(walk, tuple->items, tuple->count, depth);
    } else if (value_is_kind(v, KIND_DICT)) {
        // A large dict is looked at in part: this is a courtesy, and must cost
        // little.
        uint32_t position = 0;
        Value key, item;
        while (position < LEAK_ITEMS &&
               dict_next(value_as_dict(v), &position, &key, &item)) {
            search(walk, item, depth + 1);
        }
    }
}

// The items of a list or a tuple, as far as they are searched.
static void search_items(LeakWalk *walk, const Value *items, size_t count,
                         int depth)
{
    for (size_t i = 0; i < count && i < LEAK_ITEMS; i++) {
        search(walk, items[i], depth + 1);
    }
}

// The container is older than some trace; which tensors that matters for is
// asked of each.
void leak_store(Vm *vm, const Object *container, Value value)
{
    LeakWalk walk = {.vm = vm, .container = container};
    search(&walk, value, 0);
}

bool leak_holds(Vm *vm, Value value)
{
    LeakWalk walk = {.vm = vm};
    search(&walk, value, 0);
    return walk.found;
}

// NULL while the trace runs: the tensor is at home then.
const char *leak_function(const Symbolic *symbolic)
{
    const TraceOwner *owner = (const TraceOwner *)symbolic->owner;
    return owner->ended ? owner->graph->name : NULL;
}

// Where the tensor was made.
static void describe_origin(StrBuf *out, const TraceOwner *owner,
                            const Symbolic *symbolic)
{
    const GraphNode *node = graph_value(owner->graph, symbolic->value)->node;
    // A param of the graph has no node.
    if (node == NULL) {
        strbuf_puts(out, ", an argument");
    } else if (node->place.source != NULL) {
        strbuf_printf(
            out, ", made at line %u",
            source_place(node->place.source, node->place.span.start).line);
    }
}

// All places, so that the one that matters is among them.
static void describe_stores(StrBuf *out, const TraceOwner *owner,
                            const Symbolic *symbolic)
{
    const char *word = ", stored at line";
    for (size_t i = 0; i < owner->events.events.count; i++) {
        const Event *event = &owner->events.events.items[i];
        if (event->kind != EVENT_LEAK || event->line == 0 ||
            value_small(event->value) != symbolic->value) {
            continue;
        }
        size_t length;
        const char *text = event_text(event, &length);
        strbuf_printf(out, "%s %u", word, event->line);
        if (text != NULL) {
            strbuf_printf(out, " (%.*s)", (int)length, text);
        }
        word = " and line";
    }
}

// Two cases: the trace is over, and the tensor has no value any more; or it
// still runs, and the code at work stands outside it (stage.once, host code).
Value leak_fail(Vm *vm, const char *who, const Symbolic *symbolic)
{
    const TraceOwner *owner = (const TraceOwner *)symbolic->owner;
    char room[ADVICE_ROOM];
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    if (who != NULL) {
        strbuf_printf(&out, "%s: ", who);
    }
    strbuf_printf(&out, "the symbolic tensor '%s' (",
                  advice_spell(vm, symbolic, room));
    tensor_type_print(&out, operand_type(value_from_object(symbolic)));
    if (owner->ended) {
        strbuf_printf(&out, ") leaked from %s", owner->graph->name);
        describe_origin(&out, owner, symbolic);
        describe_stores(&out, owner, symbolic);
        strbuf_puts(&out, "; return it from the staged function instead");
    } else {
        strbuf_printf(&out, ") has no value here: %s is being traced",
                      owner->graph->name);
        describe_origin(&out, owner, symbolic);
    }
    if (strbuf_ok(&out)) {
        raise_error(vm, ERR_LEAK, "%s", strbuf_text(&out));
    }
    strbuf_free(&out);
    return VALUE_FAIL;
}
