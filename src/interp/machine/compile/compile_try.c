// try, with, and the ways out of them.
//
// `finally` is compiled once for each way out. A way out that leaves through a
// protected range ends that range first and begins it again behind, so that an
// error in `finally` is not caught by its own handler.
#include "interp/machine/compile/compile.h"

typedef struct HandlerRange { // the protected ranges of one handler, in pieces
    uint32_t start, target;
    Reg depth;
} HandlerRange;

static void begin(Compiler *c, HandlerRange *range)
{
    range->start = compile_label_here(c);
}

static void end(Compiler *c, const HandlerRange *range)
{
    compile_add_handler(c, range->start, compile_label_here(c), range->target,
                        range->depth);
}

// A handler counts twice: one block for all handlers and one for each (fixed).
// `finally` inside of `finally` doubles its code at every level, so without a
// limit a short text could be compiled for ever.
void compile_blocks_limit(Compiler *c)
{
    enum { BLOCKS_MAX = 20 };
    uint32_t count = 0;
    for (const Exit *exit = c->exits; exit != NULL; exit = exit->outer) {
        count += exit->kind == EXIT_HANDLED && exit->ranges != NULL ? 2 : 1;
    }
    if (count > BLOCKS_MAX) {
        compile_error(c, c->span, "too many statically nested blocks");
    }
}

// What stands between here and the end of the block, for break and return.
static void exit_push(Compiler *c, Exit *exit, ExitKind kind,
                      HandlerRange *range)
{
    *exit = (Exit){.kind = kind,
                   .outer = c->exits,
                   .handled = c->handled,
                   .ranges = range};
    c->exits = exit;
    compile_blocks_limit(c);
}

// The way out through one block; its own range ends first.
// Emits code at the place of the jump; the block itself goes on behind.
static void leave_one(Compiler *c, Exit *exit)
{
    HandlerRange *range = exit->ranges;
    if (range != NULL) {
        // Otherwise an error in what follows would come back to this block.
        end(c, range);
    }
    switch (exit->kind) {
    case EXIT_LOOP:
        compile_emit(c, OPCODE_DROPN, exit->base, exit->count, 0);
        break;
    // The body is compiled anew for this way out.
    case EXIT_FINALLY: compile_body(c, exit->finalbody); break;
    case EXIT_WITH: {
        Span here = c->span;
        c->span = exit->span; // the statement is blamed
        compile_emit(c, OPCODE_WITHEXIT, exit->base, 0, 0);
        c->span = here;
        break;
    }
    case EXIT_HANDLED:
        compile_emit(c, OPCODE_POPEXC, 0, 0, 0);
        compile_emit(c, OPCODE_DROP, exit->base, 0, 0);
        if (exit->name.text != NULL) {
            Node none = {.kind = AST_CONSTANT, .span = c->span};
            Reg value = compile_temp(c, &none);
            compile_store_name(c, exit->name, value);
            Node name = {.kind = AST_NAME, .span = c->span};
            name.name.id = exit->name;
            compile_delete_target(c, &name);
            c->top = value;
        }
        break;
    case EXIT_RESULT: compile_emit(c, OPCODE_DROP, exit->base, 0, 0); break;
    case EXIT_TRY: break;
    }
}

void compile_leave_to(Compiler *c, const Exit *until, const Reg *result)
{
    // Each way out is compiled as if the inner blocks were closed already, so
    // that a `return` inside `finally` leaves only what is still open, and the
    // result of the first one.
    Exit *saved = c->exits;
    uint32_t handled = c->handled;
    for (Exit *exit = saved; exit != until && !c->failed; exit = exit->outer) {
        Exit first = {.kind = EXIT_RESULT, .outer = exit->outer};
        first.base = result != NULL ? *result : 0;
        c->exits = result != NULL ? &first : exit->outer;
        // Outside of an `except` block its exception is no longer handled,
        // which handlers in the code that follows have to know.
        c->handled = exit->kind == EXIT_HANDLED ? exit->handled : c->handled;
        leave_one(c, exit);
    }
    c->exits = saved;
    c->handled = handled;
}

