// The state of a staged block: reading and writing the places that it assigns
// (code.h, BlockPlace) in the frame that runs it.
#ifndef DUET_STAGER_STATE_H
#define DUET_STAGER_STATE_H

#include "interp/machine/vm/vm_run.h"

// A local variable of the program's.
static inline bool state_is_variable(const BlockPlace *place)
{
    return place->kind == STATE_LOCAL && place->step_count == 0 &&
           place->hidden == HIDDEN_NONE;
}
// What the place holds: owned, UNBOUND if nothing; VALUE_FAIL with an error
// pending (an attribute's getter raised).
Value state_get(Vm *vm, Frame *frame, const BlockPlace *place);
// Puts `value` there, UNBOUND empties it. Takes the count. Nothing happens if
// the value is there already, or if a path's object is gone.
MUST_CHECK bool state_set(Vm *vm, Frame *frame, const BlockPlace *place,
                          Value value);
// All places of a block into `values` (owned). On failure none is held.
MUST_CHECK bool state_save(Vm *vm, Frame *frame, const BlockInfo *info,
                           Value *values);
// Puts `values` back; they stay the caller's.
MUST_CHECK bool state_restore(Vm *vm, Frame *frame, const BlockInfo *info,
                              const Value *values);
// Releases what state_save gave; `values` may be NULL.
void state_drop(Vm *vm, const BlockInfo *info, Value *values);
// What holds the place: of a path the object that it leads to, of a cell the
// cell. Owned; UNBOUND: a variable of the frame or of the module, or nothing;
// VALUE_FAIL.
Value state_holder(Vm *vm, Frame *frame, const BlockPlace *place);
// Whether the object is the cell of a variable that the block assigns.
bool state_is_cell(Frame *frame, const BlockInfo *info, const Object *object);
// How the place is written: "y", "self.h"; the text lies in `room`.
const char *state_name(const BlockPlace *place, char *room, size_t size);

// How many steps the longest path of a place has.
uint32_t state_depth(const BlockInfo *info);

#endif
