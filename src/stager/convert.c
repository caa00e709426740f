// Reading a function again and compiling it for a trace.
#include "stager/convert.h"

#include <string.h>

#include "interp/core/raise.h"
#include "interp/machine/compile/compile.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/text/obj_str.h"
#include "parser/parser.h"
#include "stager/code_read.h"

// --- is it worth it ---

// Whether converted code would do something else here. A forward jump alone
// counts too, which errs on the side of converting.
static bool is_flow(Ins ins)
{
    Opcode op = (Opcode)INS_OP(ins);
    return (op >= OPCODE_JMP && op <= OPCODE_JBOUND) || op == OPCODE_FORLOOP ||
           op == OPCODE_RAISE || op == OPCODE_ASSERTFAIL ||
           (op == OPCODE_GETYFI && INS_X(ins) == 1) || // a comprehension
           (op == OPCODE_UNARY && INS_X(ins) == UNARY_NOT);
}

// A block, or an operator, as stage.code() prints it.
static bool is_printed(const Code *code, Ins ins)
{
    return INS_OP(ins) == OPCODE_LOADM &&
           code_read_is_intrinsic(
               value_as_str(code->constants[INS_C(ins)])->text);
}

// A shape, whose sizes may be symbolic.
static bool is_shape(const Code *code, Ins ins)
{
    return INS_OP(ins) == OPCODE_GETATTR &&
           strcmp(value_as_str(code->constants[INS_C(ins)])->text, "shape") ==
               0;
}

static bool has_word(const Code *code, bool (*is)(const Code *, Ins))
{
    bool found = false;
    for (uint32_t i = 0; i < code->word_count && !found;
         i = code_next(code, i)) {
        found = is(code, code->words[i]);
    }
    return found;
}

// Generators, class bodies and modules run in frames of their own that are
// never converted: a tensor that decides in one is refused by the truth hook.
// Comprehensions are converted with the function around them.
bool convert_wanted(const Code *code)
{
    // Converted code (CODE_STAGED) is not converted again.
    if (code->flags & (CODE_GENERATOR | CODE_CLASS_BODY | CODE_MODULE |
                       CODE_COMPREHENSION | CODE_STAGED)) {
        return false;
    }
    for (uint32_t i = 0; i < code->word_count; i = code_next(code, i)) {
        Ins ins = code->words[i];
        if (is_flow(ins) || is_shape(code, ins) || is_printed(code, ins)) {
            return true;
        }
    }
    return false;
}

// --- finding it ---

// The tree that is searched may be changed later, hence no const.
typedef struct ConvertSearch {
    const Code *code;
    Node *found;
} ConvertSearch;

static void search(ConvertSearch *s, Node *node);

// Stops at the first match: spans of functions are distinct.
static void search_list(ConvertSearch *s, NodeList list)
{
    for (uint32_t i = 0; i < list.count && s->found == NULL; i++) {
        search(s, list.items[i]);
    }
}

static void search_parts(ConvertSearch *s, Node *node)
{
    switch (node->kind) {
#define N(field) search(s, node->field);
#define L(field) search_list(s, node->field);
#include "parser/ast_cases.h"
    default: break;
    }
}

// Two functions cannot share a span; the name guards against a text that
// changed since it was first read.
static bool is_wanted(const ConvertSearch *s, const Node *node)
{
    bool lambda = s->code->flags & CODE_LAMBDA;
    return node->kind == (lambda ? AST_LAMBDA : AST_FUNCTION_DEF) &&
           node->span.start == s->code->span.start &&
           node->span.end == s->code->span.end &&
           (lambda ||
            strcmp(node->function_def.name.text, s->code->name->text) == 0);
}

// Decorators stand in front of the span that they belong to; all other parts
// of a node lie inside its span, so that most of the tree is passed over. The
// recursion goes no deeper than the parser's did.
static void search(ConvertSearch *s, Node *node)
{
    if (node == NULL || s->found != NULL) {
        return;
    }
    bool may_hold = node->span.start <= s->code->span.start &&
                    node->span.end >= s->code->span.end;
    if (is_wanted(s, node)) {
        s->found = node;
    } else if (may_hold || node->kind == AST_MODULE ||
               (node->kind >= AST_PARAMS && node->kind <= AST_PARAM)) {
        search_parts(s, node);
    } else if (node->kind == AST_FUNCTION_DEF) {
        search_list(s, node->function_def.decorators);
    } else if (node->kind == AST_CLASS_DEF) {
        search_list(s, node->class_def.decorators);
    }
}

