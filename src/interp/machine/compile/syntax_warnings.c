// SyntaxWarnings: a walk over the tree before it is compiled.
//
// Invariant: the walk keeps its own stack, since chains of operators are longer
// than the C stack is deep.
#include "interp/machine/compile/syntax_warnings.h"

#include <stdio.h>

#include "base/diag.h"
#include "base/vec.h"
#include "interp/hooks/library.h"
#include "interp/hooks/program.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "lexer/lexer.h"
#include "lexer/literal.h"

typedef VEC(const Node *) NodeStack;

typedef struct WarningWalk {
    Vm *vm;
    const Source *source;
    NodeStack stack; // what is still to be looked at, the next one last
} WarningWalk;

// --- telling ---

// What is told, and how the SyntaxError that a filter makes of it points.
typedef struct Warning {
    ErrorKind category;
    PlaceForm form;
    Span span;
    const char *text;
} Warning;

// warnings.warn_explicit(text, category, file, line): the filters of the
// program decide. One that makes errors of warnings gets a SyntaxError.
static bool hand_over(WarningWalk *walk, Value module, const Warning *warning)
{
    Span span = warning->span;
    const char *text = warning->text;
    Vm *vm = walk->vm;
    Place place = source_place(walk->source, span.start);
    Str *message = str_from(vm, text);
    Str *file = message == NULL ? NULL : str_from(vm, walk->source->name);
    Value done = VALUE_FAIL;
    if (file != NULL) {
        Type *category = type_of_error(vm, warning->category);
        Value args[4] = {str_value(message), value_from_object(category),
                         str_value(file), value_from_small(place.line)};
        done = value_call_method(vm, module, vm->names[NAME_WARN_EXPLICIT],
                                 args, 4);
    }
    object_release_null(&vm->ctx, message);
    object_release_null(&vm->ctx, file);
    release(vm, done);
    if (value_failed(done) && raise_matches(vm, warning->category)) {
        raise_clear(vm);
        ctx_fail_at(&vm->ctx, ERR_SYNTAX, walk->source, span, "%s", text);
        vm->ctx.error.form = (uint8_t)warning->form;
        vm->ctx.error.read = warning->form == PLACE_RANGE ? span.end : 0;
    }
    return !value_failed(done);
}

// The module warnings, borrowed, if the program has imported it and may have
// set filters; UNBOUND: it has not.
static Value filters_of(Vm *vm)
{
    Str *name = str_interned(vm, "warnings", 8);
    Value module =
        name == NULL ? VALUE_UNBOUND : dict_get_name(vm->modules, name);
    return value_is_kind(module, KIND_MODULE) ? module : VALUE_UNBOUND;
}

// "a.py:1: SyntaxWarning: text", and the line if there is a file to find it in.
static bool warn_at(WarningWalk *walk, const Warning *warning)
{
    Vm *vm = walk->vm;
    Span span = warning->span;
    Place place = source_place(walk->source, span.start);
    Value module = filters_of(vm);
    if (!value_unbound(module)) {
        return hand_over(walk, module, warning);
    }
    // Without filters the default holds, which is to print.
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "%s:%u: SyntaxWarning: %s\n", walk->source->name,
                  place.line, warning->text);
    if (walk->source->origin != SOURCE_TEXT) {
        diag_source_line(&out, walk->source, span, 2, false, false);
    }
    bool done =
        strbuf_ok(&out) && vm->library->tell(vm, strbuf_text(&out), out.length);
    strbuf_free(&out);
    return done;
}

static bool warn(WarningWalk *walk, const Node *node, const char *text)
{
    return warn_at(
        walk, &(Warning){ERR_SYNTAX_WARNING, PLACE_CODE, node->span, text});
}

// --- what a node is ---

// What a node makes, as far as these warnings go.
typedef struct MadeType {
    const char *name; // of the type
    bool no_items;    // cannot be subscripted at all
    bool any_index;   // takes keys of any type
    bool is_index;    // may stand in brackets behind a sequence
} MadeType;

static const MadeType made_int = {
    .name = "int", .no_items = true, .is_index = true};
