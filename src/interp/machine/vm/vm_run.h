// The machine: what vm.c, its slow paths and C code that calls Duet share.
//
// A slow path gets the running frame, whose pc stands right behind the
// instruction `ins`. It reads registers borrowed, empties temporaries that it
// has read, and returns false with an error pending.
#ifndef DUET_INTERP_MACHINE_VM_VM_RUN_H
#define DUET_INTERP_MACHINE_VM_VM_RUN_H

#include "interp/core/memory.h"
#include "interp/machine/vm/call.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/protocol/protocol.h"

typedef struct Generator Generator; // interp/objects/iterators/obj_generator.h

typedef bool SlowFn(Vm *vm, Frame *f, Ins ins);

// Runs a bound Duet function on an entry frame whose registers start at
// window (window[-1] holds the function; its parameters are consumed). Makes
// the generator of a generator function. Owned result or VALUE_FAIL.
Value vm_run_function(Vm *vm, Function *function, Value *window);
// The short way for functions that need no binding and no trace: runs one whose
// parameters are `self` (UNBOUND: none) and the arguments, all borrowed. Owned
// result or VALUE_FAIL.
Value vm_run_direct(Vm *vm, Function *function, Value self, const Value *args,
                    uint32_t count);
// First free register above the running frame and above the windows that C
// holds: `count` registers, all empty, and one in front for the callee. NULL
// with RecursionError. The caller gives it back with vm_release_window.
Value *vm_free_window(Vm *vm, uint32_t count);
// The registers are empty again; windows are given back innermost first.
void vm_release_window(Vm *vm, Value *window);

// Whether a frame of this code may stand at `window`; false: RecursionError.
MUST_CHECK static inline bool vm_can_push(Vm *vm, const Code *code,
                                          const Value *window)
{
    const Frame *next = vm->frame == NULL ? vm->frames : vm->frame + 1;
    return (LIKELY(next < vm->frames_end) &&
            LIKELY(window + code->register_count + 8 <= vm->stack_end)) ||
           raise_false(vm, ERR_RECURSION, "maximum recursion depth exceeded");
}
// A new frame for bound parameters at `window`. False: RecursionError, and
// the parameters are released.
MUST_CHECK bool vm_push_frame(Vm *vm, Function *function, Value *window,
                              uint32_t flags);
// Finds a handler of the pending error: true: the frame goes on there.
bool vm_unwind(Vm *vm);
// Drops exceptions that are being handled, down to `count`.
void vm_cut_handled(Vm *vm, size_t count);
// What the machine does when a frame with flags has returned.
typedef enum LeaveKind {
    LEAVE_ON,    // the caller's frame goes on
    LEAVE_TO_C,  // vm_run returns the result
    LEAVE_FAILED // an error is pending in the caller
} LeaveKind;
// The running frame, whose locals are released, returned `result` (taken
// unless it goes to C).
LeaveKind vm_leave(Vm *vm, Value result);
// Where a generator's frame asks for a call (CALLFAR, vm_far.c): 1: a frame
// was pushed; 0: the result is in its register; -1: failed.
int vm_call_far(Vm *vm, Frame *f, Ins ins);
// Pushes a frame of args[0]'s method `id` if its class is one of the program,
// and the method takes just these arguments: 1: vm_deliver gets its result; 0:
// there is no such method; -1: failed.
int vm_special(Vm *vm, NameId id, const Value *args, uint32_t count);
// What a __bool__ returned (taken): 1, 0, -1 with TypeError.
int vm_bool_answer(Vm *vm, Value answer);
// The jump `ins` was decided by a method that returned `answer` (taken): 1
// jump, 0 not, -1 failed.
int slow_jump_answered(Vm *vm, Frame *f, Ins ins, Value answer);
// Whether `function` can be called by vm_operate with `count` arguments.
bool vm_can_operate(const Vm *vm, const Function *function, uint32_t count);
// Pushes a frame of it for the instruction that runs, with copies of the
// arguments; vm_deliver gets the result.
MUST_CHECK bool vm_operate(Vm *vm, Function *function, const Value *args,
                           uint32_t count);
// The method that an instruction of the running frame asked returned
// `result` (taken): finishes the instruction. False: failed.
MUST_CHECK bool vm_deliver(Vm *vm, Value result);
// Calls window[-1]: 1: its frame was pushed; 0: the result is in window[-1];
// -1: failed. Takes the arguments in any case.
int vm_enter(Vm *vm, Value *window, uint32_t count, Tuple *keyword_names);
// Whether the arguments can go to the native as they stand: each required one
// is there, and the first is of the type that owns the method. A trace is asked
// about texts.
static inline bool native_is_direct(const Vm *vm, const Native *native,
                                    const Value *window, uint32_t count)
{
    return count - native->direct_least <= native->direct_span &&
           (native->owner == NULL ||
            (count > 0 &&
             type_of((Vm *)(uintptr_t)vm, window[0]) == native->owner &&
             (LIKELY(vm->trace == NULL) ||
              native->owner != vm->types[KIND_STR])));
}
// Calls such a native, window[-1]: false with an error pending.
MUST_CHECK bool vm_call_direct(Vm *vm, Native *native, Value *window,
                               uint32_t count);
