// Kinds of events: EVENT(name, code, effect, quiet).
//
// `code` is the way in which staged and eager runs then differ, 0: none. What
// each code means, with a program that shows it, stands in
// lib/duet/_codes.duet. `effect`: host code did something outside. `quiet`:
// most programs cannot tell; named only where outputs differ and nothing else
// says why.
EVENT(EFFECT, 101, true, false)   // at trace only
EVENT(FROZEN, 102, false, false)  // what the trace had read has changed
EVENT(RETRACE, 103, false, false) // a call made this trace, not the first
EVENT(LEAK, 104, false, false)    // a symbolic tensor was stored outside
EVENT(HANDLER, 105, false, false) // a `try` got an error of tracing alone
EVENT(PASSED, 105, false, false)  // an error at run time passes a `try`, `with`
EVENT(DRAW, 106, true, false)     // of an iterator, clock or host random
EVENT(OBJECT, 107, false, false)  // the result is another object than eagerly
EVENT(NUMBER, 108, false, false)  // a host number became a tensor
EVENT(INT, 108, false, true)      // the same of an int or a truth
EVENT(SUM, 108, false, true)      // a gradient is summed in another order
EVENT(OP, 108, false, true)       // the first operation on such a float
EVENT(GIVEN, 107, false, true)    // an argument that is no tensor became one
EVENT(LOOK, 107, false, true)     // host code saw what stands for a tensor
EVENT(SIDE, 109, true, false)     // an effect of one side of a condition
EVENT(ORDER, 110, false, false)   // of what host and graph print
EVENT(UNROLL, 111, false, false)  // host code turned a loop many times
EVENT(SIZE, 112, false, false)    // a size that is not known was read as None
EVENT(LATE, 112, false, true)     // the program has it as a tensor
EVENT(STORE, 0, true, false)      // of a symbolic tensor, told as a leak
