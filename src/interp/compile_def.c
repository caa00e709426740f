// Functions, comprehensions, classes: each a Code of its own.
#include <stdio.h>
#include <string.h>

#include "interp/compile.h"
#include "interp/obj_list.h"
#include "interp/obj_str.h"

// Temporaries begin above the locals. A missing scope is a failure.
static void open_compiler(Compiler *c, Compiler *outer, Scope *scope)
{
    *c = (Compiler){.vm = outer->vm,
                    .outer = outer,
                    .table = outer->table,
                    .scope = scope,
                    .span = outer->span,
                    .failed = scope == NULL};
    map_init(&c->constant_map, &c->vm->ctx);
    if (scope != NULL) {
        c->local_count = c->top = c->register_count = scope->local_count;
    }
}

// Parameters and locals that inner functions share move into cells.
static void make_cells(Compiler *c)
{
    for (uint32_t i = 0; i < c->scope->symbol_count; i++) {
        if (c->scope->symbols[i]->place == PLACE_CELL) {
            emit(c, OPCODE_MKCELL, c->scope->symbols[i]->index, 0, 0);
        }
    }
}

// Names by register, for tracebacks, locals() and errors of unbound ones.
static bool copy_names(Compiler *c, Code *code)
{
    Ctx *ctx = &c->vm->ctx;
    Scope *scope = c->scope;
    if (code->local_count > 0) {
        code->local_names = ctx_alloc_zero(
            ctx, code->local_count * sizeof *code->local_names);
        if (code->local_names == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < scope->symbol_count; i++) {
        Symbol *s = scope->symbols[i];
        if (s->place == PLACE_LOCAL || s->place == PLACE_CELL) {
            code->local_names[s->index] =
                str_intern(c->vm, s->name, s->length);
            if (code->local_names[s->index] == NULL) {
                return false;
            }
        }
    }
    return true;
}

// Where the outer frame has the cell when it makes the function.
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

// Which cells of the outer frame a new function takes along.
static bool copy_captures(Compiler *c, Code *code)
{
    Ctx *ctx = &c->vm->ctx;
    Scope *scope = c->scope;
    uint32_t count = scope->captured_count;
    if (count == 0) {
        return true;
    }
    code->captures = ctx_alloc(ctx, count * sizeof *code->captures);
    if (code->captures == NULL) {
        return false;
    }
    code->captured_count = (uint16_t)count;
    code->captured_names =
        ctx_alloc_zero(ctx, count * sizeof *code->captured_names);
    if (code->captured_names == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        Symbol *s = scope->captured[i];
        code->captures[i] = capture_source(scope->parent, s);
        code->captured_names[i] = str_intern(c->vm, s->name, s->length);
        if (code->captured_names[i] == NULL) {
            return false;
        }
    }
    return true;
}

// Sets name and qualname; the caller checks both for NULL.
static void name_code(Compiler *c, Code *code, const char *name)
{
    // "outer.<locals>.inner"; a class or comprehension adds its name alone.
    const Scope *parent = c->scope->parent;
    const char *prefix = c->outer != NULL ? c->outer->qualname : NULL;
    bool in_function = parent != NULL && parent->kind != SCOPE_CLASS &&
                       parent->kind != SCOPE_COMPREHENSION;
    code->name = str_from(c->vm, name);
    code->qualname =
        prefix == NULL
            ? str_from(c->vm, name)
            : str_printf(c->vm, "%s%s.%s", prefix,
                         in_function ? ".<locals>" : "", name);
}

// Parameters stand in registers in the order of call_bind.c.
static void count_params(Code *code, const Node *params)
{
    for (uint32_t i = 0; i < params->params.params.count; i++) {
        switch (params->params.params.items[i]->param.kind) {
        case PARAM_POSITIONAL_ONLY:
            code->positional_only_count++;
            code->positional_count++;
            break;
        case PARAM_POSITIONAL: code->positional_count++; break;
        case PARAM_KEYWORD_ONLY: code->keyword_only_count++; break;
        case PARAM_VARARGS: code->flags |= CODE_VARARGS; break;
        case PARAM_VARKEYWORDS: code->flags |= CODE_VARKEYWORDS; break;
        }
    }
}

// Which calls need no binding, and how many registers one binds.
static void count_registers(Code *code)
{
    bool extra = code->flags & (CODE_VARARGS | CODE_VARKEYWORDS);
    code->parameter_count = (uint32_t)code->positional_count +
                            code->keyword_only_count +
                            !!(code->flags & CODE_VARARGS) +
                            !!(code->flags & CODE_VARKEYWORDS);
    if (code->keyword_only_count == 0 && !extra) {
        code->plain_count = code->positional_count;
        if (!(code->flags & CODE_GENERATOR)) {
            code->direct_count = code->plain_count;
        }
    }
}

static void fill_code(Compiler *c, Code *code, const Node *node,
                      const char *name, uint32_t flags)
{
    code->span = node->span;
    code->flags |= flags | (c->scope->is_generator ? CODE_GENERATOR : 0);
    name_code(c, code, name);
    if (code->name == NULL || code->qualname == NULL || !copy_names(c, code) ||
        !copy_captures(c, code)) {
        c->failed = true;
    }
    count_registers(code);
}

// Ends the inner compiler; its code becomes a constant of the outer one.
static uint32_t close_compiler(Compiler *c, Code *code)
{
    uint32_t index = 0;
    if (c->failed || code == NULL) {
        object_release_null(&c->vm->ctx, code);
        c->outer->failed = true;
    } else {
        index = constant_value(c->outer, value_from_object(code));
    }
    compiler_free(c);
    return index;
}

// The name with which inner functions' names begin, in the arena.
static void set_qualname(Compiler *c, const char *name)
{
    const char *prefix = c->outer->qualname;
    bool in_function =
        c->outer->scope != NULL && c->outer->scope->kind != SCOPE_CLASS &&
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

// A generator's return raises StopIteration and has an opcode of its own.
static void return_none(Compiler *c)
{
    if (c->scope->is_generator) {
        static const Node none = {.kind = AST_CONSTANT};
        Reg value = expr_temp(c, &none);
        emit(c, OPCODE_RETGEN, value, c->local_count, 0);
    } else {
        emit(c, OPCODE_RETN, 0, c->local_count, 0);
    }
}

// A body that runs off its end returns None.
static void function_body(Compiler *c, const Node *node)
{
    make_cells(c);
    if (node->kind == AST_LAMBDA) {
        Reg value = expr_temp(c, node->lambda.body);
        emit(c, c->scope->is_generator ? OPCODE_RETGEN : OPCODE_RET, value,
             c->local_count, 0);
    } else {
        body(c, node->function_def.body);
        return_none(c);
    }
}

// The compiled function, which its compiler `c` still belongs to. `lowered`:
// converted for a trace; NULL: as it stands.
static Code *compile_function(Compiler *outer, const Node *node,
                              const Lowered *lowered, Compiler *c)
{
    bool lambda = node->kind == AST_LAMBDA;
    const char *name = lambda ? "<lambda>" : node->function_def.name.text;
    open_compiler(c, outer, scope_of(outer->table, node));
    c->staged = lowered;
    set_qualname(c, name);
    if (!c->failed) {
        function_body(c, node);
    }
    Code *code = finish_code(c);
    if (code != NULL) {
        count_params(code, lambda ? node->lambda.params
                                  : node->function_def.params);
        fill_code(c, code, node, name,
                  (lambda ? CODE_LAMBDA : 0) |
                      (lowered != NULL ? CODE_STAGED : 0));
        Text doc = lambda ? (Text){NULL, 0} : node->function_def.docstring;
        if (doc.text != NULL) {
            code->doc = str_new(c->vm, doc.text, doc.length);
            c->failed = c->failed || code->doc == NULL;
        }
    }
    return code;
}

static uint32_t function_code(Compiler *outer, const Node *node)
{
    Compiler c;
    return close_compiler(&c, compile_function(outer, node, NULL, &c));
}

Code *function_converted(Compiler *outer, const Node *node,
                         const Lowered *lowered)
{
    Compiler c;
    Code *code = compile_function(outer, node, lowered, &c);
    if (c.failed && code != NULL) {
        object_release(&c.vm->ctx, code);
        code = NULL;
    }
    compiler_free(&c);
    return code;
}

// Computed where the function is defined, positional ones as a tuple.
static uint32_t default_values(Compiler *c, const Node *params, Reg base)
{
    NodeList list = params->params.params;
    Reg first = c->top;
    uint32_t flags = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const Node *p = list.items[i];
        if (p->param.kind <= PARAM_POSITIONAL &&
            p->param.default_value != NULL) {
            expr_temp(c, p->param.default_value);
        }
    }
    if (c->top > first) {
        emit(c, OPCODE_TUPLE, base, first, c->top - first);
        flags |= 1;
    }
    c->top = first;
    for (uint32_t i = 0; i < list.count; i++) {
        const Node *p = list.items[i];
        if (p->param.kind == PARAM_KEYWORD_ONLY &&
            p->param.default_value != NULL) {
            if (!(flags & 2)) {
                emit(c, OPCODE_DICT, base + 1, base + 1, 0);
                flags |= 2;
            }
            Reg key = push(c);
            emit(c, OPCODE_LOADK, key, name_constant(c, p->param.name), 0);
            Reg value = expr_temp(c, p->param.default_value);
            emit(c, OPCODE_DICTSET, base + 1, key, value);
            c->top = first;
        }
    }
    return flags;
}

// The dict is made for the first annotation alone.
static void annotation(Compiler *c, Text name, const Node *value, Reg dict,
                       uint32_t *flags)
{
    if (value == NULL) {
        return;
    }
    if (!(*flags & 4)) {
        emit(c, OPCODE_DICT, dict, dict, 0);
        *flags |= 4;
    }
    Reg key = push(c);
    emit(c, OPCODE_LOADK, key, name_constant(c, name), 0);
    Reg of = annotation_temp(c, value);
    emit(c, OPCODE_DICTSET, dict, key, of);
    c->top = key;
}

// Evaluated top down, before defaults and bases.
static Reg decorators_before(Compiler *c, NodeList decorators)
{
    Reg first = c->top;
    for (uint32_t i = 0; i < decorators.count; i++) {
        expr_temp(c, decorators.items[i]);
    }
    return first;
}

// Innermost first.
static void decorators_after(Compiler *c, NodeList decorators, Reg first)
{
    for (uint32_t i = decorators.count; i-- > 0;) {
        c->span = decorators.items[i]->span;
        emit(c, OPCODE_CALL, first + i, 1, 0);
    }
}

void function_to(Compiler *c, const Node *node, Reg target)
{
    bool lambda = node->kind == AST_LAMBDA;
    NodeList decorators =
        lambda ? (NodeList){NULL, 0} : node->function_def.decorators;
    const Node *params =
        lambda ? node->lambda.params : node->function_def.params;
    Reg mark = c->top;
    Reg first = decorators_before(c, decorators);
    // In a row, as MAKEFUNC wants them: the function, its two kinds of
    // defaults, its annotations.
    Reg base = push_many(c, 4);
    uint32_t flags = default_values(c, params, base + 1);
    if (!lambda) {
        static const Text returned = {"return", 6};
        for (uint32_t i = 0; i < params->params.params.count; i++) {
            const Node *p = params->params.params.items[i];
            annotation(c, p->param.name, p->param.annotation, base + 3,
                       &flags);
        }
        annotation(c, returned, node->function_def.returns, base + 3, &flags);
    }
    uint32_t code = c->failed ? 0 : function_code(c, node);
    emit_x(c, OPCODE_MAKEFUNC, flags, base, code, 0);
    decorators_after(c, decorators, first);
    emit(c, OPCODE_MOVET, target, decorators.count > 0 ? first : base, 0);
    c->top = mark;
}

// --- comprehensions ---

// A dict's key is computed before its value.
static void comp_element(Compiler *c, const Node *node, Reg result)
{
    Reg mark = c->top;
    Reg item;
    switch (node->kind) {
    case AST_DICT_COMP: {
        Reg key = expr_temp(c, node->dict_comp.key);
        item = expr_temp(c, node->dict_comp.value);
        emit(c, OPCODE_DICTSET, result, key, item);
        break;
    }
    case AST_GENERATOR_EXP:
        item = expr_temp(c, node->comp.element);
        emit_x(c, OPCODE_YIELD, 2, item, item, 0);
        break;
    default:
        item = expr_any(c, node->comp.element);
        emit(c, node->kind == AST_LIST_COMP ? OPCODE_APPEND : OPCODE_SETADD,
             result, item, 0);
    }
    c->top = mark;
}

// The first iterable was computed outside and is the only parameter.
static void comp_loop(Compiler *c, const Node *node, NodeList generators,
                      uint32_t index, Reg result)
{
    if (index == generators.count) {
        comp_element(c, node, result);
        return;
    }
    const Node *g = generators.items[index];
    Reg state = push_many(c, 4);
    uint32_t next = new_label(c);
    if (index == 0) {
        emit(c, OPCODE_MOVET, state, 0, 0);
    } else {
        expr_to(c, g->comprehension.iter, state);
    }
    emit_jump(c, OPCODE_GETITER, state, 0, next);
    uint32_t again = label_here(c);
    Symbol *local = local_symbol(c, g->comprehension.target);
    Reg item = local != NULL ? local->index : push(c);
    if (local == NULL) {
        store_target(c, g->comprehension.target, item);
    }
    for (uint32_t i = 0; i < g->comprehension.conditions.count; i++) {
        jump_if(c, g->comprehension.conditions.items[i], false, next);
    }
    comp_loop(c, node, generators, index + 1, result);
    place_label(c, next);
    c->span = g->comprehension.iter->span;
    emit_jump(c, OPCODE_FORLOOP, state, item, again);
    c->top = state;
}

void comprehension_to(Compiler *outer, const Node *node, Reg target)
{
    static const char *const names[] = {"<listcomp>", "<setcomp>",
                                        "<dictcomp>", "<genexpr>"};
    static const Opcode displays[] = {OPCODE_LIST, OPCODE_SET, OPCODE_DICT};
    uint32_t which = node->kind - AST_LIST_COMP;
    NodeList generators = node->kind == AST_DICT_COMP
                              ? node->dict_comp.generators
                              : node->comp.generators;
    Compiler c;
    open_compiler(&c, outer, scope_of(outer->table, node));
    set_qualname(&c, names[which]);
    if (!c.failed) {
        make_cells(&c);
        Reg result = push(&c);
        if (which < 3) {
            emit(&c, displays[which], result, result, 0);
        }
        comp_loop(&c, node, generators, 0, result);
        if (which < 3) {
            emit(&c, OPCODE_RET, result, c.local_count, 0);
        } else {
            return_none(&c);
        }
    }
    Code *code = finish_code(&c);
    if (code != NULL) {
        code->positional_count = 1;
        fill_code(&c, code, node, names[which], CODE_COMPREHENSION);
    }
    uint32_t constant = close_compiler(&c, code);
    Reg base = push_many(outer, 4);
    emit(outer, OPCODE_MAKEFUNC, base, constant, 0);
    expr_to(outer, generators.items[0]->comprehension.iter, base + 1);
    outer->span = node->span;
    emit(outer, OPCODE_CALL, base, 1, 0);
    emit(outer, OPCODE_MOVET, target, base, 0);
    outer->top = base;
}

// --- classes ---

// Sets a text in the namespace of the class body that runs.
static void class_string(Compiler *c, const char *name, const char *text)
{
    Reg value = push(c);
    emit(c, OPCODE_LOADK, value, constant_name(c, text, strlen(text)), 0);
    emit(c, OPCODE_SETN, value, constant_name(c, name, strlen(name)), 0);
    c->top = value;
}

static uint32_t class_code(Compiler *outer, const Node *node)
{
    Compiler c;
    const char *name = node->class_def.name.text;
    open_compiler(&c, outer, scope_of(outer->table, node));
    set_qualname(&c, name);
    if (!c.failed) {
        make_cells(&c);
        Reg module = push(&c);
        emit(&c, OPCODE_GETN, module, constant_name(&c, "__name__", 8), 0);
        emit(&c, OPCODE_SETN, module, constant_name(&c, "__module__", 10), 0);
        c.top = module;
        class_string(&c, "__qualname__", c.qualname);
        if (node->class_def.docstring.text != NULL) {
            class_string(&c, "__doc__", node->class_def.docstring.text);
        }
        body(&c, node->class_def.body);
        // A body hands the cell for super() back; MKCLASS fills it.
        Symbol *cell = scope_find(c.scope, "__class__", 9);
        if (c.scope->needs_class_cell && cell != NULL) {
            Reg value = push(&c);
            emit(&c, OPCODE_MOVE, value, cell->index, 0);
            emit(&c, OPCODE_RET, value, c.local_count, 0);
        } else {
            return_none(&c);
        }
    }
    Code *code = finish_code(&c);
    if (code != NULL) {
        code->positional_count = 1;
        fill_code(&c, code, node, name, CODE_CLASS_BODY);
    }
    return close_compiler(&c, code);
}

void class_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    NodeList decorators = node->class_def.decorators;
    Reg first = decorators_before(c, decorators);
    Reg base = push_many(c, 5);
    Node bases = {.kind = AST_TUPLE, .span = node->span};
    bases.sequence.elements = node->class_def.bases;
    expr_to(c, &bases, base);
    emit(c, OPCODE_DICT, base + 1, base + 1, 0);
    check_keywords(c, node->class_def.keywords);
    for (uint32_t i = 0; i < node->class_def.keywords.count; i++) {
        const Node *each = node->class_def.keywords.items[i];
        Reg key = push(c);
        if (each->keyword.name.text == NULL) {
            expr_to(c, each->keyword.value, key);
            emit(c, OPCODE_DICTUPDATE, base + 1, key, 0);
        } else {
            emit(c, OPCODE_LOADK, key, name_constant(c, each->keyword.name),
                 0);
            Reg value = expr_temp(c, each->keyword.value);
            emit(c, OPCODE_DICTSET, base + 1, key, value);
        }
        c->top = key;
    }
    emit(c, OPCODE_DICT, base + 2, base + 2, 0);
    uint32_t code = c->failed ? 0 : class_code(c, node);
    c->span = node->span;
    push_many(c, 2);
    emit(c, OPCODE_MAKEFUNC, base + 3, code, 0);
    emit(c, OPCODE_MOVE, base + 4, base + 2, 0);
    emit(c, OPCODE_CALL, base + 3, 1, 0);
    emit(c, OPCODE_LOADK, base + 4, name_constant(c, node->class_def.name),
         0);
    emit(c, OPCODE_MKCLASS, base, 0, 0);
    decorators_after(c, decorators, first);
    emit(c, OPCODE_MOVET, target, decorators.count > 0 ? first : base, 0);
    c->top = mark;
}

