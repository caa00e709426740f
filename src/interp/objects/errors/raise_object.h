// Errors as exception objects: raising them, making one of the pending text,
// printing them.
#ifndef DUET_INTERP_OBJECTS_ERRORS_RAISE_OBJECT_H
#define DUET_INTERP_OBJECTS_ERRORS_RAISE_OBJECT_H

#include "base/strbuf.h"
#include "interp/core/raise.h"

// Raises an exception without arguments: what is left of an error whose text
// could not be made, since a part of it failed to print. That failure, pending,
// is forgotten. VALUE_FAIL, always.
Value raise_wordless(Vm *vm, ErrorKind kind);
// Raises the class of `kind` called with one argument (KeyError(key)).
Value raise_with(Vm *vm, ErrorKind kind, Value argument);
// Raises an exception object; takes the count. Sets its __context__.
Value raise_object(Vm *vm, Value exception);
// OSError and its subclasses from errno, with the file's name (NULL: none).
Value raise_errno(Vm *vm, int error, const char *file);
// A UnicodeDecodeError or UnicodeEncodeError with its five arguments; `object`
// is what was to be converted, [start, end) what failed in it.
Value raise_unicode(Vm *vm, ErrorKind kind, const char *encoding, Value object,
                    size_t start, size_t end, const char *reason);
// The pending error as an exception object, taken out: owned, or VALUE_FAIL
// never. Makes it from ctx.error if need be (vm->error_overrides applies);
// if memory is short, a MemoryError that was made beforehand.
Value raise_take(Vm *vm);
// The pending error takes an exception, which it hides, as its context. Takes
// `error`; for a failure of what should only have been added to it.
void raise_hiding(Vm *vm, Value error);
// Appends "Traceback (most recent call last): …" with causes and contexts,
// carets and notes. `limit` as in traceback.print_exc (INT64_MIN: none). False
// with an error pending.
MUST_CHECK bool raise_print_traceback(Vm *vm, Value exception, int64_t limit,
                                      StrBuf *out);
// One frame of a traceback: file, line, function, source line, carets.
void raise_print_entry(StrBuf *out, const Code *code, Span span);
// The same without "Did you mean": what the module traceback gives.
MUST_CHECK bool raise_format_traceback(Vm *vm, Value exception, int64_t limit,
                                       StrBuf *out);
// Its last lines alone: class, message, notes. False with an error pending.
MUST_CHECK bool raise_print_message(Vm *vm, Value exception, StrBuf *out);
// What sys.unraisablehook shows of an error. False with an error pending.
MUST_CHECK bool raise_print_unraisable(Vm *vm, Value exception, StrBuf *out);
// A SyntaxError's second argument: (file, line, offset, text, end line, end
// offset), from 1 (syntax_place.c). Owned, NULL with an error pending.
MUST_CHECK Tuple *syntax_place_new(Vm *vm, const Source *source,
                                   const Error *error);
// Prints such a tuple: file, line, text, carets. `library`: as the module
// traceback does it and not the interpreter; `point`: without its end, as
// subclasses of SyntaxError are shown.
void syntax_print_place(StrBuf *out, const Tuple *place, bool library,
                        bool point);
// Adds the running frame (code, word) to the pending error's traceback.
void raise_add_frame(Vm *vm, const Code *code, uint32_t word);

#endif
