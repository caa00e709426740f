// Staging for a Vm: installs the hooks of traces and the built-in `stage`.
#ifndef DUET_STAGER_STAGER_H
#define DUET_STAGER_STAGER_H

#include "backend/plan.h"
#include "interp/hooks/tracing.h"
#include "stager/era.h"
#include "stager/frozen.h"
#include "stager/poison.h"

typedef struct ReadTrees ReadTrees; // autograph.c

typedef struct EventListener EventListener; // events.h

// What vm->stager points to.
typedef struct Stager {
    Type *stage_type;    // of the built-in `stage`, counted
    Type *staged_type;   // of staged functions, counted
    Type *concrete_type; // of concrete functions, counted
    Type *graph_type;    // of what symbolic tensors hold a count on, counted
    Type *node_type;     // of a graph's nodes, counted
    Type *graph_function_type; // of what tapes record, counted
    Type *once_type;           // of stage.once() blocks, counted
    Type *feed_type;           // of stage.feed(), counted
    Type *identity_type;       // of what stands for an object, counted
    Type *staged_list_type;    // of lists that a graph holds, counted
    Type *late_text_type;      // of texts that wait for values, counted
    Type *made_type;           // of what each call makes anew, counted
    uint64_t traced;           // traces begun, whatever became of them
    Eras eras;                 // of the traces (era.h)
    Identities identities;
    FrozenPlaces places;              // that traces have read
    Type *poison_types[POISON_TYPES]; // poison.h; counted
    bool log;                // --trace: tell on stderr when a trace is made
    bool notes;              // at a prompt: remarks, each cause once (tell.h)
    Map told;                // the causes that were told
    EventListener *listener; // NULL: nobody; else vm->long_calls is set
    bool sealed;             // stage.seal(): no staged function runs host code
    TraceHooks hooks;        // what vm->hooks points to
    PlanOptions options;     // for every plan
    ReadTrees *trees;        // sources read again (autograph.h); NULL: none yet
} Stager;

// The stager of a Vm that stager_init has set up.
static inline Stager *stager_of(Vm *vm)
{
    return vm->stager;
}

// Once for each Vm, before any code runs. `log`: say each trace on stderr.
// False with an error pending; stager_free is right then too.
MUST_CHECK bool stager_init(Vm *vm, bool log);
// Before vm_free; staged functions that still exist stay valid.
void stager_free(Vm *vm);

#endif