static const MadeType made_bool = {
    .name = "bool", .no_items = true, .is_index = true};
static const MadeType made_str = {.name = "str"}, made_list = {.name = "list"};
static const MadeType made_tuple = {.name = "tuple"},
                      made_bytes = {.name = "bytes"};
static const MadeType made_dict = {.name = "dict", .any_index = true};
static const MadeType made_set = {.name = "set", .no_items = true};
static const MadeType made_float = {.name = "float", .no_items = true};
static const MadeType made_none = {.name = "NoneType", .no_items = true};
static const MadeType made_dots = {.name = "ellipsis", .no_items = true};
static const MadeType made_generator = {.name = "generator", .no_items = true};
static const MadeType made_function = {.name = "function", .no_items = true};

// NULL: not known before it runs. A sign or ~ on a number is a literal here.
static const MadeType *made_by(const Node *node)
{
    static const MadeType *const constants[] = {
        [CONSTANT_NONE] = &made_none, [CONSTANT_FALSE] = &made_bool,
        [CONSTANT_TRUE] = &made_bool, [CONSTANT_ELLIPSIS] = &made_dots,
        [CONSTANT_INT] = &made_int,   [CONSTANT_FLOAT] = &made_float,
        [CONSTANT_STR] = &made_str,   [CONSTANT_BYTES] = &made_bytes};
    switch (node->kind) {
    case AST_CONSTANT: return constants[node->constant.type];
    case AST_UNARY: {
        const Node *operand = node->unary.operand;
        if (operand->kind != AST_CONSTANT || node->unary.op == UNARY_NOT) {
            return NULL;
        }
        ConstantType type = operand->constant.type;
        bool folded = node->unary.op == UNARY_INVERT ? type == CONSTANT_INT
                                                     : type <= CONSTANT_FLOAT;
        return folded ? constants[type] : NULL;
    }
    case AST_TUPLE: return &made_tuple;
    case AST_LIST:
    case AST_LIST_COMP: return &made_list;
    case AST_DICT:
    case AST_DICT_COMP: return &made_dict;
    case AST_SET:
    case AST_SET_COMP: return &made_set;
    case AST_GENERATOR_EXP: return &made_generator;
    case AST_LAMBDA: return &made_function;
    case AST_JOINED_STR: return &made_str;
    default: return NULL;
    }
}

// A number, a text or a tuple of such: to compare it with `is` makes no sense.
// Words like None are no literals.
static bool is_literal(const Node *node)
{
    if (node->kind == AST_CONSTANT) {
        return node->constant.type > CONSTANT_ELLIPSIS;
    }
    // `-1` is a literal as well.
    if (node->kind != AST_TUPLE) {
        return node->kind == AST_UNARY && made_by(node) != NULL;
    }
    for (uint32_t i = 0; i < node->sequence.elements.count; i++) {
        const Node *item = node->sequence.elements.items[i];
        if (item->kind != AST_CONSTANT) {
            return false;
        }
    }
    return true;
}

// --- the warnings ---

// `x is 1`: once for a chain, of its first place.
static bool check_compare(WarningWalk *walk, const Node *node)
{
    bool left = is_literal(node->compare.left);
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        bool right = is_literal(node->compare.comparators.items[i]);
        CompareOp op = (CompareOp)node->compare.ops[i];
        if ((op == COMPARE_IS || op == COMPARE_IS_NOT) && (left || right)) {
            return warn(walk, node,
                        op == COMPARE_IS
                            ? "\"is\" with a literal. Did you mean \"==\"?"
                            : "\"is not\" with a literal. Did you mean "
                              "\"!=\"?");
        }
        left = right;
    }
    return true;
}

// `assert (x, "text")` tests a tuple that is not empty.
static bool check_assert(WarningWalk *walk, const Node *node)
{
    const Node *test = node->assert_stmt.test;
    return test->kind != AST_TUPLE || test->sequence.elements.count == 0 ||
           warn(walk, node,
                "assertion is always true, perhaps remove parentheses?");
}

