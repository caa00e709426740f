// Functions of lib/ that leave no frame in a traceback: what stays are the
// lines that somebody can mend.
#ifndef DUET_INTERP_OBJECTS_ERRORS_HIDDEN_FRAME_H
#define DUET_INTERP_OBJECTS_ERRORS_HIDDEN_FRAME_H

#include "interp/objects/code/code.h"

bool hidden_frame(const Code *code);

#endif
