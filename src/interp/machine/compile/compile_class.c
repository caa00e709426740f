// Class statements: a body that fills a namespace, and MKCLASS, which makes the
// class of it.
#include <string.h>

#include "interp/machine/compile/compile_code.h"

// Sets a text in the namespace of the class body that runs. SETN stores by
// name, since a class body's names live in its namespace.
static void class_string(Compiler *c, const char *name, const char *text)
{
    Reg value = compile_push(c);
    compile_emit(c, OPCODE_LOADK, value,
                 compile_constant_name(c, text, strlen(text)), 0);
    compile_emit(c, OPCODE_SETN, value,
                 compile_constant_name(c, name, strlen(name)), 0);
    c->top = value;
}

// Bodies begin with __module__ and __qualname__, then the doc string.
static uint32_t class_code(Compiler *outer, const Node *node)
{
    Compiler c;
    const char *name = node->class_def.name.text;
    compiler_open(&c, outer, scope_of(outer->table, node));
    compiler_name(&c, name);
    if (!c.failed) {
        compiler_cells(&c);
        // __module__ is what __name__ is where the class stands.
        Reg module = compile_push(&c);
        compile_emit(&c, OPCODE_GETN, module,
                     compile_constant_name(&c, "__name__", 8), 0);
        compile_emit(&c, OPCODE_SETN, module,
                     compile_constant_name(&c, "__module__", 10), 0);
        c.top = module;
        class_string(&c, "__qualname__", c.qualname);
        if (c.scope->has_annotations) {
            compile_emit(&c, OPCODE_ANNOTATIONS, 0, 0, 0);
        }
        if (node->class_def.docstring.text != NULL) {
            class_string(&c, "__doc__", node->class_def.docstring.text);
        }
        compile_body(&c, node->class_def.body);
        // A body hands the cell for super() back; MKCLASS fills it.
        Symbol *cell = scope_find(c.scope, "__class__", 9);
        if (c.scope->needs_class_cell && cell != NULL) {
            Reg value = compile_push(&c);
            compile_emit(&c, OPCODE_MOVE, value, cell->index, 0);
            compile_emit(&c, OPCODE_RET, value, c.local_count, 0);
        } else {
            compile_return_none(&c);
        }
    }
    Code *code = compile_finish(&c);
    if (code != NULL) {
        code->positional_count = 1;
        compiler_fill(&c, code, node, name, CODE_CLASS_BODY);
    }
    return compiler_close(&c, code);
}

// R[base ..]: bases, keywords, namespace, metaclass, bases as written, then the
// call of the body. PREPARE finds the three in the middle, MKCLASS makes the
// class of all and the name, by way of the metaclass.
void compile_class_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    NodeList decorators = node->class_def.decorators;
    Reg first = compile_decorators_before(c, decorators);
    Reg base = compile_push_many(c, 7);
    Node bases = {.kind = AST_TUPLE, .span = node->span};
    bases.sequence.elements = node->class_def.bases;
    compile_to(c, &bases, base);
    compile_emit(c, OPCODE_DICT, base + 1, base + 1, 0);
    compile_check_keywords(c, node->class_def.keywords);
    for (uint32_t i = 0; i < node->class_def.keywords.count; i++) {
        const Node *each = node->class_def.keywords.items[i];
        Reg key = compile_push(c);
        if (each->keyword.name.text == NULL) {
            compile_to(c, each->keyword.value, key);
            compile_emit(c, OPCODE_DICTUPDATE, base + 1, key, 0);
        } else {
            compile_emit(c, OPCODE_LOADK, key,
                         compile_name_constant(c, each->keyword.name), 0);
            Reg value = compile_temp(c, each->keyword.value);
            compile_emit(c, OPCODE_DICTSET, base + 1, key, value);
        }
        c->top = key;
    }
    c->span = node->span;
    compile_emit(c, OPCODE_PREPARE, base,
                 compile_name_constant(c, node->class_def.name), 0);
    uint32_t code = c->failed ? 0 : class_code(c, node);
    c->span = node->span;
    // MAKEFUNC and CALL want neighbours behind the body's function.
    compile_push_many(c, 2);
    compile_emit(c, OPCODE_MAKEFUNC, base + 5, code, 0);
    compile_emit(c, OPCODE_MOVE, base + 6, base + 2, 0);
    compile_emit(c, OPCODE_CALL, base + 5, 1, 0);
    compile_emit(c, OPCODE_LOADK, base + 6,
                 compile_name_constant(c, node->class_def.name), 0);
    compile_emit(c, OPCODE_MKCLASS, base, 0, 0);
    compile_decorators_after(c, decorators, first);
    compile_emit(c, OPCODE_MOVET, target, decorators.count > 0 ? first : base,
                 0);
    c->top = mark;
}
