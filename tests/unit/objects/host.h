// A Vm for the tests of objects, and values of it written as Duet expressions.
// To be included last: `vm` is also what inline functions of other headers call
// theirs.
#ifndef DUET_TESTS_OBJECTS_HOST_H
#define DUET_TESTS_OBJECTS_HOST_H

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"

// Opened and closed around each test.
extern Vm *vm;
void host_open(void);
void host_close(void);

// Runs statements; the test fails if they raise.
void host_run(const char *text);
// The value of an expression, owned.
Value host_eval(const char *text);
// Whether repr(v) is this text; takes v.
bool host_shows(Value v, const char *text);
// The pending error is of this class: clears it. False if there is none.
bool host_failed(ErrorKind kind);
// How many references there are to the object of a value.
uint32_t host_count(Value v);

#endif
