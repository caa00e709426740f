// stage.code(f): the conversion of a function as source.
#ifndef DUET_STAGER_STAGE_CODE_H
#define DUET_STAGER_STAGE_CODE_H

#include "interp/objects/classes/obj_function.h"

// The text of a function (or staged function, or method) as it is converted:
// blocks are functions handed to stage.cond and stage.loop. ERR_TYPE for what
// is not written in Duet. VALUE_FAIL with an error pending.
Value stage_code_text(Vm *vm, Value function);

#endif
