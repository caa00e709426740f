// Prints that wait for the end of a loop.
#include "stager/late_print.h"

#include "modules/files/obj_file.h"
#include "stager/loops.h"
#include "stager/trace.h"

static bool in_loop(const Trace *trace)
{
    const StagedBlock *block = trace->blocks;
    while (block != NULL && block->loop == NULL) {
        block = block->outer;
    }
    return block != NULL;
}

void late_print_cut(Vm *vm, Trace *trace, size_t count)
{
    while (trace->printed.count > count) {
        LatePrint print = vec_pop(&trace->printed);
        release(vm, print.file);
        object_release(&vm->ctx, print.text);
    }
}

// The first that cannot be written ends it; nothing waits behind.
static bool write_all(Vm *vm, Trace *trace)
{
    bool ok = true;
    for (size_t i = 0; ok && i < trace->printed.count; i++) {
        const LatePrint *print = &trace->printed.items[i];
        ok = file_write_text(vm, value_as_file(print->file), print->text);
    }
    late_print_cut(vm, trace, 0);
    return ok;
}

static bool flush(Vm *vm, Trace *trace)
{
    return trace == NULL || (flush(vm, trace->outer) && write_all(vm, trace));
}

bool late_print_flush(Vm *vm)
{
    return flush(vm, vm->trace);
}

bool late_print_end(Vm *vm)
{
    return in_loop(vm->trace) || write_all(vm, vm->trace);
}

void late_print_drop(Vm *vm, Trace *trace)
{
    bool ok = write_all(vm, trace);
    (void)ok;
    vec_free(&vm->ctx, &trace->printed);
}

// It was noted as an effect, which it is not yet. Of a callee it is one that
// loops around the call cannot repeat.
bool late_print(Vm *vm, Value file, Str *text)
{
    Trace *trace = vm->trace;
    if (!in_loop(trace)) {
        return late_print_flush(vm) &&
               file_write_text(vm, value_as_file(file), text);
    }
    if ((trace->outer != NULL && !flush(vm, trace->outer)) ||
        !vec_push(&vm->ctx, &trace->printed, ((LatePrint){file, text}))) {
        return false;
    }
    (void)value_retain(file);
    (void)object_retain(text);
    trace->lasting--;
    return true;
}
