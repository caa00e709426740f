// Loops over iterators: no count, but a question that is asked before each
// turn.
//
// Sources are asked in the order in which they stand, the next one only where
// the one before has an item, as zip() does. So nothing is drawn that eager
// code would not draw: the questions stand in blocks of `if` nodes.
#include "stager/for_iterator.h"

#include "graph/build.h"
#include "interp/machine/compile/block_note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_convert.h"

// index < count, or what the function says; one bool. The nodes go to the
// block where the trace is.
static ValueId ask_one(Vm *vm, Value term, Value index)
{
    Value answer;
    if (value_is_operand(term)) {
        Value inputs[2] = {index, term};
        answer = apply_one(vm, OP_LESS, inputs, 2, NULL);
    } else {
        answer = vm_call(vm, term, NULL, 0);
    }
    ValueId id = value_failed(answer) ? VALUE_ID_NONE : block_truth(vm, answer);
    release(vm, answer);
    return id;
}

static ValueId false_id(Vm *vm)
{
    Value no = tensor_from_value(vm, "for", VALUE_FALSE, DT_BOOL);
    ValueId id =
        value_failed(no) ? VALUE_ID_NONE : trace_operand(vm, vm->trace, no);
    release(vm, no);
    return id;
}

// before and term, where the term is asked only if `before` is true.
static ValueId ask_if(Vm *vm, ValueId before, Value term, Value index,
                      GraphPlace place)
{
    Trace *trace = vm->trace;
    GraphBlock *around = trace->block, *sides[OP_MAX_BLOCKS] = {NULL, NULL};
    bool ok = true;
    for (int side = 0; ok && side < 2; side++) {
        sides[side] = graph_block_new(trace->graph, around);
        trace->block = sides[side];
        ValueId id = sides[side] == NULL ? VALUE_ID_NONE
                     : side == SIDE_THEN ? ask_one(vm, term, index)
                                         : false_id(vm);
        ok = id != VALUE_ID_NONE &&
             graph_block_results(trace->graph, sides[side], &id, 1);
    }
    trace->block = around;
    return node_first(ok ? graph_append_blocks(trace->graph, around, OP_IF,
                                               &before, 1, sides, place)
                         : NULL);
}

ValueId for_iterator_ask(Vm *vm, Value terms, Value index, ValueId before,
                         GraphPlace place)
{
    const Tuple *list = value_as_tuple(terms);
    for (size_t i = 0; i < list->count; i++) {
        before = before == VALUE_ID_NONE
                     ? ask_one(vm, list->items[i], index)
                     : ask_if(vm, before, list->items[i], index, place);
        if (before == VALUE_ID_NONE) {
            return before;
        }
    }
    return before;
}

bool for_iterator_in(Vm *vm, Value iterable)
{
    if (!block_is_note(iterable)) {
        return (value_is_kind(iterable, KIND_INSTANCE) ||
                value_is_kind(iterable, KIND_OPAQUE)) &&
               type_has(vm, type_of(vm, iterable), NAME_STAGE_ITEMS);
    }
    const Tuple *note = value_as_tuple(iterable);
    // Notes stand in notes no deeper than calls do in a line of the program.
    for (size_t i = 2; i < note->count; i++) {
        if (for_iterator_in(vm, note->items[i])) {
            return true;
        }
    }
    return false;
}
