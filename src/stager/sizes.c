// Sizes of symbolic tensors that host code has read.
#include "stager/sizes.h"

#include <string.h>

#include "interp/core/raise.h"
#include "stager/blocks.h"
#include "stager/events.h"
#include "stager/loops.h"

static const char member[] = ".shape";

static bool ends_in(const char *text, int length, const char *end)
{
    int size = (int)strlen(end);
    return length >= size &&
           memcmp(text + length - size, end, (size_t)size) == 0;
}

// The axis in `x.shape[axis]`, as the running code has it; -1: another
// expression, which may use all of the shape.
static int read_axis(const GraphPlace *place, int rank)
{
    const char *text = place->source->text + place->span.start;
    int length = (int)(place->span.end - place->span.start);
    if (!ends_in(text, length, member) || text[length] != '[') {
        return -1;
    }
    const char *digit = text + length + 1;
    bool negative = *digit == '-';
    digit += negative;
    if (*digit < '0' || *digit > '9' || digit[1] != ']') {
        return -1;
    }
    int axis = negative ? rank - (*digit - '0') : *digit - '0';
    return axis >= 0 && axis < rank ? axis : -1;
}

static int count_known(TensorType type, int axis)
{
    int known = 0;
    for (int i = 0; i < type.rank; i++) {
        known += (axis < 0 || axis == i) && type.dims[i] != DIM_UNKNOWN;
    }
    return known;
}

// The trace under way that made the tensor, which a staged function within it
// may read; NULL: it has leaked, which is told by whoever uses it.
static Trace *trace_of(const Vm *vm, const Symbolic *tensor)
{
    Trace *trace = vm->trace;
    while (trace != NULL && trace->owner != tensor->owner) {
        trace = trace->outer;
    }
    return trace;
}

int sizes_read(Vm *vm, Value symbolic, int axis)
{
    const Symbolic *tensor = value_as_symbolic(symbolic);
    Trace *trace = trace_of(vm, tensor);
    if (trace == NULL) {
        return 0;
    }
    TensorType type = operand_type(symbolic);
    if (axis == TOLD_RULE) {
        trace->graph->shaped += count_known(type, -1) > 0;
        return 0;
    }
    // The program reckons with sizes, the library asks what is known.
    bool number = axis >= 0 || !trace_in_library(vm);
    if (axis < 0 && !shape_is_static(type.rank, type.dims)) {
        bool late = number && (axis != TOLD_SHAPE || type.rank != RANK_UNKNOWN);
        event_add(vm, trace->events, late ? EVENT_LATE : EVENT_SIZE, "",
                  VALUE_NONE);
    }
    GraphTold told = {.value = tensor->value,
                      .place = trace_place_in(vm, trace)};
    if (told.place.source == NULL) {
        return number; // not asked by code of the program
    }
    told.axis = axis < 0 ? read_axis(&told.place, type.rank) : axis;
    told.known = count_known(type, told.axis);
    return told.place.site != GRAPH_SITE_FAILED &&
                   (told.known == 0 || graph_tell(trace->graph, told))
               ? number
               : -1;
}

// The cure is spelled with the program's own `x` of `x.shape` and `len(x)`.
static bool fail_size(Vm *vm, const Graph *graph, const GraphPlace *place)
{
    const char *text = place->source->text + place->span.start;
    int length = (int)(place->span.end - place->span.start);
    const char *tensor = "x";
    int size = 1;
    if (ends_in(text, length, member)) {
        tensor = text;
        size = length - (int)strlen(member);
    } else if (length > 5 && strncmp(text, "len(", 4) == 0 &&
               text[length - 1] == ')') {
        tensor = text + 4;
        size = length - 5;
    }
    raise_error(vm, ERR_SYMBOLIC,
                "%.*s: the loop changes this size, and the host was told that "
                "of its first turn; shape_of(%.*s)[axis] is that of each turn",
                length, text, size, tensor);
    trace_point(vm, graph, place->site);
    return false;
}

// A size that the body was built with counts no more.
static bool fail_grown(Vm *vm, const StagedBlock *block)
{
    return raise_false(vm, ERR_SYMBOLIC,
                       "the loop at line %u changes a size of its state, by "
                       "which operations of its body were built, and an effect "
                       "in it cannot be done twice for another trace: do that "
                       "outside of the loop, or give the size as None in a "
                       "signature",
                       (unsigned)block_line(block));
}

// Whether what was told, from number `first` on, still is so.
static bool check_told(Vm *vm, const Graph *graph, size_t first)
{
    bool same = true;
    for (size_t i = first; same && i < graph->told.count; i++) {
        const GraphTold *told = &graph->told.items[i];
        TensorType type = graph_type(graph, told->value);
        same = count_known(type, told->axis) == told->known ||
               fail_size(vm, graph, &told->place);
    }
    return same;
}

// The same of a callee that takes other sizes now.
static bool check_callee(Vm *vm, const StagedBlock *block, const Graph *callee)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = (callee->shaped == 0 || fail_grown(vm, block)) &&
              check_told(vm, callee, 0);
    for (size_t i = 0; ok && i < callee->callees.count; i++) {
        const Graph *inner = callee->callees.items[i];
        ok = !inner->widened || check_callee(vm, block, inner);
    }
    ctx_leave(&vm->ctx);
    return ok;
}

int sizes_check(Vm *vm, const StagedBlock *block, bool grown, bool again)
{
    const Graph *graph = vm->trace->graph;
    const StagedLoop *loop = block->loop;
    for (size_t i = loop->first_callee; i < graph->callees.count; i++) {
        grown = grown || graph->callees.items[i]->widened;
    }
    if (!grown || again) {
        return !grown;
    }
    bool ok = check_told(vm, graph, loop->first_told) &&
              (graph->shaped == loop->first_shaped || fail_grown(vm, block));
    for (size_t i = loop->first_callee; ok && i < graph->callees.count; i++) {
        const Graph *callee = graph->callees.items[i];
        ok = !callee->widened || check_callee(vm, block, callee);
    }
    return ok ? 1 : -1;
}
