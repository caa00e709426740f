// Codes: opening and closing their compilers, and the whole text's own.
#include <stdio.h>
#include <string.h>

#include "interp/machine/compile/compile_code.h"
#include "interp/objects/text/obj_str.h"

// Everything that is not named here is zero: vectors that hold nothing.
void compiler_open(Compiler *c, Compiler *outer, Scope *scope)
{
    *c = (Compiler){.vm = outer->vm,
                    .outer = outer,
                    .table = outer->table,
                    .scope = scope,
                    .span = outer->span,
                    .failed = scope == NULL};
    map_init(&c->constant_map, &c->vm->ctx);
    if (scope != NULL) {
        // Parameters and other locals may be more than operands can name.
        c->local_count = scope->local_count;
        compile_push_many(c, scope->local_count);
    }
}

// A parameter is moved too: MKCELL wraps what the register holds.
void compiler_cells(Compiler *c)
{
    for (uint32_t i = 0; i < c->scope->symbol_count; i++) {
        if (c->scope->symbols[i]->place == PLACE_CELL) {
            compile_emit(c, OPCODE_MKCELL, c->scope->symbols[i]->index, 0, 0);
        }
    }
}

// Names by register, for tracebacks, locals() and errors of unbound ones.
// Hidden symbols have names no program can write; locals() leaves them out.
static bool copy_names(Compiler *c, Code *code)
{
    Ctx *ctx = &c->vm->ctx;
    Scope *scope = c->scope;
    if (code->local_count > 0) {
        code->local_names =
            ctx_alloc_zero(ctx, code->local_count * sizeof *code->local_names);
        if (code->local_names == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < scope->symbol_count; i++) {
        Symbol *s = scope->symbols[i];
        // A cell stands in the register of its variable.
        if (s->place == PLACE_LOCAL || s->place == PLACE_CELL) {
            code->local_names[s->index] = str_intern(c->vm, s->name, s->length);
            if (code->local_names[s->index] == NULL) {
                return false;
            }
        }
    }
    return true;
}

// Where the outer frame has the cell when it makes the function. Either a cell
// of the outer function's own or one that it has captured itself.
static uint16_t capture_source(const Scope *outer, const Symbol *symbol)
{
    for (uint32_t i = 0; i < outer->captured_count; i++) {
        if (strcmp(outer->captured[i]->name, symbol->name) == 0) {
            return (uint16_t)(CAPTURE_OUTER | i);
        }
    }
    Symbol *own = scope_find(outer, symbol->name, symbol->length);
    return own == NULL ? 0 : (uint16_t)own->index;
}

// Which cells of the outer frame a new function takes along. The names are for
// tracebacks and __closure__; the order is that of the scope.
static bool copy_captures(Compiler *c, Code *code)
{
    Ctx *ctx = &c->vm->ctx;
    Scope *scope = c->scope;
    uint32_t count = scope->captured_count;
    if (count == 0) {
        return true;
    }
    // The bit that tells the two kinds of sources apart leaves fifteen.
    const Scope *outer = scope->parent;
    if (count > CAPTURE_OUTER || outer->captured_count > CAPTURE_OUTER ||
        outer->local_count > CAPTURE_OUTER) {
        compile_error(c, c->span, "too many values in one function");
        return false;
    }
    code->captures = ctx_alloc(ctx, count * sizeof *code->captures);
    if (code->captures == NULL) {
        return false;
    }
    // Set before the names, so that freeing a half-made code knows its arrays.
    code->captured_count = (uint16_t)count;
    code->captured_names =
        ctx_alloc_zero(ctx, count * sizeof *code->captured_names);
    if (code->captured_names == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        Symbol *s = scope->captured[i];
        code->captures[i] = capture_source(outer, s);
        code->captured_names[i] = str_intern(c->vm, s->name, s->length);
        if (code->captured_names[i] == NULL) {
            return false;
        }
    }
    return true;
}

// Sets name and qualname; the caller checks both for NULL. NULL in either:
// memory is short.
static void name_code(Compiler *c, Code *code, const char *name)
{
    // "outer.<locals>.inner"; a class or comprehension adds its name alone.
    const Scope *parent = c->scope->parent;
    const char *prefix = c->outer != NULL ? c->outer->qualname : NULL;
    bool in_function = parent != NULL && parent->kind != SCOPE_CLASS &&
                       parent->kind != SCOPE_COMPREHENSION;
    code->name = str_from(c->vm, name);
    code->qualname = prefix == NULL
                         ? str_from(c->vm, name)
                         : str_printf(c->vm, "%s%s.%s", prefix,
                                      in_function ? ".<locals>" : "", name);
}

// Which calls need no binding, and how many registers one binds. A call whose
// arguments are all positional skips binding where `plain_count` says so;
// `direct_count` also skips what generators and class bodies need.
static void count_registers(Code *code)
{
    bool extra = code->flags & (CODE_VARARGS | CODE_VARKEYWORDS);
    code->parameter_count =
        (uint32_t)code->positional_count + code->keyword_only_count +
        !!(code->flags & CODE_VARARGS) + !!(code->flags & CODE_VARKEYWORDS);
    if (code->keyword_only_count == 0 && !extra) {
        code->plain_count = code->positional_count;
        if (!(code->flags & (CODE_GENERATOR | CODE_CLASS_BODY))) {
            code->direct_count = code->plain_count;
        }
    }
}

// The words are made; what tracebacks, calls and closures ask of them is added.
// `flags` are CODE_ flags of its kind.
void compiler_fill(Compiler *c, Code *code, const Node *node, const char *name,
                   uint32_t flags)
{
    code->span = node->span;
    bool decorated = node->kind == AST_FUNCTION_DEF &&
                     node->function_def.decorators.count > 0;
    code->start = decorated ? node->function_def.decorators.items[0]->span.start
                            : node->span.start;
    code->flags |= flags | (c->scope->is_generator ? CODE_GENERATOR : 0);
    name_code(c, code, name);
    if (code->name == NULL || code->qualname == NULL || !copy_names(c, code) ||
        !copy_captures(c, code)) {
        c->failed = true;
    }
    count_registers(code);
}

// The constant owns the code from here on.
uint32_t compiler_close(Compiler *c, Code *code)
{
    uint32_t index = 0;
    if (c->failed || code == NULL) {
        object_release_null(&c->vm->ctx, code);
        c->outer->failed = true;
    } else {
        index = compile_constant_value(c->outer, value_from_object(code));
    }
    compiler_free(c);
    return index;
}

void compiler_name(Compiler *c, const char *name)
{
    const char *prefix = c->outer->qualname;
    bool in_function = c->outer->scope != NULL &&
                       c->outer->scope->kind != SCOPE_CLASS &&
                       c->outer->scope->kind != SCOPE_COMPREHENSION;
    size_t size = (prefix == NULL ? 0 : strlen(prefix)) + strlen(name) + 12;
    char *text = arena_alloc(c->table->arena, size);
    if (text == NULL) {
        c->failed = true;
        return;
    }
    snprintf(text, size, "%s%s%s%s", prefix == NULL ? "" : prefix,
             prefix == NULL ? "" : (in_function ? ".<locals>" : ""),
             prefix == NULL ? "" : ".", name);
    c->qualname = text;
}

// RETGEN takes its value from a register, RETN needs none.
void compile_return_none(Compiler *c)
{
    if (c->scope->is_generator) {
        static const Node none = {.kind = AST_CONSTANT};
        Reg value = compile_temp(c, &none);
        compile_emit(c, OPCODE_RETGEN, value, c->local_count, 0);
    } else {
        compile_emit(c, OPCODE_RETN, 0, c->local_count, 0);
    }
}

// The text at the beginning of a module becomes its __doc__. Only in a module:
// the body of a function keeps its text in the code.
static void module_doc(Compiler *c, Text doc)
{
    if (doc.text == NULL || c->failed) {
        return;
    }
    Reg value = compile_push(c);
    compile_emit(c, OPCODE_LOADK, value,
                 compile_constant_name(c, doc.text, doc.length), 0);
    compile_emit(c, c->table->names_in_dict ? OPCODE_SETN : OPCODE_SETG, value,
                 compile_constant_name(c, "__doc__", 7), 0);
    c->top = value;
}

// The whole text. The scopes are worked out first: where a name lives depends
// on what follows it.
Code *compile_tree(Vm *vm, Source *source, Arena *arena, const Node *tree,
                   RunMode mode, bool names_in_dict)
{
    ScopeTable table = {.ctx = &vm->ctx,
                        .arena = arena,
                        .source = source,
                        .names_in_dict = names_in_dict};
    // A stand-in, so that compiler_open need not ask whether there is one.
    Compiler outer = {.vm = vm, .table = &table};
    Compiler c = {.vm = vm, .table = &table, .failed = true};
    Code *code = NULL;
    if (scope_build(&table, tree)) {
        compiler_open(&c, &outer, table.root);
        c.outer = NULL;
        c.shows = mode == RUN_SINGLE;
        bool valued = mode == RUN_EXPRESSION || mode == RUN_INTERACTIVE;
        if (valued && tree->module.body.count > 0) {
            // The prompt shows the value of the last statement if it is an
            // expression.
            c.result = tree->module.body.items[tree->module.body.count - 1];
        }
        compile_future_read(&c, tree->module.body);
        if (table.root->has_annotations) {
            compile_emit(&c, OPCODE_ANNOTATIONS, 0, 0, 0);
        }
        if (mode == RUN_MODULE) {
            module_doc(&c, tree->module.docstring);
        }
        compile_body(&c, tree->module.body);
        if (!valued) {
            compile_return_none(&c);
        } else {
            Reg value = compile_push(&c);
            // The register is emptied, so that a text without a value gives
            // UNBOUND.
            compile_emit(&c, OPCODE_DROP, value, 0, 0);
            compile_emit(&c, OPCODE_RET, value, c.local_count, 0);
        }
        code = compile_finish(&c);
    }
    if (code != NULL) {
        code->positional_count = 1;
        compiler_fill(&c, code, tree, "<module>", CODE_MODULE);
        if (c.failed) {
            object_release(&vm->ctx, code);
            code = NULL;
        }
    }
    compiler_free(&c);
    scope_free(&table);
    return code;
}
