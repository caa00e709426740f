// The compiler: from a tree to a Code. Shared by compile*.c alone; others call
// compile_tree.h.
//
// Failure is sticky: after the first error (pending in the Vm) every function
// does nothing, and compile_tree reports it. Registers: locals stand below
// local_count, temporaries above in stack order; `top` is the first free one.
// An expression's value goes to the register that the caller names.
#ifndef DUET_INTERP_MACHINE_COMPILE_COMPILE_H
#define DUET_INTERP_MACHINE_COMPILE_COMPILE_H

#include "interp/machine/compile/compile_tree.h"
#include "interp/machine/compile/lower.h"
#include "interp/machine/compile/scope.h"

typedef uint32_t Reg;

typedef struct Label { // a place to jump to; word UINT32_MAX: not yet placed
    uint32_t word;
} Label;

typedef struct Fixup { // a jump whose distance is filled in at the end
    uint32_t word, label;
} Fixup;

typedef struct InsSpan { // the span of the instruction at `word`
    uint32_t word;
    Span span;
} InsSpan;

// What `break`, `continue` and `return` pass on their way out, innermost
// first.
typedef enum ExitKind {
    EXIT_LOOP,    // a loop: drops its hidden registers
    EXIT_FINALLY, // runs `finally`
    EXIT_WITH,    // calls __exit__
    EXIT_HANDLED, // an `except` block: the exception is done
    EXIT_TRY,     // only marks where a handler's range is interrupted
    EXIT_RESULT   // a `return` on its way out, which another jump replaces
} ExitKind;

typedef struct Exit {
    ExitKind kind;
    struct Exit *outer;
    Reg base;       // first hidden register
    uint32_t count; // hidden registers to drop
    uint32_t break_label, continue_label;
    NodeList finalbody;
    Text name;        // `except … as name`: unbound at the end
    void *ranges;     // a Range of compile_try.c, NULL: none
    uint32_t handled; // handled exceptions outside it
    Span span;        // of the `with`, whose __exit__ is called
} Exit;

typedef struct Compiler {
    Vm *vm;
    struct Compiler *outer;
    ScopeTable *table;
    Scope *scope;
    const Node *result; // the last statement of a text that has a value
    bool shows; // expression statements hand their values to sys.displayhook
    bool failed;
    Reg top, local_count, register_count;
    uint32_t handled; // exceptions being handled here, statically
    Span span;        // of what is being compiled
    Span around;      // of the statement or expression whose condition is being
                      // compiled: what a failing __bool__ marks
                      // (compile_jump_if)
    Exit *exits;
    VEC(Ins) words;
    VEC(Label) labels;
    VEC(Fixup) fixups;
    VEC(InsSpan) spans;
    const Lowered *staged; // conversion for a trace (lower.h); NULL: ordinary
    const Node *number;    // an operand of arithmetic or order, which None
                           // could not be
    VEC(BlockInfo) blocks; // their words are labels until the end
    BlockInfo no_block;    // written to after a failure, never read
    VEC(Handler) handlers; // start, end, target are labels until the end
    VEC(Value) constants;
    Map constant_map;
    const char *qualname;
    VEC(Symbol *) bound; // locals assigned so far in the bodies around here
} Compiler;

// compile_emit.c
void compile_emit(Compiler *c, Opcode op, uint32_t a, uint32_t b,
                  uint32_t extra);
// With the field x, which holds flags or a small number.
void compile_emit_x(Compiler *c, Opcode op, uint32_t x, uint32_t a, uint32_t b,
                    uint32_t extra);
// To a label, which may be placed later.
void compile_emit_jump(Compiler *c, Opcode op, uint32_t a, uint32_t b,
                       uint32_t label);
void compile_emit_jump_x(Compiler *c, Opcode op, uint32_t x, uint32_t a,
                         uint32_t b, uint32_t label);
// A number for a place that is not known yet.
uint32_t compile_new_label(Compiler *c);
// The place is the next instruction.
void compile_place_label(Compiler *c, uint32_t label);
// A new label that is placed at once: for jumps back.
uint32_t compile_label_here(Compiler *c);
// Errors between the labels `start` and `end` go on at `target`, with the
// temporaries cut back to `depth`.
void compile_add_handler(Compiler *c, uint32_t start, uint32_t end,
                         uint32_t target, Reg depth);
Reg compile_push(Compiler *c); // a new temporary
// Neighbouring temporaries; the first is given back.
Reg compile_push_many(Compiler *c, uint32_t count);
// A SyntaxError at the span; compilation has failed from then on.
void compile_error(Compiler *c, Span span, const char *format, ...)
    PRINTF_LIKE(3, 4);
uint32_t compile_constant_value(Compiler *c, Value value); // takes
uint32_t compile_constant_name(Compiler *c, const char *text, size_t length);
uint32_t compile_constant_node(Compiler *c,
                               const Node *node); // or a compile_constant_float
uint32_t compile_name_constant(Compiler *c, Text name); // mangled
// Resolves labels and takes the words over into a Code. NULL: failed at some
// point before.
MUST_CHECK Code *compile_finish(Compiler *c);
// Due in any case, also after compile_finish.
void compiler_free(Compiler *c);

// compile_expr.c
void compile_to(Compiler *c, const Node *node, Reg target);
// The same of what a loop walks (compile_call.c).
void compile_walked_to(Compiler *c, const Node *node, Reg target);
Reg compile_any(Compiler *c,
                const Node *node); // a local in place, or a new temp
