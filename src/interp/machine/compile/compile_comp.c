// Comprehensions and generator expressions: functions of one parameter, the
// first iterable, which is evaluated outside.
#include "interp/machine/compile/compile_code.h"

// A dict's key is computed before its value. `result` is the register of the
// list, set or dict; a generator expression yields instead.
static void comp_element(Compiler *c, const Node *node, Reg result)
{
    Reg mark = c->top;
    Reg item;
    switch (node->kind) {
    case AST_DICT_COMP: {
        Reg key = compile_temp(c, node->dict_comp.key);
        item = compile_temp(c, node->dict_comp.value);
        compile_emit(c, OPCODE_DICTSET, result, key, item);
        break;
    }
    case AST_GENERATOR_EXP:
        item = compile_temp(c, node->comp.element);
        compile_emit_x(c, OPCODE_YIELD, 2, item, item, 0);
        break;
    default:
        item = compile_any(c, node->comp.element);
        compile_emit(
            c, node->kind == AST_LIST_COMP ? OPCODE_APPEND : OPCODE_SETADD,
            result, item, 0);
    }
    c->top = mark;
}

// The first iterable was computed outside and is the only parameter. Recursion
// by clauses: as deep as there are `for`s, of which a text may have any number.
static void comp_loop(Compiler *c, const Node *node, NodeList generators,
                      uint32_t index, Reg result)
{
    if (index == generators.count) {
        comp_element(c, node, result);
        return;
    }
    if (c->failed || !ctx_enter(&c->vm->ctx)) {
        c->failed = true;
        return;
    }
    const Node *g = generators.items[index];
    Reg state = compile_push_many(c, 4);
    uint32_t next = compile_new_label(c);
    if (index == 0) {
        compile_emit(c, OPCODE_MOVET, state, 0, 0);
    } else {
        compile_walked_to(c, g->comprehension.iter, state);
        c->span = c->around;
    }
    Span place = c->around;
    compile_emit_jump_x(c, OPCODE_GETITER, index == 0, state, 0, next);
    uint32_t again = compile_label_here(c);
    // A plain name gets the item at once, without a copy.
    Symbol *local = compile_local_symbol(c, g->comprehension.target);
    Reg item = local != NULL ? local->index : compile_push(c);
    if (local == NULL) {
        compile_store_target(c, g->comprehension.target, item);
    }
    for (uint32_t i = 0; i < g->comprehension.conditions.count; i++) {
        // What the last condition left as the place is that of what follows.
        compile_jump_if(c, g->comprehension.conditions.items[i], false, next,
                        NULL);
    }
    comp_loop(c, node, generators, index + 1, result);
    compile_place_label(c, next);
    c->span = place;
    compile_emit_jump(c, OPCODE_FORLOOP, state, item, again);
    c->top = state;
    ctx_leave(&c->vm->ctx);
}

void compile_comprehension_to(Compiler *outer, const Node *node, Reg target)
{
    static const char *const names[] = {"<listcomp>", "<setcomp>", "<dictcomp>",
                                        "<genexpr>"};
    static const Opcode displays[] = {OPCODE_LIST, OPCODE_SET, OPCODE_DICT};
    uint32_t which = node->kind - AST_LIST_COMP;
    NodeList generators = node->kind == AST_DICT_COMP
                              ? node->dict_comp.generators
                              : node->comp.generators;
    Compiler c;
    compiler_open(&c, outer, scope_of(outer->table, node));
    compiler_name(&c, names[which]);
    // A generator's frame may outlive the trace.
    c.staged = which < 3 ? outer->staged : NULL;
    if (!c.failed) {
        compiler_cells(&c);
        c.around = node->span; // of all its conditions
        Reg result = compile_push(&c);
        if (which < 3) {
            compile_emit(&c, displays[which], result, result, 0);
        }
        comp_loop(&c, node, generators, 0, result);
        if (which < 3) {
            compile_emit(&c, OPCODE_RET, result, c.local_count, 0);
        } else {
            compile_return_none(&c);
        }
    }
    Code *code = compile_finish(&c);
    if (code != NULL) {
        code->positional_count = 1;
        compiler_fill(&c, code, node, names[which], CODE_COMPREHENSION);
    }
    uint32_t constant = compiler_close(&c, code);
    Reg base = compile_push_many(outer, 4);
    compile_emit(outer, OPCODE_MAKEFUNC, base, constant, 0);
    // Outside, so that errors in it, and in iter() of it, appear when the
    // comprehension is written, and names mean what they mean there.
    const Node *iter = generators.items[0]->comprehension.iter;
    bool staged = outer->staged != NULL && node->kind == AST_LIST_COMP;
    (staged ? compile_noted_to : compile_walked_to)(outer, iter, base + 1);
    outer->span = node->span;
    uint32_t done = compile_new_label(outer);
    if (staged) {
        compile_emit_jump(outer, OPCODE_BLOCKCOMP, base, 0, done);
    }
    compile_emit_x(outer, OPCODE_GETYFI, 1, base + 1, 0, 0);
    compile_emit(outer, OPCODE_CALL, base, 1, 0);
    compile_place_label(outer, done);
    compile_emit(outer, OPCODE_MOVET, target, base, 0);
    outer->top = base;
}