// The same where a C callable stands for this function: flags of the frame.
int vm_enter_function(Vm *vm, Function *function, Value *window, uint32_t count,
                      Tuple *keyword_names, uint32_t flags);
// Moves the arguments up by `distance`; what is there is dead.
static inline void vm_move_up(Value *window, uint32_t count, uint32_t distance)
{
    for (uint32_t i = count; i-- > 0;) {
        window[i + distance] = window[i];
        window[i] = VALUE_UNBOUND;
    }
}
// Releases the arguments of a call that is over, or that failed.
void vm_empty_window(Vm *vm, Value *window, uint32_t count);

// For a call of callee[0] with the list or tuple callee[1]: spreads it over
// callee[1 ..], so that the call can go on as one with `count` arguments.
// False: nothing has changed, C makes the call.
bool vm_spread(Vm *vm, Value *callee, uint32_t *count);
// The same for any callee, with the dict callee[2] of keywords: makes the call,
// as vm_enter does. SPREAD_NOT: nothing has changed.
enum { SPREAD_NOT = -2 };
int vm_enter_spread(Vm *vm, Value *callee);

// "cannot access local variable …" for an empty register.
bool slow_unbound(Vm *vm, const Frame *f, uint32_t reg);
// R[reg], or UNBOUND with an error pending.
bool slow_bound(Vm *vm, const Frame *f, uint32_t reg);
// Empties the register if it is a temporary.
void slow_drop(Vm *vm, Frame *f, uint32_t reg);
// A = v (taken), then the temporaries among registers b and c, where not -1,
// become empty. False: v is VALUE_FAIL.
bool slow_finish(Vm *vm, Frame *f, Ins ins, Value v, int32_t b, int32_t c);
// R[reg] = v, owned; VALUE_FAIL: returns false.
bool slow_set(Vm *vm, Frame *f, uint32_t reg, Value v);

// Jumps of comparisons: 1 jump, 0 not, -1 failed.
int slow_jump(Vm *vm, Frame *f, Ins ins);
int slow_jump_truth(Vm *vm, Frame *f, Ins ins);
int slow_match(Vm *vm, Frame *f, Ins ins);
int slow_for_next(Vm *vm, Frame *f, Ins ins);
// A built-in iterator gave VALUE_STOP or failed: ends the loop, which a
// StopIteration of what it called does too. False: failed.
MUST_CHECK bool slow_for_end(Vm *vm, Frame *f, Ins ins, Value item);
int slow_send(Vm *vm, Frame *f, Ins ins);
// Block instructions of converted code: where to go on, NULL: failed.
const Ins *slow_block(Vm *vm, Frame *f, Ins ins);
// After `raise` in a frame: converted code may have raised it for run time.
void block_note_raise(Vm *vm, Frame *f, Ins ins);
// Return values of RET, moved out; VALUE_FAIL if unbound.
SlowFn slow_binary, slow_binary_i, slow_binary_k, slow_k_binary, slow_unary,
    slow_compare;
SlowFn slow_getg, slow_setg, slow_delg, slow_getn, slow_getnc, slow_setn,
    slow_deln, slow_mkcell, slow_getcell, slow_setcell, slow_delcell,
    slow_getcap, slow_setcap, slow_delcap, slow_annotate, slow_annotations,
    slow_delete;
SlowFn slow_getattr, slow_setattr, slow_delattr, slow_loadm, slow_getitem,
    slow_getitemi, slow_setitem, slow_delitem, slow_slice;
SlowFn slow_list, slow_tuple, slow_set_display, slow_dict, slow_append,
    slow_appendn, slow_extend, slow_setadd, slow_setupdate, slow_dictset,
    slow_dictupdate, slow_dictmerge, slow_totuple, slow_format, slow_concat,
    slow_unpack, slow_unpackx;
SlowFn slow_callx, slow_makefunc, slow_prepare, slow_mkclass, slow_forprep,
    slow_getiter, slow_getyfi;
SlowFn slow_raise, slow_reraise, slow_raise_again, slow_pushexc, slow_popexc,
    slow_assertfail, slow_withenter, slow_withexit, slow_withexc;
SlowFn slow_import, slow_importfrom, slow_importstar;

#endif