// After the jump: the ranges that compile_leave_to ended begin again.
static void resume_ranges(Compiler *c, const Exit *until)
{
    for (Exit *exit = c->exits; exit != until; exit = exit->outer) {
        if (exit->ranges != NULL) {
            begin(c, exit->ranges);
        }
    }
}

void compile_leave_resume(Compiler *c, const Exit *until)
{
    resume_ranges(c, until);
}

// The name is unbound at the end on every way out, as Python does it.
static void handler_body(Compiler *c, const Node *node, Reg exception,
                         uint32_t done)
{
    Exit handled;
    HandlerRange range = {0, compile_new_label(c), c->top};
    // The handler's body is protected in turn: an error in it must still end
    // the handling and unbind the name.
    exit_push(c, &handled, EXIT_HANDLED, &range);
    handled.base = exception;
    handled.name = node->handler.name;
    compile_emit(c, OPCODE_PUSHEXC, exception, 0, 0);
    handled.handled = c->handled++;
    begin(c, &range);
    if (node->handler.name.text != NULL) {
        Reg copy = compile_push(c);
        compile_emit(c, OPCODE_MOVE, copy, exception, 0);
        compile_store_name(c, node->handler.name, copy);
        c->top = copy;
    }
    compile_body(c, node->handler.body);
    c->exits = handled.outer;
    leave_one(c, &handled);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, done);
    compile_place_label(c, range.target);
    Reg error = compile_push(c);
    // The range has ended; leave_one must not end it twice.
    handled.ranges = NULL;
    handled.base = exception;
    leave_one(c, &handled);
    compile_emit(c, OPCODE_RERAISE, error, 0, 0);
    c->top = error;
    c->handled--;
}

// Jumps to `miss` if the exception is none of `type`. It is being handled
// meanwhile, so that an error in the expression has it as its context.
static void match_type(Compiler *c, const Node *type, Reg exception,
                       uint32_t miss)
{
    HandlerRange range = {0, compile_new_label(c), c->top};
    uint32_t other = compile_new_label(c), fits = compile_new_label(c);
    compile_emit(c, OPCODE_PUSHEXC, exception, 0, 0);
    begin(c, &range);
    Span whole = c->span;
    Reg value = compile_temp(c, type);
    c->span = whole;
    compile_emit_jump(c, OPCODE_MATCH, exception, value, other);
    c->top = value;
    end(c, &range);
    compile_emit(c, OPCODE_POPEXC, 0, 0, 0);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, fits);
    compile_place_label(c, range.target);
    Reg error = compile_push(c);
    compile_emit(c, OPCODE_POPEXC, 0, 0, 0);
    compile_emit(c, OPCODE_RERAISE, error, 0, 0);
    c->top = error;
    compile_place_label(c, other);
    compile_emit(c, OPCODE_POPEXC, 0, 0, 0);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, miss);
    compile_place_label(c, fits);
}

// The exception stays in its register until one fits, else it goes on.
static void handlers(Compiler *c, const Node *node, Reg exception,
                     uint32_t done)
{
    NodeList list = node->try_stmt.handlers;
    for (uint32_t i = 0; i < list.count && !c->failed; i++) {
        const Node *each = list.items[i];
        uint32_t next = compile_new_label(c);
        c->span = each->span;
        if (each->handler.type != NULL) {
            match_type(c, each->handler.type, exception, next);
        } else if (i + 1 < list.count) {
            compile_error(c, each->span, "default 'except:' must be last");
        }
        handler_body(c, each, exception, done);
        compile_place_label(c, next);
    }
    compile_emit(c, OPCODE_RERAISE, exception, 0, 0);
}

// `else` stands outside the protected range.
static void try_except(Compiler *c, const Node *node)
{
    Reg exception = c->top;
    Exit mark;
    HandlerRange range = {0, compile_new_label(c), exception};
    uint32_t done = compile_new_label(c);
    exit_push(c, &mark, EXIT_TRY, &range);
    begin(c, &range);
    compile_body(c, node->try_stmt.body);
    end(c, &range);
    c->exits = mark.outer;
    compile_body(c, node->try_stmt.orelse);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, done);
    compile_place_label(c, range.target);
    compile_push(c);
    handlers(c, node, exception, done);
    compile_place_label(c, done);
    c->top = exception;
}

