// Fitting arguments to a pattern: `signature=` and concrete functions.
#ifndef DUET_STAGER_MATCH_H
#define DUET_STAGER_MATCH_H

#include "stager/signature.h"

// Who asks, which decides the class of an error.
typedef enum MatchMode {
    MATCH_SIGNATURE, // signature=: whatever does not fit is a SignatureError
    MATCH_SPECS,     // likewise, for f.concrete(): specs fit as tensors do
    MATCH_CONCRETE   // tensors: DTypeError, ShapeError; all else as above
} MatchMode;

// One fitting: who asks, and which argument an error is about.
typedef struct Match {
    MatchMode mode;
    const char *function; // for error texts, borrowed
    const char *argument; // likewise
    bool *converted;      // set where what is no tensor becomes one; NULL:
                          // nobody asks
} Match;

// `given` as the pattern wants it, owned: where the pattern has a spec, an
// operand of its dtype (host numbers and lists are converted, tensors must
// have it) that has a shape which the spec allows; structures must be of one
// kind and size; all else stays. VALUE_FAIL with an error pending.
Value match_value(Vm *vm, const Match *match, Value pattern, Value given);

#endif