// `[(1, 2) (3, 4)]`
static bool check_call(WarningWalk *walk, const Node *node)
{
    const Node *function = node->call.function;
    const MadeType *made =
        function->kind == AST_LAMBDA ? NULL : made_by(function);
    char text[100];
    if (made == NULL) {
        return true;
    }
    snprintf(text, sizeof text,
             "'%s' object is not callable; perhaps you missed a comma?",
             made->name);
    return warn(walk, node, text);
}

// `[[1, 2] [3, 4]]`: stores and deletions are not looked at.
static bool check_subscript(WarningWalk *walk, const Node *node)
{
    const MadeType *made = made_by(node->subscript.value);
    const MadeType *index = made_by(node->subscript.index);
    char text[120];
    if (made == NULL || node->subscript.context != CONTEXT_LOAD) {
        return true;
    }
    if (made->no_items) {
        snprintf(text, sizeof text,
                 "'%s' object is not subscriptable; perhaps you missed a "
                 "comma?",
                 made->name);
        return warn(walk, node, text);
    }
    if (index == NULL || made->any_index || index->is_index) {
        return true;
    }
    snprintf(text, sizeof text,
             "%s indices must be integers or slices, not %s; perhaps you "
             "missed a comma?",
             made->name, index->name);
    return warn(walk, node, text);
}

// How a number begins; a node that begins with another byte is in a text that
// is not the source's own.
static bool is_digit_or_point(char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '.';
}

// `1if x`: the lexer lets a keyword follow a number at once. `span` is the
// number's.
static bool check_digits(WarningWalk *walk, Span span)
{
    const char *text = walk->source->text;
    // Behind the span stands the NUL of the text at the latest.
    if (text[span.end] < 'a' || text[span.end] > 'z' ||
        !is_digit_or_point(text[span.start])) {
        return true;
    }
    // The second character of `0x1f` names the base; | 0x20 takes `X` as `x`.
    char base =
        text[span.start] == '0' ? (char)(text[span.start + 1] | 0x20) : '\0';
    char message[40];
    snprintf(message, sizeof message, "invalid %s literal",
             base == 'x'   ? "hexadecimal"
             : base == 'o' ? "octal"
             : base == 'b' ? "binary"
                           : "decimal");
    // The tokenizer points at the last character that it has read.
    span.start = span.end - 1;
    return warn_at(walk,
                   &(Warning){ERR_SYNTAX_WARNING, PLACE_POINT, span, message});
}

// The number may have been written elsewhere: in a field of an f-string.
static bool check_number(WarningWalk *walk, const Node *node)
{
    bool number = node->constant.type == CONSTANT_INT ||
                  node->constant.type == CONSTANT_FLOAT;
    return !number || check_digits(walk, node->span);
}

// `"\\d"` and the like are found in the tokens.
static bool check_node(WarningWalk *walk, const Node *node)
{
    switch (node->kind) {
    case AST_CONSTANT: return check_number(walk, node);
    case AST_COMPARE: return check_compare(walk, node);
    case AST_ASSERT: return check_assert(walk, node);
    case AST_CALL: return check_call(walk, node);
    case AST_SUBSCRIPT: return check_subscript(walk, node);
    default: return true;
    }
}

// --- the walk ---

// Missing children (no `else`) are NULL. False: MemoryError.
static bool push(WarningWalk *walk, const Node *node)
{
    return node == NULL || vec_push(&walk->vm->ctx, &walk->stack, node);
}

static bool push_list(WarningWalk *walk, const NodeList *list)
{
    bool done = true;
    for (uint32_t i = 0; done && i < list->count; i++) {
        done = push(walk, list->items[i]);
    }
    return done;
}

// Children in the order of ast_list.h; the caller turns them round.
static bool push_children(WarningWalk *walk, const Node *node)
{
    switch ((AstKind)node->kind) {
#define N(field) &&push(walk, node->field)
#define L(field) &&push_list(walk, &node->field)
#define S(field)
#define V(field)
#define AST(id, name, ...)                                                     \
    case AST_##id:                                                             \
        return true __VA_ARGS__;
#include "parser/ast_list.h"
#undef AST
#undef N
#undef L
#undef S
#undef V
    default: return true;
    }
}

