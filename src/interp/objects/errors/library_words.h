// Functions of lib/ that CPython has in C: they leave no frame in a traceback,
// and a call that does not fit them is refused in the words of a C function.
#ifndef DUET_INTERP_OBJECTS_ERRORS_LIBRARY_WORDS_H
#define DUET_INTERP_OBJECTS_ERRORS_LIBRARY_WORDS_H

#include "interp/objects/classes/obj_function.h"

// Whether CPython has this function in C (hidden_frame_list.h).
bool library_is_native(const Code *code);
// Called with the TypeError pending of a call that did not bind, `given`
// arguments by position and the keywords `names` (NULL: none). Puts CPython's
// text in its place if the function is such a one.
void library_refuse(Vm *vm, const Function *function, uint32_t given,
                    const Tuple *names);

#endif
