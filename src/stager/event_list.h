// Kinds of events: EVENT(name, code, effect).
//
// `code` is the way in which staged and eager runs then differ, 0: none. What
// each code means, with a program that shows it, stands in
// lib/duet/_codes.duet. `effect`: host code did something outside.
EVENT(EFFECT, 101, true)   // at trace only
EVENT(FROZEN, 102, false)  // a value that the trace had read has changed
EVENT(RETRACE, 103, false) // a call made this trace, not the function's first
EVENT(LEAK, 104, false)    // a symbolic tensor was stored outside
EVENT(HANDLER, 105, false) // a `try` got an error of tracing alone
EVENT(PASSED, 105, false)  // an error at run time passes a `try`
EVENT(DRAW, 106, true)     // of an iterator, a clock or the host's random
EVENT(OBJECT, 107, false)  // the result is another object than eagerly
EVENT(NUMBER, 108, false)  // a host number became a tensor
EVENT(SIDE, 109, true)     // an effect of one side of a staged condition
EVENT(ORDER, 110, false)   // of what host and graph print
EVENT(UNROLL, 111, false)  // host code turned a loop many times
EVENT(SIZE, 112, false)    // a size that is not known was read as None
EVENT(STORE, 0, true)      // of a symbolic tensor, which is told as a leak