// The body is there once for the normal end, once for errors, and once for
// each jump out of the block (leave_one).
static void try_finally(Compiler *c, const Node *node)
{
    Reg exception = c->top;
    Exit exit;
    HandlerRange range = {0, compile_new_label(c), exception};
    uint32_t done = compile_new_label(c);
    exit_push(c, &exit, EXIT_FINALLY, &range);
    exit.finalbody = node->try_stmt.finalbody;
    begin(c, &range);
    if (node->try_stmt.handlers.count > 0) {
        try_except(c, node);
    } else {
        compile_body(c, node->try_stmt.body);
    }
    end(c, &range);
    // From here on a jump out of the body runs `finally` no more.
    c->exits = exit.outer;
    compile_body(c, node->try_stmt.finalbody);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, done);
    compile_place_label(c, range.target);
    compile_push(c);
    // The second copy of the body runs while the exception is being handled.
    Exit handled;
    exit_push(c, &handled, EXIT_HANDLED, NULL);
    handled.base = exception;
    compile_emit(c, OPCODE_PUSHEXC, exception, 0, 0);
    c->handled++;
    compile_body(c, node->try_stmt.finalbody);
    c->handled--;
    c->exits = handled.outer;
    compile_emit(c, OPCODE_POPEXC, 0, 0, 0);
    compile_emit(c, OPCODE_RERAISE, exception, 0, 0);
    compile_place_label(c, done);
    c->top = exception;
}

// try/except/finally is try/finally around try/except.
void compile_try(Compiler *c, const Node *node)
{
    if (node->try_stmt.finalbody.count > 0) {
        try_finally(c, node);
    } else {
        try_except(c, node);
    }
}

// One item around the next: `with a, b` nests.
static void with_item(Compiler *c, const Node *node, uint32_t index)
{
    if (index == node->with_stmt.items.count) {
        compile_body(c, node->with_stmt.body);
        return;
    }
    const Node *item = node->with_stmt.items.items[index];
    Reg leave = compile_temp(c, item->with_item.context);
    Reg value = compile_push(c);
    c->span = node->span; // the statement is blamed
    // The context's register becomes its bound __exit__, `value` what __enter__
    // gave. `leave` lies below the range's depth, so an error leaves it alone.
    compile_emit(c, OPCODE_WITHENTER, leave, value, 0);
    c->top = value;
    Exit exit;
    HandlerRange range = {0, compile_new_label(c), value};
    uint32_t done = compile_new_label(c);
    exit_push(c, &exit, EXIT_WITH, &range);
    exit.base = leave;
    exit.span = node->span;
    begin(c, &range);
    compile_push(c);
    if (item->with_item.target != NULL) {
        compile_store_target(c, item->with_item.target, value);
    } else {
        compile_emit(c, OPCODE_DROP, value, 0, 0);
    }
    c->top = value;
    if (!c->failed) {
        with_item(c, node, index + 1); // as deep as blocks may nest
    }
    end(c, &range);
    c->exits = exit.outer;
    c->span = node->span;
    compile_emit(c, OPCODE_WITHEXIT, leave, 0, 0);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, done);
    compile_place_label(c, range.target);
    Reg exception = compile_push(c), result = compile_push(c);
    // A true result of __exit__ ends the exception.
    uint32_t swallow = compile_new_label(c);
    compile_emit(c, OPCODE_PUSHEXC, exception, 0, 0);
    c->handled++;
    compile_emit(c, OPCODE_WITHEXC, result, leave, exception);
    compile_emit_jump(c, OPCODE_JTRUE, result, 0, swallow);
    compile_emit(c, OPCODE_POPEXC, 0, 0, 0);
    compile_emit(c, OPCODE_RERAISE, exception, 0, 0);
    compile_place_label(c, swallow);
    compile_emit(c, OPCODE_POPEXC, 0, 0, 0);
    c->handled--;
    compile_emit(c, OPCODE_DROPN, leave, 2, 0);
    compile_place_label(c, done);
    c->top = leave;
}

// Further items are compiled as if they stood in a `with` inside.
void compile_with(Compiler *c, const Node *node)
{
    with_item(c, node, 0);
}
