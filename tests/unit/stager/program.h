// What the tests of the stager share: a Vm that runs Duet sources.
//
// Values are written as Duet expressions, so that a test says what it means;
// what comes of them is looked at in C. To be included last: `vm` is also what
// inline functions of other headers call theirs.
#ifndef DUET_TESTS_STAGER_PROGRAM_H
#define DUET_TESTS_STAGER_PROGRAM_H

#include "stager/staged_fn.h"

// A Vm with the stager; set_up and tear_down of a suite.
extern Vm *vm;
void program_open(void);
void program_close(void);

// Runs statements in the program's globals; the test fails if they raise.
void program_run(const char *text);
// The value of an expression there, owned.
Value program_eval(const char *text);
// The same, of which the program keeps the count: valid until the end.
Value program_value(const char *text);
// Keeps a value in the same way; takes it.
Value program_keep(Value owned);
// Binds a global of the program to a value, which it takes.
void program_set(const char *name, Value owned);
// The text of the error that the expression raises, in a room that the next
// call uses again; the test fails if it raises none.
const char *program_error(const char *text);
// Whether the value prints as `expected`.
bool program_prints(Value v, const char *expected);
// A staged function of the program, borrowed.
StagedFunction *program_staged(const char *name);
// The graph's text without the places in the source, borrowed until the next
// call.
const char *program_graph(Graph *graph);

#endif