// The first child is looked at first, so it goes to the end of the stack.
static bool push_turned(WarningWalk *walk, const Node *node)
{
    size_t from = walk->stack.count;
    if (!push_children(walk, node)) {
        return false;
    }
    size_t to = walk->stack.count;
    for (; from + 1 < to; from++) {
        const Node *first = walk->stack.items[from];
        walk->stack.items[from] = walk->stack.items[--to];
        walk->stack.items[to] = first;
    }
    return true;
}

// --- escapes ---

// The backslash of the first escape that means nothing, or of an octal one
// above \377; NULL: all are good. What is beyond ASCII passes.
static const char *bad_escape(const char *text, const char *end, bool bytes)
{
    static const char good[] = "\n\\'\"abfnrtvx01234567NuU";
    for (; (text = memchr(text, '\\', (size_t)(end - text))) != NULL &&
           text + 1 < end;
         text += 2) {
        const char *letter = text[1] == '\0' ? NULL : strchr(good, text[1]);
        bool octal = text + 3 < end && text[1] >= '4' && text[1] <= '7' &&
                     text[2] >= '0' && text[2] <= '7' && text[3] >= '0' &&
                     text[3] <= '7';
        bool known =
            letter != NULL && (!bytes || strchr("NuU", *letter) == NULL);
        if ((!known && (unsigned char)text[1] < 0x80) || octal) {
            return text;
        }
    }
    return NULL;
}

// One text is warned of once.
static bool check_escapes(WarningWalk *walk, Span span)
{
    const char *text = walk->source->text + span.start;
    StringParts parts = literal_string_parts(text, span.end - span.start);
    const char *body = text + parts.body;
    const char *bad =
        parts.raw ? NULL
                  : bad_escape(body, body + parts.body_length, parts.bytes);
    if (bad == NULL) {
        return true;
    }
    char message[60];
    bool octal = bad[1] >= '4' && bad[1] <= '7';
    snprintf(message, sizeof message, "invalid %sescape sequence '%.*s'",
             octal ? "octal " : "", octal ? 4 : 2, bad);
    return warn_at(
        walk, &(Warning){ERR_DEPRECATION_WARNING, PLACE_RANGE, span, message});
}

// DeprecationWarnings are not shown by themselves: only a program that sets
// filters can hear of escapes, and only then are its tokens read again.
static bool warn_of_escapes(WarningWalk *walk)
{
    Vm *vm = walk->vm;
    const Source *source = walk->source;
    if (memchr(source->text, '\\', source->length) == NULL) {
        return true;
    }
    Value module = filters_of(vm);
    if (value_unbound(module)) {
        return true;
    }
    TokenList tokens = {0};
    bool done = lexer_run(&vm->ctx, source, &tokens);
    for (size_t i = 0; done && i < tokens.count; i++) {
        done = tokens.items[i].kind != TOK_STRING ||
               check_escapes(walk, tokens.items[i].span);
    }
    token_list_free(&vm->ctx, &tokens);
    return done;
}

// Before compiling, so that a warning that became an error keeps the module
// from being made. The library's own code is known to be clean.
bool syntax_warnings(Vm *vm, const Source *source, const Node *tree)
{
    WarningWalk walk = {.vm = vm, .source = source};
    bool done =
        source->library || (warn_of_escapes(&walk) && push(&walk, tree));
    while (done && walk.stack.count > 0) {
        const Node *node = vec_pop(&walk.stack);
        done = check_node(&walk, node) && push_turned(&walk, node) &&
               ctx_poll(&vm->ctx);
    }
    vec_free(&vm->ctx, &walk.stack);
    return done;
}

// Also of what stands behind a fault of the parser, to the end of the text.
bool syntax_warnings_of_tokens(Vm *vm, const Source *source)
{
    WarningWalk walk = {.vm = vm, .source = source};
    TokenList tokens = {0};
    bool done = lexer_run(&vm->ctx, source, &tokens);
    for (size_t i = 0; done && i < tokens.count; i++) {
        const Token *token = &tokens.items[i];
        done = token->kind != TOK_NUMBER || check_digits(&walk, token->span);
    }
    token_list_free(&vm->ctx, &tokens);
    return done;
}
