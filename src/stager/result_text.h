// Texts that a trace made of tensors, in what it returns: they have a name
// where eager code has the value, and are refused.
#ifndef DUET_STAGER_RESULT_TEXT_H
#define DUET_STAGER_RESULT_TEXT_H

#include "stager/trace.h"

// A leaf of the result. False with an error pending.
MUST_CHECK bool result_text_check(Vm *vm, const Trace *trace, Value v);

#endif
