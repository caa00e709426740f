// Sizes of symbolic tensors that host code has read.
#include "stager/sizes.h"

#include <string.h>

#include "interp/core/raise.h"
#include "stager/events.h"

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

// What has leaked from another trace is told by whoever uses it.
bool sizes_read(Vm *vm, Value symbolic, int axis)
{
    Trace *trace = vm->trace;
    const Symbolic *tensor = value_as_symbolic(symbolic);
    if (tensor->owner != trace->owner) {
        return true;
    }
    TensorType type = operand_type(symbolic);
    if (!shape_is_static(type.rank, type.dims)) {
        event_add(vm, trace->events, EVENT_SIZE, "", VALUE_NONE);
    }
    if (trace->blocks == NULL) {
        return true;
    }
    SizeRead read = {
        .value = tensor->value, .number = axis >= 0, .place = trace_place(vm)};
    if (read.place.source == NULL) {
        return true; // not asked by code of the program
    }
    read.axis = axis < 0 ? read_axis(&read.place, type.rank) : axis;
    read.known = count_known(type, read.axis);
    return read.place.site != GRAPH_SITE_FAILED &&
           vec_push(&vm->ctx, &trace->sizes, read);
}

// The cure is spelled with the program's own `x` of `x.shape` and `len(x)`.
static void fail_size(Vm *vm, const GraphPlace *place)
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
    trace_point(vm, place->site);
}

int sizes_check(Vm *vm, size_t first, bool again)
{
    const Trace *trace = vm->trace;
    int same = 1;
    for (size_t i = first; i < trace->sizes.count; i++) {
        const SizeRead *read = &trace->sizes.items[i];
        TensorType type = graph_type(trace->graph, read->value);
        if (count_known(type, read->axis) == read->known) {
            continue;
        }
        if (!read->number || !again) {
            fail_size(vm, &read->place);
            return -1;
        }
        same = 0;
    }
    return same;
}
