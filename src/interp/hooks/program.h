// What the program around a Vm offers it: a terminal, a pager, notes, a
// prompt inside a running function. The other inversion beside apply.h: repl
// installs the hooks, interp and stager call them where they are there.
#ifndef DUET_INTERP_HOOKS_PROGRAM_H
#define DUET_INTERP_HOOKS_PROGRAM_H

#include "interp/core/vm.h"

// A bit of Ctx.interrupt beside those of InterruptReason: the program wants to
// look at the machine between two instructions.
#define INTERRUPT_TICK ((InterruptReason)4)

// Each is called on the Vm's own thread. A program fills in all of them.
struct ProgramHooks {
    // Its native modules, which `import` finds beside those of
    // module_list.h; ends with NULL.
    const ModuleDef *const *modules;
    // Shows a long text for reading. False with an error pending.
    bool (*page)(Vm *vm, Str *text);
    // After INTERRUPT_TICK, between two instructions. May not run Duet code.
    void (*tick)(Vm *vm);
    // Before and after a write to standard output or standard error, whose
    // last byte is `last`: what the program draws there has to make room.
    void (*before_output)(Vm *vm);
    void (*after_output)(Vm *vm, char last);
    // A turn of a loop that asked to be shown: `total` < 0 if it is unknown.
    // `done` < 0: the loop has ended.
    void (*progress)(Vm *vm, int64_t done, int64_t total);
    // A loop of a graph has done so many turns, while INTERRUPT_TICK is set.
    void (*graph_turn)(Vm *vm, int64_t done, int64_t total);
    // Standard input is about to be waited for (true), and has been.
    void (*waiting)(Vm *vm, bool on);
    // breakpoint(): returns when the running code is to go on. False with an
    // error pending.
    bool (*breakpoint)(Vm *vm);
    // Whether what is printed in a trace gets a mark in the margin.
    bool (*marks_traces)(Vm *vm);
    // A remark of the stager's for people, without a line's end.
    void (*note)(Vm *vm, const char *text);
};

#endif
