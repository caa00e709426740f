// What `stage(...)` was told about a function.
#ifndef DUET_STAGER_OPTIONS_H
#define DUET_STAGER_OPTIONS_H

#include "interp/objects/containers/obj_list.h"

// What a call does that finds a value changed which its trace has frozen.
typedef enum FrozenPolicy {
    FROZEN_NOTE,    // says so, once a value
    FROZEN_RETRACE, // traces again
    FROZEN_ERROR,   // raises FrozenError
    FROZEN_SILENT   // nothing
} FrozenPolicy;

// Each staged function has its own; plain data but for the signature.
typedef struct StageOptions {
    Tuple *signature; // a spec, or a structure of them, for each parameter;
                      // counted; NULL: none asked for
    FrozenPolicy frozen;
    size_t max_traces; // least recently used ones go beyond it
    bool relax;        // a shape that misses makes a more general trace
    bool autograph;    // blocks on symbolic values become graph blocks
} StageOptions;

// The default of max_traces: enough for any program that means to trace, and
// an end for one that traces at each call.
enum { STAGE_MAX_TRACES = 10000 };

// Sets the options from keyword arguments, of which those after `positional`
// of `args` are keywords of these names (NULL: none). ERR_TYPE, ERR_VALUE.
MUST_CHECK bool options_parse(Vm *vm, const Value *args, uint32_t positional,
                              Tuple *names, StageOptions *out);
// A copy; the counts are its own.
StageOptions options_copy(const StageOptions *options);
// Releases what the options hold; they may be freed twice.
void options_free(Vm *vm, StageOptions *options);

#endif