// By span, which the compiler put into the code. NULL where the text parses to
// something else now, as that of an expression given to eval.
Node *convert_find(const Code *code, Node *tree)
{
    ConvertSearch s = {.code = code};
    search(&s, tree);
    return s.found;
}

// As a module, whatever the text was read as first: an entry of the prompt
// parses alike.
Node *convert_read(Vm *vm, Source *source, Arena *arena)
{
    Node *tree = NULL;
    ParseStatus status = parse(&vm->ctx, source, PARSE_MODULE, arena, &tree);
    if (status == PARSE_INCOMPLETE) {
        return raise_null(vm, ERR_SYNTAX, "the source is not whole");
    }
    return status == PARSE_OK ? tree : NULL;
}

// The module with that statement alone which the function stands in: what else
// there is has no say in where its names live, since a module's are all
// globals, and big files have many functions.
static Node *statement_around(const Code *code, Arena *arena, Node *tree,
                              Node **function)
{
    ConvertSearch s = {.code = code};
    NodeList all = tree->module.body;
    for (uint32_t i = 0; i < all.count; i++) {
        search(&s, all.items[i]);
        if (s.found != NULL) {
            Node *module = arena_new(arena, Node);
            if (module != NULL) {
                // A shallow copy: the nodes are shared with the whole tree.
                *module = *tree;
                module->module.body = (NodeList){all.items + i, 1};
            }
            *function = s.found;
            return module;
        }
    }
    *function = NULL;
    return NULL;
}

// --- compiling it ---

// What stands in front of the function's name in its qualified name.
// `outer` plays the part of the compiler that would have compiled the function
// in its place; only its scope and its name are needed.
static bool outer_name(Vm *vm, Arena *arena, const Code *code,
                       const Scope *scope, Compiler *outer)
{
    const Scope *parent = scope->parent;
    const char *dot = parent->kind == SCOPE_MODULE  ? NULL
                      : parent->kind == SCOPE_CLASS ? "."
                                                    : ".<locals>.";
    size_t tail = dot == NULL ? 0 : strlen(dot) + code->name->length;
    outer->scope = parent->kind == SCOPE_MODULE ? NULL : (Scope *)parent;
    if (dot == NULL || code->qualname->length <= tail) {
        return true;
    }
    (void)vm;
    outer->qualname = arena_strndup(arena, code->qualname->text,
                                    code->qualname->length - tail);
    return outer->qualname != NULL;
}

// The function's cells were made for its own code: the converted one must
// find each under the same number.
static bool same_captures(const Code *code, const Code *made)
{
    bool same = code->captured_count == made->captured_count;
    for (uint32_t i = 0; same && i < code->captured_count; i++) {
        same = code->captured_names[i] == made->captured_names[i];
    }
    return same;
}

// The scopes around the function are built again, since only they say where a
// free name of it lives; then the function alone is compiled.
static Code *compile_lowered(Vm *vm, const Code *code, Arena *arena,
                             NodeList whole, Node *tree, Node *node,
                             const Lowered *lowered)
{
    ScopeTable table = {
        .ctx = &vm->ctx, .arena = arena, .source = code->source};
    Compiler outer = {.vm = vm, .table = &table};
    Code *made = NULL;
    // `from __future__` holds for the text, of which `tree` is one statement.
    compile_future_read(&outer, whole);
    if (scope_build(&table, tree) &&
        outer_name(vm, arena, code, scope_of(&table, node), &outer)) {
        made = compile_converted(&outer, node, lowered);
    }
    scope_free(&table);
    return made;
}

// The names that the function has from others, in the order that they have in
// its own code.
static Node *captures_node(AstMaker *make, const Code *code)
{
    NodeVec names = {0};
    Span none = {0, 0};
    for (uint32_t i = 0; i < code->captured_count; i++) {
        Text name = ast_make_text(make, code->captured_names[i]->text);
        ast_make_push(make, &names,
                      ast_make_name(make, name, CONTEXT_LOAD, none));
    }
    Node *node = ast_make_node(make, AST_NONLOCAL, none);
    node->names.names = ast_make_taken(make, &names);
    return node;
}

