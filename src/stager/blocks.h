// Staged blocks: what a trace does where a tensor decides.
//
// A block is traced in the frame that runs it. An `if` saves its state, traces
// one side, restores the state, traces the other and merges both at the join
// (merge.h). Blocks under way form a stack in the Trace, innermost first; one
// that an error leaves is given up.
#ifndef DUET_STAGER_BLOCKS_H
#define DUET_STAGER_BLOCKS_H

#include "interp/hooks/tracing.h"
#include "stager/journal.h"
#include "stager/state.h"
#include "stager/trace.h"

// Which part of a block the frame is tracing.
typedef enum BlockPhase {
    PHASE_FIRST,  // an `if`: its first side is being traced
    PHASE_SECOND, // the second
    PHASE_COND,   // a loop: its condition
    PHASE_BODY    // its body
} BlockPhase;

typedef struct StagedLoop StagedLoop; // loops.h

// A leaf of a loop whose sizes the turns change. Its initial value may be made
// anew for each trace of the body, its name stays.
typedef struct WideLeaf {
    const char *name; // the graph's
    TensorType type;
} WideLeaf;

// One block under way. Made by block_begin, freed by block_end or, after an
// error, blocks_drop; the graph's blocks that it names are the graph's.
typedef struct StagedBlock {
    struct StagedBlock *outer;
    Frame *frame;          // that runs it
    const BlockInfo *info; // of its converted code, which the frame keeps
    GraphBlock *parent;    // where the node goes
    GraphBlock *sides[2];  // then and else; of a loop: condition and body
    ValueId condition;     // one bool
    BlockPhase phase;
    bool diverged[2];           // the side ends in an exception at run time
    GraphPlace place;           // of the statement
    Value *before;              // its state where the block began
    Value *first;               // at the end of the first side
    StagedLoop *loop;           // NULL: an `if`
    uint16_t era;               // of what is made in it (era.h)
    size_t notes[3];            // that there were at its begin, and at the
                                // end of each side
    size_t events;              // that were recorded at its begin
    Journal journal;            // of the containers that it changes
    VEC(struct HeldPlace) held; // a loop's state beside `info` (loop_held.h)
    VEC(uint32_t) kept; // of a loop: places whose container stays the same one
    VEC(struct CarriedPlace) carried; // of a loop (loop_carried.h)
    VEC(struct LiftedPlace) lifted;   // of a loop (loops.h)
    VEC(struct ToldPlace) told;       // of this side of an `if` (maybe.h)
    VEC(WideLeaf) wide; // of a loop, found by an earlier trace of the body
    uint32_t rounds;    // of traces of the body, after the first
    bool shared;        // one copy is shown of what stands in several places
                        // of a loop's state (loop_shared.c)
    bool more;          // the last one found lists that are state as a whole
    Ins ins;            // a loop's instruction, and what follows it
    const Ins *next;
} StagedBlock;

// TraceHooks.block, .unwind and .unbound.
const Ins *blocks_event(Vm *vm, Frame *frame, BlockEvent event,
                        const BlockInfo *info, Ins ins);
// An error passes the block: what was begun of it is dropped.
const Ins *blocks_unwind(Vm *vm, Frame *frame, const Handler *handler);
bool blocks_unbound(Vm *vm, const Code *code, const Str *name);

// The line of its statement; 0: unknown.
uint32_t block_line(const StagedBlock *block);
// A new block on the stack with its state saved. NULL with an error pending.
MUST_CHECK StagedBlock *block_begin(Vm *vm, Frame *frame,
                                    const BlockInfo *info);
// Takes the innermost block off; nodes go where they went before it.
void block_end(Vm *vm);
// The innermost block, if it is this one of this frame; else NULL.
StagedBlock *block_running(Vm *vm, const Frame *frame, const BlockInfo *info);
// The truth of an operand as one symbolic bool in the graph.
ValueId block_truth(Vm *vm, Value operand);
// Ends what a trace still has under way, after an error.
void blocks_drop(Vm *vm, Trace *trace);

#endif
