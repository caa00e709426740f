// Texts of symbolic tensors: f"{x}", str(x), repr([x]) in a trace have a name
// where eager code has a value. The trace keeps which texts it gave for which
// tensors, so that a message of run time has the values.
#ifndef DUET_STAGER_LATE_TEXT_H
#define DUET_STAGER_LATE_TEXT_H

#include "stager/trace.h"

extern const TypeDef late_text_type_def;

// What a trace said of a tensor.
typedef struct TextUse {
    Value symbolic; // owned
    Str *text;      // counted
    Str *spec;      // of the format, counted; NULL: none
    TextWay way;
    uint32_t line; // of the program
} TextUse;

// TraceHooks.worded. A Variable's text has its value at the time of tracing.
MUST_CHECK bool late_text_add(Vm *vm, Value tensor, Str *text, TextWay way,
                              Str *spec);
// All but the first `kept` are forgotten.
void late_text_cut(Vm *vm, Trace *trace, size_t kept);
// What stands for a text in which the trace has put tensors, whose graph values
// are added to `ids`. Owned; UNBOUND: it holds none; VALUE_FAIL, also where
// nobody knows which tensors they are.
Value late_text_pack(Vm *vm, Str *text, IdVec *ids);
// The same for a tensor that is a text (symbolic_is_text).
Value late_text_alone(Vm *vm, Value symbolic, IdVec *ids);
// The text that such a tensor is when the graph runs; takes it.
Value late_text_value(Vm *vm, Value tensor);
bool late_text_is(Vm *vm, Value v);
// The line where the trace made what stands in the text for a tensor; 0: it
// has none.
uint32_t late_text_line(Vm *vm, const Str *text);
// TraceHooks.known_text.
MUST_CHECK bool late_text_known(Vm *vm, const Str *text);
// Whether str() gave it of all its tensors, without a format.
bool late_text_is_plain(Value v);
// Appends it with a mark for each tensor, as stage.print has them: by str().
MUST_CHECK bool late_text_format(Vm *vm, Value v, StrBuf *out);
// The text with the values of `next`, which goes on. Owned; VALUE_FAIL.
Value late_text_fill(Vm *vm, Value v, Tensor *const **next);

#endif
