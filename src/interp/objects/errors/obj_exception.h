// Exceptions and tracebacks.
#ifndef DUET_INTERP_OBJECTS_ERRORS_OBJ_EXCEPTION_H
#define DUET_INTERP_OBJECTS_ERRORS_OBJ_EXCEPTION_H

#include "interp/objects/containers/obj_list.h"

// One frame that the exception passed; newest first (as unwinding adds them).
typedef struct TracebackEntry {
    Code *code;    // counted
    uint32_t word; // the instruction
    uint32_t name; // where the local without a value is read in the source;
                   // 0: the instruction's own place counts
} TracebackEntry;

typedef struct Traceback { // __traceback__
    Object head;
    TracebackEntry *entries;
    uint32_t count, capacity;
    // What the locals of the frames held and has a __del__ or a `finally` to
    // run: for a program the frames of a traceback live as long as it does.
    ValueVec kept;
} Traceback;

typedef struct Exception {
    Object head;
    Tuple *args;
    Dict *dict;           // other attributes, NULL until needed
    Value cause, context; // NONE
    bool suppress_context;
    bool told;   // the text is the interpreter's: what it quotes is what is
                 // missing (exception_fields.c)
    bool traced; // it ended a trace: no graph has run (stager/error_notes.c)
    Traceback *traceback; // NULL: none
    // SyntaxError: where; the line's text is in the source.
    Source *source; // counted, NULL: none
    Span span;
    Value notes;   // __notes__ list, UNBOUND: none
    Value subject; // AttributeError: whose attribute; UNBOUND: unknown
    Value *fields; // errno … (exception_fields.h); NULL: from args
} Exception;

// Retains args; __init__ is not called. NULL: memory.
MUST_CHECK Exception *exception_new(Vm *vm, Type *cls, Tuple *args);
// The subclass of OSError that stands for an errno (raise.c).
ErrorKind raise_kind_of_errno(int error);
// Appends ". Did you mean: 'name'?" if a name fits (suggest.c).
void suggest_print(Vm *vm, StrBuf *out, const Exception *error);
// (file, line, offset, text …) of a SyntaxError, borrowed; NULL: it has none.
const Tuple *exception_place(Vm *vm, const Exception *self);
MUST_CHECK Traceback *traceback_new(Vm *vm); // without entries
// What the carets of an entry mark.
Span traceback_span(const TracebackEntry *entry);
static inline Exception *value_as_exception(Value v)
{
    return (Exception *)value_object(v);
}

#endif