Reg compile_temp(Compiler *c, const Node *node); // always a new temporary
// compile_any, but a local that is not bound fails before `next` is evaluated.
Reg compile_first(Compiler *c, const Node *node, const Node *next);
void compile_check_bound(Compiler *c, const Node *node, const Node *next);
// Whether reading this expression in place cannot meet a local without a value.
bool compile_surely_read(Compiler *c, const Node *node);
// From here to the end of the body around, what `target` names is bound.
void compile_note_bound(Compiler *c, const Node *target);
Symbol *compile_symbol_of(Compiler *c, Text name); // NULL: failed
Symbol *compile_local_symbol(Compiler *c,
                             const Node *node); // NULL: not a plain local
// By where the scope says that it lives.
void compile_load_name(Compiler *c, Text name, Reg target);

// compile_jump.c
// Jumps where the truth of the node is `sense`; and, or, not become jumps.
// `whole` is the statement or expression that the condition belongs to; NULL:
// c->around is the place already, and stays what the condition makes of it.
void compile_jump_if(Compiler *c, const Node *node, bool sense, uint32_t label,
                     const Node *whole);

// compile_future.c
void compile_future_read(Compiler *c,
                         NodeList body); // the head of a whole text
void compile_future_check(Compiler *c,
                          const Node *node);           // an import further down
Reg compile_annotation(Compiler *c, const Node *node); // its value, or its text

// compile_staged.c: what converted code does otherwise. False: as usual.
bool compile_staged_statement(Compiler *c, const Node *node);
bool compile_staged_expression(Compiler *c, const Node *node, Reg target);
// The iterable of a call of stage.for_each, which stage.code() prints for a
// loop, into a new register.
bool compile_staged_iterable(Compiler *c, const Node *call);
// The iterable of a `for` or of a list comprehension, which may be a note
// (block_note.h).
void compile_noted_to(Compiler *c, const Node *iter, Reg state);
// places.c: adds what these assign to the block `info` (a number).
void compile_places(Compiler *c, uint32_t info, NodeList list);
void compile_expression_places(Compiler *c, uint32_t info, const Node *node);
// A place that is a register, such as a loop's hidden state.
void compile_place_register(Compiler *c, uint32_t info, Reg target);
// Finds the places of a loop's block that a turn assigns before it reads them.
void compile_mark_fresh(Compiler *c, uint32_t info, const Node *loop);

// compile_binary.c
void compile_binary_to(Compiler *c, const Node *node, Reg target);
// target = left <op> right, where `left` is in a register already. `inplace`
// 1: an augmented assignment.
void compile_operate_to(Compiler *c, BinaryOp op, uint32_t inplace, Reg left,
                        const Node *right, Reg target, Span span);
// A literal int that fits 16 bits (with its sign).
bool compile_constant_int16(const Node *node, int32_t *number);
bool compile_constant_float(const Node *node); // with its sign

// compile_percent.c
// Whether a BINARY is "%s" % (x,), which is compiled as f"{x!s}" is.
bool compile_percent_is_text(const Node *node);
void compile_percent_to(Compiler *c, const Node *node, Reg target);
// Joins the texts in the temporaries from `first` on when there are many.
void compile_join_full(Compiler *c, Reg first); // compile_expr.c

// compile_call.c
void compile_call_to(Compiler *c, const Node *node, Reg target);
void compile_display_to(Compiler *c, const Node *node, Reg target);

// compile_def.c, compile_comp.c, compile_class.c
void compile_function_to(Compiler *c, const Node *node, Reg target);
// Its code is a function of its own, which is called at once.
void compile_comprehension_to(Compiler *c, const Node *node, Reg target);
// The body runs as a function that fills the namespace.
void compile_class_to(Compiler *c, const Node *node, Reg target);
// The code of one function of a tree, converted. NULL: failed.
MUST_CHECK Code *compile_converted(Compiler *outer, const Node *node,
                                   const Lowered *lowered);

// compile_stmt.c
void compile_body(Compiler *c, NodeList list);
// compile_target.c
void compile_store_name(Compiler *c, Text name, Reg source);
// Unpacks tuples; `source` is a register that may be a temporary.
void compile_store_target(Compiler *c, const Node *target, Reg source);
// x += 1 and its kind: the target is evaluated once.
void compile_aug_assign(Compiler *c, const Node *node);
void compile_delete_target(Compiler *c, const Node *node);
// compile_try.c
void compile_try(Compiler *c, const Node *node);
// __exit__ runs on every way out of the body.
void compile_with(Compiler *c, const Node *node);
// Emits what stands between here and `until`; after the jump or return that
// follows, compile_leave_resume begins the protected ranges again. `result`:
// what a `return` has in hand, which a jump on the way drops; NULL: none.
void compile_leave_to(Compiler *c, const Exit *until, const Reg *result);
// Due after c->exits was set to a new block: the limit on their number, a
// SyntaxError.
void compile_blocks_limit(Compiler *c);
void compile_leave_resume(Compiler *c, const Exit *until);

// Where an error in reading an attribute is: one that is spread over lines is
// shown at its name alone.
Span compile_attribute_span(const Compiler *c, const Node *node);
void compile_check_keywords(Compiler *c, NodeList keywords);

// Marks temporaries and chains in finished words (compile_fuse.c); starts[]
// are the places of the instructions.
void code_fuse(Ins *words, const uint32_t *starts, size_t count,
               uint32_t local_count);
// Whether x of this instruction holds flags above its low four bits.
bool code_has_flags(Opcode op);

#endif