// A copy of `node` whose blocks are read back from the functions that
// stage.code() printed; NULL: it has none of them, or make.failed.
static Node *read_blocks(CodeRead *read, Vm *vm, const Function *function,
                         const Node *node)
{
    const Code *code = function->code;
    if (!has_word(code, is_printed)) {
        return NULL;
    }
    Str *stage = str_intern(vm, "stage", strlen("stage"));
    bool own = stage != NULL &&
               !value_unbound(dict_get_name(function->globals, stage));
    read->make.failed = stage == NULL;
    object_release_null(&vm->ctx, stage);
    if (own || stage == NULL) {
        return NULL;
    }
    Node *copy = code_read(read, node);
    if (copy != NULL && node->kind == AST_FUNCTION_DEF &&
        code->captured_count > 0) {
        Node *first = captures_node(&read->make, code);
        copy->function_def.body =
            ast_make_join(&read->make, ast_make_list(&read->make, &first, 1),
                          copy->function_def.body);
    }
    return copy;
}

// What an earlier lowering made. False without an error: there are jumps beside
// it, which were lowered anew.
static bool add_lowered(const CodeRead *read, const Node *form,
                        Lowered *lowered)
{
    bool ok = (read->stops.count == 0 && read->flags.count == 0) ||
              lowered->body.items == form->function_def.body.items;
    if (ok && read->flags.count > 0) {
        lowered->result = read->result;
        lowered->returned = read->returned;
    }
    for (size_t i = 0; ok && i < read->stops.count; i++) {
        const ReadStop *stop = &read->stops.items[i];
        ok = map_put(&lowered->stops, (const char *)&stop->loop,
                     sizeof stop->loop, (uintptr_t)stop->stop);
    }
    return ok;
}

// `form`, the node or what was read of it, compiled in the place of the node.
// The tree is changed for the time of the compilation only: others of its
// functions will be converted from it later. NULL without an error: what was
// read does not do.
static Code *convert_form(Vm *vm, const Code *code, Arena *arena,
                          NodeList whole, Node *tree, Node *node,
                          const Node *form, const CodeRead *read)
{
    Lowered lowered = {.printed = false};
    Node was = *node;
    bool ok = true;
    map_init(&lowered.stops, &vm->ctx);
    if (node->kind == AST_LAMBDA) {
        // A lambda has no statements, so nothing has to be lowered.
        node->lambda.body = form->lambda.body;
    } else {
        node->function_def.body = form->function_def.body;
        ok = lower_function(&vm->ctx, arena, code->source, node, false,
                            &lowered) &&
             add_lowered(read, form, &lowered);
        // Its scope must know the flags.
        node->function_def.body = lowered.body;
    }
    Code *made =
        ok ? compile_lowered(vm, code, arena, whole, tree, node, &lowered)
           : NULL;
    *node = was;
    lowered_free(&lowered);
    if (made != NULL && !same_captures(code, made)) {
        object_release(&vm->ctx, made);
        made = NULL;
    }
    return made;
}

Code *convert_code(Vm *vm, const Function *function, Arena *arena, Node *tree)
{
    const Code *code = function->code;
    Node *node;
    NodeList all = tree->module.body;
    tree = statement_around(code, arena, tree, &node);
    // It was found, but memory ran out: the error is pending.
    if (tree == NULL && node != NULL) {
        return NULL;
    }
    if (node == NULL) {
        return raise_null(vm, ERR_SYSTEM, "%s: its source is not what it was",
                          code->name->text);
    }
    CodeRead read, none;
    Code *made = NULL;
    code_read_init(&read, &vm->ctx, arena);
    code_read_init(&none, &vm->ctx, arena);
    Node *form = read_blocks(&read, vm, function, node);
    if (form != NULL && !read.make.failed) {
        made = convert_form(vm, code, arena, all, tree, node, form, &read);
    }
    code_read_free(&read);
    if (made != NULL || vm_has_error(vm)) {
        return made;
    }
    made = convert_form(vm, code, arena, all, tree, node, node, &none);
    if (made == NULL && !vm_has_error(vm)) {
        return raise_null(vm, ERR_SYSTEM,
                          "%s: its captured variables changed places",
                          code->name->text);
    }
    return made;
}
