// What the observer is told, from wherever it happens.
#include "stager/observer.h"

#include <string.h>

#include "interp/objects/numbers/obj_float.h"
#include "stager/blocks.h"
#include "stager/concrete.h"
#include "stager/merge.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

static const Str *traced_name(Vm *vm)
{
    return vm->trace != NULL ? vm->trace->request->name : NULL;
}

static void tell(Vm *vm, Divergence code, const Source *source, uint32_t line,
                 const char *what)
{
    CallObserver *observer = stager_of(vm)->observer;
    observer->diverged(vm, code, traced_name(vm), source, line, what,
                       observer->data);
}

void observer_tell(Vm *vm, Divergence code, const char *what)
{
    if (observed(vm)) {
        Source *source;
        uint32_t line = trace_program_line(vm, &source);
        tell(vm, code, source, line, what);
    }
}

void observer_tell_line(Vm *vm, Divergence code, const Source *source,
                        uint32_t line, const char *what)
{
    if (observed(vm)) {
        tell(vm, code, source, line, what);
    }
}

// Whether the code runs on a side of a staged condition, however deep.
static bool on_a_side(const Trace *trace)
{
    const StagedBlock *block = trace->blocks;
    while (block != NULL && block->loop != NULL) {
        block = block->outer;
    }
    return block != NULL;
}

static bool prints(const Graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (graph->nodes.items[i]->op == OP_PRINT) {
            return true;
        }
    }
    return false;
}

void observer_tell_effect(Vm *vm, const char *what)
{
    static const char *const drawn[] = {"next", "time", "random"};
    if (!observed(vm)) {
        return;
    }
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        if (strcmp(what, drawn[i]) == 0) {
            observer_tell(vm, DIVERGE_DRAWN, what);
            return;
        }
    }
    // What the graph is to print comes after all that tracing prints.
    if (strcmp(what, "print") == 0 && prints(vm->trace->graph)) {
        observer_tell(vm, DIVERGE_ORDER, "");
    }
    observer_tell(vm, on_a_side(vm->trace) ? DIVERGE_SIDES : DIVERGE_EFFECT,
                  what);
}

void observer_tell_number(Vm *vm, Value v)
{
    if (merge_is_number(v)) {
        observer_tell(vm, DIVERGE_NUMBER,
                      value_is_float(v) ? "a host float" : "a host int");
    }
}
