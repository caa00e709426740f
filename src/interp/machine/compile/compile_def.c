// Functions and lambdas, with their defaults, annotations and decorators.
#include "interp/machine/compile/compile_code.h"
#include "interp/objects/text/obj_str.h"

// Parameters stand in registers in the order of call_bind.c. *args and **kwargs
// follow those, and have a flag each.
static void count_params(Code *code, const Node *params)
{
    NodeList all = params->params.params;
    for (uint32_t i = 0; i < all.count; i++) {
        switch (all.items[i]->param.kind) {
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
    // Any function may take an object first; only methods call it so.
    if (code->positional_count > 0 &&
        strcmp(all.items[0]->param.name.text, "self") == 0) {
        code->flags |= CODE_TAKES_SELF;
    }
}

// A body that runs off its end returns None. A lambda's body is its value.
static void function_body(Compiler *c, const Node *node)
{
    compiler_cells(c);
    if (node->kind == AST_LAMBDA) {
        Reg value = compile_temp(c, node->lambda.body);
        compile_emit(c, c->scope->is_generator ? OPCODE_RETGEN : OPCODE_RET,
                     value, c->local_count, 0);
    } else {
        compile_body(c, node->function_def.body);
        compile_return_none(c);
    }
}

// The compiled function, which its compiler `c` still belongs to. `lowered`:
// converted for a trace; NULL: as it stands.
static Code *compile_function(Compiler *outer, const Node *node,
                              const Lowered *lowered, Compiler *c)
{
    bool lambda = node->kind == AST_LAMBDA;
    const char *name = lambda ? "<lambda>" : node->function_def.name.text;
    compiler_open(c, outer, scope_of(outer->table, node));
    c->staged = lowered;
    compiler_name(c, name);
    if (!c->failed) {
        function_body(c, node);
    }
    Code *code = compile_finish(c);
    if (code != NULL) {
        count_params(code,
                     lambda ? node->lambda.params : node->function_def.params);
        compiler_fill(c, code, node, name,
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

// The number of the constant; the function object is made when MAKEFUNC runs.
static uint32_t function_code(Compiler *outer, const Node *node)
{
    Compiler c;
    return compiler_close(&c, compile_function(outer, node, NULL, &c));
}

Code *compile_converted(Compiler *outer, const Node *node,
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

// Computed where the function is defined, positional ones as a tuple. The flags
// for MAKEFUNC: 1 a tuple in R[base], 2 a dict in R[base + 1]. Nothing is
// emitted for what is not there.
static uint32_t default_values(Compiler *c, const Node *params, Reg base)
{
    NodeList list = params->params.params;
    Reg first = c->top;
    uint32_t flags = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const Node *p = list.items[i];
        if (p->param.kind <= PARAM_POSITIONAL &&
            p->param.default_value != NULL) {
            compile_temp(c, p->param.default_value);
        }
    }
    if (c->top > first) {
        compile_emit(c, OPCODE_TUPLE, base, first, c->top - first);
        flags |= 1;
    }
    c->top = first;
    for (uint32_t i = 0; i < list.count; i++) {
        const Node *p = list.items[i];
        if (p->param.kind == PARAM_KEYWORD_ONLY &&
            p->param.default_value != NULL) {
            if (!(flags & 2)) {
                compile_emit(c, OPCODE_DICT, base + 1, base + 1, 0);
                flags |= 2;
            }
            Reg key = compile_push(c);
            compile_emit(c, OPCODE_LOADK, key,
                         compile_name_constant(c, p->param.name), 0);
            Reg value = compile_temp(c, p->param.default_value);
            compile_emit(c, OPCODE_DICTSET, base + 1, key, value);
            c->top = first;
        }
    }
    return flags;
}

// The dict is made for the first annotation alone. `flags` are those of
// MAKEFUNC, 4 of them.
static void annotation(Compiler *c, Text name, const Node *value, Reg dict,
                       uint32_t *flags)
{
    if (value == NULL) {
        return;
    }
    if (!(*flags & 4)) {
        compile_emit(c, OPCODE_DICT, dict, dict, 0);
        *flags |= 4;
    }
    Reg key = compile_push(c);
    compile_emit(c, OPCODE_LOADK, key, compile_name_constant(c, name), 0);
    // `*args: *Ts` notes the one item that Ts has.
    bool starred = value->kind == AST_STARRED && !c->table->text_annotations;
    Reg of = compile_annotation(c, starred ? value->starred.value : value);
    if (starred) {
        compile_emit(c, OPCODE_UNPACK, of, of, 1);
    }
    compile_emit(c, OPCODE_DICTSET, dict, key, of);
    c->top = key;
}

// One register each, in a row: decorator i is at first + i.
Reg compile_decorators_before(Compiler *c, NodeList decorators)
{
    Reg first = c->top;
    for (uint32_t i = 0; i < decorators.count; i++) {
        compile_temp(c, decorators.items[i]);
    }
    return first;
}

// Each call takes its argument from the register above and leaves its result
// where the next one looks for it.
void compile_decorators_after(Compiler *c, NodeList decorators, Reg first)
{
    for (uint32_t i = decorators.count; i-- > 0;) {
        c->span = decorators.items[i]->span;
        compile_emit(c, OPCODE_CALL, first + i, 1, 0);
    }
}

// Decorators, defaults and annotations run where the `def` stands; the body is
// compiled into a constant.
void compile_function_to(Compiler *c, const Node *node, Reg target)
{
    bool lambda = node->kind == AST_LAMBDA;
    NodeList decorators =
        lambda ? (NodeList){NULL, 0} : node->function_def.decorators;
    const Node *params =
        lambda ? node->lambda.params : node->function_def.params;
    Reg mark = c->top;
    Reg first = compile_decorators_before(c, decorators);
    // In a row, as MAKEFUNC wants them: the function, its two kinds of
    // defaults, its annotations.
    Reg base = compile_push_many(c, 4);
    uint32_t flags = default_values(c, params, base + 1);
    if (!lambda) {
        static const Text returned = {"return", 6};
        for (uint32_t i = 0; i < params->params.params.count; i++) {
            const Node *p = params->params.params.items[i];
            annotation(c, p->param.name, p->param.annotation, base + 3, &flags);
        }
        annotation(c, returned, node->function_def.returns, base + 3, &flags);
    }
    uint32_t code = c->failed ? 0 : function_code(c, node);
    compile_emit_x(c, OPCODE_MAKEFUNC, flags, base, code, 0);
    compile_decorators_after(c, decorators, first);
    compile_emit(c, OPCODE_MOVET, target, decorators.count > 0 ? first : base,
                 0);
    c->top = mark;
}
