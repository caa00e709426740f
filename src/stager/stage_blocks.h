// stage.cond, stage.loop and their like: control flow as functions; and files
// of graphs.
//
// They are written in Duet (lib/_blocks.duet, lib/_graph_file.duet), so that a
// trace converts them as it converts everything else.
#ifndef DUET_STAGER_STAGE_BLOCKS_H
#define DUET_STAGER_STAGE_BLOCKS_H

#include "interp/core/type.h"

// STAGE_BLOCK(name, operands, parameters, doc): a method of `stage`; how many
// operands stand behind self, or 0: one tuple of them.
#define STAGE_BLOCK_LIST(STAGE_BLOCK)                                          \
    STAGE_BLOCK(cond, 3, "self, pred, then, else_, /",                         \
                "then() if pred is true, else else_(); a tensor as pred "      \
                "traces both.")                                                \
    STAGE_BLOCK(loop, 3, "self, cond, body, state=None, /",                    \
                "Repeats state = body(*state) while cond(*state) is true; "    \
                "the last state. Without one both take nothing.")              \
    STAGE_BLOCK(for_each, 4, "self, iterable, test, body, state=None, /",      \
                "Repeats state = body(item, *state) for each item while "      \
                "test(*state) is true; the last state. Without one test() "    \
                "and body(item).")                                             \
    STAGE_BLOCK(and_, 0, "self, *operands", "`and` of what functions give.")   \
    STAGE_BLOCK(or_, 0, "self, *operands", "`or` of what functions give.")     \
    STAGE_BLOCK(not_, 1, "self, operand, /", "`not` of a value.")              \
    STAGE_BLOCK(assert_, 0, "self, *args",                                     \
                "`assert` of a value; the message "                            \
                "is what a function gives.")                                   \
    STAGE_BLOCK(save, 2, "self, path, functions, /",                           \
                "Writes a concrete function, or a dict of them, with its "     \
                "Variables as a file.")                                        \
    STAGE_BLOCK(load, 1, "self, path, /",                                      \
                "The function in such a file; a dict of them if there are "    \
                "several.")

#define STAGE_BLOCK(name, operands, params, doc)                               \
    Value stage_block_##name(Vm *vm, Value *args);
STAGE_BLOCK_LIST(STAGE_BLOCK)
#undef STAGE_BLOCK

// The call of a function of lib/_blocks.duet.
Value stage_block_call(Vm *vm, const char *name, const Value *args,
                       uint32_t count);
// The built-in load_graph: stage.load by its own name.
MUST_CHECK Object *stage_load_graph(Vm *vm);
// TensorList, a function in the place of the class that the library has.
MUST_CHECK Object *stage_tensor_list(Vm *vm);

#endif