// --- the tree ---

// The text at the beginning of a module becomes its __doc__.
static void module_doc(Compiler *c, Text doc)
{
    if (doc.text == NULL || c->failed) {
        return;
    }
    Reg value = push(c);
    emit(c, OPCODE_LOADK, value, constant_name(c, doc.text, doc.length), 0);
    emit(c, c->table->names_in_dict ? OPCODE_SETN : OPCODE_SETG, value,
         constant_name(c, "__doc__", 7), 0);
    c->top = value;
}

Code *compile_tree(Vm *vm, Source *source, Arena *arena, const Node *tree,
                   RunMode mode, bool names_in_dict)
{
    ScopeTable table = {.ctx = &vm->ctx,
                        .arena = arena,
                        .source = source,
                        .names_in_dict = names_in_dict};
    Compiler outer = {.vm = vm, .table = &table};
    Compiler c = {.vm = vm, .table = &table, .failed = true};
    Code *code = NULL;
    if (scope_build(&table, tree)) {
        open_compiler(&c, &outer, table.root);
        c.outer = NULL;
        if (mode != RUN_MODULE && tree->module.body.count > 0) {
            c.result = tree->module.body.items[tree->module.body.count - 1];
        }
        future_read(&c, tree->module.body);
        if (mode == RUN_MODULE) {
            module_doc(&c, tree->module.docstring);
        }
        body(&c, tree->module.body);
        if (mode == RUN_MODULE) {
            return_none(&c);
        } else {
            Reg value = push(&c);
            emit(&c, OPCODE_DROP, value, 0, 0);
            emit(&c, OPCODE_RET, value, c.local_count, 0);
        }
        code = finish_code(&c);
    }
    if (code != NULL) {
        code->positional_count = 1;
        fill_code(&c, code, tree, "<module>", CODE_MODULE);
        if (c.failed) {
            object_release(&vm->ctx, code);
            code = NULL;
        }
    }
    compiler_free(&c);
    scope_free(&table);
    return code;
}
