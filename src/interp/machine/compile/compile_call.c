// Calls and displays. What is wide, or has stars, goes through a list.
#include <string.h>

#include "interp/machine/compile/compile.h"
#include "interp/objects/containers/obj_list.h"

enum { BATCH = 64 };

static bool has_star(NodeList list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i]->kind == AST_STARRED) {
            return true;
        }
    }
    return false;
}

// A list of the items in `target`, in batches. `whole` is what an error in a
// starred item points at.
static void list_to(Compiler *c, NodeList items, Reg target, Span whole)
{
    Reg first = c->top;
    uint32_t done = 0;
    while (done < items.count && c->top - first < BATCH &&
           items.items[done]->kind != AST_STARRED && !c->failed) {
        compile_temp(c, items.items[done++]);
    }
    compile_emit(c, OPCODE_LIST, target, first, c->top - first);
    c->top = first;
    while (done < items.count && !c->failed) {
        if (items.items[done]->kind == AST_STARRED) {
            compile_temp(c, items.items[done]->starred.value);
            c->span = whole;
            done++;
            compile_emit(c, OPCODE_EXTEND, target, first, 0);
        } else {
            while (done < items.count && c->top - first < BATCH &&
                   items.items[done]->kind != AST_STARRED && !c->failed) {
                compile_temp(c, items.items[done++]);
            }
            compile_emit(c, OPCODE_APPENDN, target, first, c->top - first);
        }
        c->top = first;
    }
}

// No power of more than 128 bits is folded: by the bits of the base.
static bool folds_power(const Node *left, const Node *right)
{
    int32_t base, exponent;
    if (!compile_constant_int16(left, &base) ||
        !compile_constant_int16(right, &exponent)) {
        return false;
    }
    uint32_t bits = 0;
    for (uint32_t rest = (uint32_t)(base < 0 ? -base : base); rest != 0;
         rest >>= 1) {
        bits++;
    }
    return exponent <= 0 || bits <= 128u / (uint32_t)exponent;
}

// Whether it counts as a constant. Signs, arithmetic and tuples of constants
// are; a division by zero is left for the run.
static bool is_folded(const Node *node, int depth)
{
    int32_t divisor;
    switch (node->kind) {
    case AST_CONSTANT: return true;
    case AST_UNARY:
        return depth > 0 && is_folded(node->unary.operand, depth - 1);
    case AST_BINARY:
        if (node->binary.op == BINARY_POW) {
            return folds_power(node->binary.left, node->binary.right);
        }
        return depth > 0 && is_folded(node->binary.left, depth - 1) &&
               is_folded(node->binary.right, depth - 1) &&
               !(compile_constant_int16(node->binary.right, &divisor) &&
                 divisor == 0);
    case AST_TUPLE:
        for (uint32_t i = 0; i < node->sequence.elements.count; i++) {
            if (depth == 0 ||
                !is_folded(node->sequence.elements.items[i], depth - 1)) {
                return false;
            }
        }
        return true;
    default: return false;
    }
}

static bool are_constants(NodeList items)
{
    enum { FOLD_DEPTH = 20 }; // deeper ones are no literals that people write
    for (uint32_t i = 0; i < items.count; i++) {
        if (!is_folded(items.items[i], FOLD_DEPTH)) {
            return false;
        }
    }
    return true;
}

// Three constants or more are copied from a frozen set, which shows in the
// order of the items.
static bool is_constant_set(NodeList items, Opcode op)
{
    return op == OPCODE_SET && items.count >= 3 && are_constants(items);
}

// The items stand in registers from `mark` on. The order is that of a frozen
// set of them, then another one of the first's items, which the code copies at
// run time, unless a loop walks it (`walked`).
static void constant_set_to(Compiler *c, Reg mark, uint32_t count, Reg target,
                            bool walked)
{
    compile_emit(c, OPCODE_SET, mark, mark, count);
    c->top = mark + 1;
    Reg items = compile_push(c), second = compile_push(c);
    compile_emit(c, OPCODE_LIST, items, items, 0);
    compile_emit(c, OPCODE_EXTEND, items, mark, 0);
    compile_emit(c, OPCODE_SET, second, second, 0);
    compile_emit(c, OPCODE_SETUPDATE, second, items, 0);
    if (!walked) {
        Reg copy = compile_push(c);
        compile_emit(c, OPCODE_SET, copy, copy, 0);
        compile_emit(c, OPCODE_SETUPDATE, copy, second, 0);
        compile_emit(c, OPCODE_MOVET, target, copy, 0);
        compile_emit(c, OPCODE_DROPN, mark, 3, 0);
    } else {
        compile_emit(c, OPCODE_MOVET, target, second, 0);
        compile_emit(c, OPCODE_DROPN, mark, 2, 0);
    }
}

// A wide or starred set in a new register. In fixed order: what stands before
// the first star of a set that is not wide is evaluated, then hashed; from
// there on each item is added when it has been evaluated.
static void long_set_to(Compiler *c, const Node *node)
{
    enum { WIDE = 30 }; // fixed
    NodeList items = node->sequence.elements;
    Reg mark = c->top;
    uint32_t done = 0;
    while (items.count <= WIDE && items.items[done]->kind != AST_STARRED) {
        compile_temp(c, items.items[done++]);
    }
    c->span = node->span;
    compile_emit(c, OPCODE_SET, mark, mark, done);
    c->top = mark + 1;
    for (; done < items.count && !c->failed; done++) {
        const Node *item = items.items[done];
        bool starred = item->kind == AST_STARRED;
        Reg value = c->top;
        compile_temp(c, starred ? item->starred.value : item);
        c->span = node->span;
        compile_emit(c, starred ? OPCODE_SETUPDATE : OPCODE_SETADD, mark, value,
                     0);
        c->top = value;
    }
}

// The constant that a literal is: owned, UNBOUND: it is none. Tuples of
// literals are made once, here, and not at each run.
static Value literal_value(Compiler *c, const Node *node, int depth)
{
    enum { MOST = 64 }; // items: wider ones are built in batches
    int32_t number;
    if (compile_constant_int16(node, &number)) {
        return value_from_small(number);
    }
    if (node->kind == AST_CONSTANT || compile_constant_float(node)) {
        uint32_t index = compile_constant_node(c, node);
        return c->failed ? VALUE_FAIL : value_retain(c->constants.items[index]);
    }
    if (node->kind != AST_TUPLE || depth == 0 ||
        node->sequence.elements.count > MOST) {
        return VALUE_UNBOUND;
    }
    NodeList list = node->sequence.elements;
    Value items[MOST], result = VALUE_UNBOUND;
    uint32_t count = 0;
    for (; count < list.count; count++) {
        items[count] = literal_value(c, list.items[count], depth - 1);
        if (!value_is_object(items[count]) &&
            (value_failed(items[count]) || value_unbound(items[count]))) {
            result = items[count];
            break;
        }
    }
    if (count == list.count) {
        Tuple *tuple = tuple_from(c->vm, items, count);
        result = value_or_fail(tuple);
    }
    while (count > 0) {
        release(c->vm, items[--count]);
    }
    return result;
}

// A tuple of literals is one constant. True: nothing is left to do.
static bool literal_tuple_to(Compiler *c, const Node *node, Reg target)
{
    enum { LITERAL_DEPTH = 4 }; // tuples in tuples
    Value value = c->failed || node->sequence.elements.count == 0
                      ? VALUE_UNBOUND
                      : literal_value(c, node, LITERAL_DEPTH);
    if (value_unbound(value)) {
        return c->failed;
    }
    uint32_t index = compile_constant_value(c, value);
    c->span = node->span;
    compile_emit(c, OPCODE_LOADK, target, index, 0);
    return true;
}

// Short displays stand in registers; wide or starred ones are filled by parts.
static void sequence_to(Compiler *c, const Node *node, Reg target, Opcode op)
{
    NodeList items = node->sequence.elements;
    Reg mark = c->top;
    if (op == OPCODE_TUPLE && literal_tuple_to(c, node, target)) {
        return;
    }
    if (items.count <= BATCH && !has_star(items)) {
        for (uint32_t i = 0; i < items.count; i++) {
            compile_temp(c, items.items[i]);
        }
        c->span = node->span;
        if (is_constant_set(items, op)) {
            constant_set_to(c, mark, items.count, target, false);
        } else {
            compile_emit(c, op, target, mark, items.count);
        }
    } else if (op == OPCODE_SET && !is_constant_set(items, op)) {
        long_set_to(c, node);
        compile_emit(c, OPCODE_MOVET, target, mark, 0);
    } else {
        // In a temporary: the target may be a local that an item still reads.
        Reg list = compile_push(c);
        list_to(c, items, list, node->span);
        c->span = node->span;
        if (op == OPCODE_TUPLE) {
            compile_emit(c, OPCODE_TOTUPLE, list, 0, 0);
        } else if (op == OPCODE_SET) {
            Reg set = compile_push(c);
            compile_emit(c, OPCODE_SET, set, set, 0);
            compile_emit(c, OPCODE_SETUPDATE, set, list, 0);
            list = set;
        }
        compile_emit(c, OPCODE_MOVET, target, list, 0);
    }
    c->top = mark;
}

void compile_walked_to(Compiler *c, const Node *node, Reg target)
{
    NodeList items =
        node->kind == AST_SET ? node->sequence.elements : (NodeList){0};
    if (items.count == 0 || items.count > BATCH || !are_constants(items)) {
        compile_to(c, node, target);
        return;
    }
    Reg mark = c->top;
    for (uint32_t i = 0; i < items.count; i++) {
        compile_temp(c, items.items[i]);
    }
    c->span = node->span;
    constant_set_to(c, mark, items.count, target, true);
    c->top = mark;
}

// Fixed: runs of up to DICT_RUN pairs are evaluated before any of their keys is
// hashed; what is longer is stored pair by pair, DICT_PART of them together.
enum { DICT_RUN = 15, DICT_PART = 17 };

static uint32_t dict_run(NodeList keys, uint32_t from, uint32_t *pairwise)
{
    uint32_t count = 0;
    while (from + count < keys.count && keys.items[from + count] != NULL &&
           count < DICT_PART) {
        count++;
    }
    if (*pairwise == 0 && count > DICT_RUN) {
        *pairwise = count;
    }
    if (*pairwise > 0) {
        (*pairwise)--;
        return 1;
    }
    return count;
}

static void pairs_to(Compiler *c, const Node *node, Reg dict, uint32_t from,
                     uint32_t count)
{
    for (uint32_t i = from; i < from + count; i++) {
        compile_temp(c, node->dict.keys.items[i]);
        compile_temp(c, node->dict.values.items[i]);
    }
    c->span = node->span;
    for (uint32_t i = 0; i < count; i++) {
        compile_emit(c, OPCODE_DICTSET, dict, dict + 1 + 2 * i,
                     dict + 2 + 2 * i);
    }
}

// Runs of plain pairs go by one instruction; each `**mapping` is an update in
// between.
static void dict_to(Compiler *c, const Node *node, Reg target)
{
    NodeList keys = node->dict.keys, values = node->dict.values;
    Reg mark = c->top;
    Reg dict = compile_push(c);
    compile_emit(c, OPCODE_DICT, dict, dict, 0);
    uint32_t pairwise = 0;
    for (uint32_t i = 0; i < keys.count && !c->failed; i++) {
        // `**mapping` has no key.
        if (keys.items[i] == NULL) {
            Reg mapping = compile_temp(c, values.items[i]);
            c->span = node->span;
            compile_emit(c, OPCODE_DICTUPDATE, dict, mapping, 0);
        } else {
            uint32_t run = dict_run(keys, i, &pairwise);
            pairs_to(c, node, dict, i, run);
            i += run - 1;
        }
        c->top = dict + 1;
    }
    compile_emit(c, OPCODE_MOVET, target, dict, 0);
    c->top = mark;
}

// What is no expression at all ends here, too.
void compile_display_to(Compiler *c, const Node *node, Reg target)
{
    switch (node->kind) {
    case AST_TUPLE: sequence_to(c, node, target, OPCODE_TUPLE); break;
    case AST_LIST: sequence_to(c, node, target, OPCODE_LIST); break;
    case AST_SET: sequence_to(c, node, target, OPCODE_SET); break;
    case AST_DICT: dict_to(c, node, target); break;
    default: compile_error(c, node->span, "invalid syntax");
    }
}

// A keyword without a name is `**mapping`.
static bool has_mapping(NodeList keywords)
{
    for (uint32_t i = 0; i < keywords.count; i++) {
        if (keywords.items[i]->keyword.name.text == NULL) {
            return true;
        }
    }
    return false;
}

void compile_check_keywords(Compiler *c, NodeList keywords)
{
    // Quadratic, so very wide calls are left to DICTMERGE, which refuses a
    // repeated name when the call is made.
    for (uint32_t i = 0; i < keywords.count && keywords.count < 256; i++) {
        const char *name = keywords.items[i]->keyword.name.text;
        for (uint32_t k = 0; name != NULL && k < i; k++) {
            const char *other = keywords.items[k]->keyword.name.text;
            if (other != NULL && strcmp(name, other) == 0) {
                compile_error(c, keywords.items[i]->span,
                              "keyword argument repeated: %s", name);
            }
        }
    }
}

// The names are a constant of the call: its index. The tuple's places are
// filled at once, so that it may be released half-way.
static uint32_t keyword_tuple(Compiler *c, NodeList keywords)
{
    Tuple *names = c->failed ? NULL : tuple_new(c->vm, keywords.count);
    if (names == NULL) {
        c->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < keywords.count; i++) {
        names->items[i] = VALUE_NONE;
    }
    for (uint32_t i = 0; i < keywords.count && !c->failed; i++) {
        uint32_t name =
            compile_name_constant(c, keywords.items[i]->keyword.name);
        if (!c->failed) {
            names->items[i] = value_retain(c->constants.items[name]);
        }
    }
    return compile_constant_value(c, value_from_object(names));
}

// callee(*args, **keywords) by a list and a dict.
// CALLX finds the list and the dict behind the callee; an unbound dict means no
// keywords. DICTMERGE names the callee in its error.
static void wide_call(Compiler *c, const Node *node, Reg callee)
{
    NodeList keywords = node->call.keywords;
    // Side by side behind the callee, as CALLX wants them.
    Reg args = compile_push(c), dict = compile_push(c);
    compile_emit(c, OPCODE_DROP, dict, 0, 0);
    NodeList arguments = node->call.arguments;
    if (arguments.count == 1 && arguments.items[0]->kind == AST_STARRED) {
        compile_to(c, arguments.items[0]->starred.value, args);
    } else {
        list_to(c, arguments, args, node->span);
    }
    if (keywords.count > 0) {
        compile_emit(c, OPCODE_DICT, dict, dict, 0);
    }
    for (uint32_t i = 0; i < keywords.count && !c->failed; i++) {
        const Node *each = keywords.items[i];
        Reg value;
        if (each->keyword.name.text == NULL) {
            value = compile_temp(c, each->keyword.value);
            c->span = node->span;
            compile_emit(c, OPCODE_DICTMERGE, dict, value, callee);
        } else {
            Reg key = compile_push(c);
            compile_emit(c, OPCODE_LOADK, key,
                         compile_name_constant(c, each->keyword.name), 0);
            value = compile_temp(c, each->keyword.value);
            // A dict of one pair, as DICTMERGE refuses a key that is there
            // already.
            Reg one = compile_push(c);
            compile_emit(c, OPCODE_DICT, one, key, 1);
            c->span = node->span;
            compile_emit(c, OPCODE_DICTMERGE, dict, one, callee);
        }
        c->top = dict + 1;
    }
    c->span = node->span;
    compile_emit(c, OPCODE_CALLX, callee, 0, 0);
}

// Whether a function has a first parameter that is always there: no other
// function shares it, and none deletes it.
static bool first_stays(const Scope *scope)
{
    const Node *node = scope->node;
    const Node *params = node->kind == AST_FUNCTION_DEF
                             ? node->function_def.params
                         : node->kind == AST_LAMBDA ? node->lambda.params
                                                    : NULL;
    return params != NULL && params->params.params.count > 0 &&
           params->params.params.items[0]->param.kind <= PARAM_POSITIONAL &&
           scope->symbols[0]->place == PLACE_LOCAL &&
           !(scope->symbols[0]->flags & SYMBOL_DELETED);
}

// Whether a call is the usual super() of a method, so that __class__ and its
// first parameter can be handed over. scope_build has captured __class__ if a
// method mentions super; a function outside of a class has no such cell, and
// one without a plain first parameter, or that has written or deleted it, asks
// the frame.
static bool bare_super(Compiler *c, const Node *node)
{
    const Node *callee = node->call.function;
    return callee->kind == AST_NAME && node->call.arguments.count == 0 &&
           node->call.keywords.count == 0 &&
           strcmp(callee->name.id.text, "super") == 0 &&
           scope_find(c->scope, "__class__", 9) != NULL &&
           scope_find(c->scope, "__class__", 9)->place == PLACE_CAPTURED &&
           first_stays(c->scope);
}

// The callee's register takes the result. `object.name(…)` loads function and
// self without making a bound method.
void compile_call_to(Compiler *c, const Node *node, Reg target)
{
    NodeList args = node->call.arguments, keywords = node->call.keywords;
    const Node *function = node->call.function;
    Reg mark = c->top;
    bool in_place = target >= c->local_count && target + 1 == c->top;
    Reg callee = in_place ? target : compile_push(c);
    compile_check_keywords(c, keywords);
    // Each argument of an ordinary call takes a register and counts in the
    // instruction.
    bool wide = args.count + keywords.count > 200 || has_star(args) ||
                has_mapping(keywords);
    bool method = !wide && function->kind == AST_ATTRIBUTE;
    if (method) {
        // LOADM gives the function and self, or a callable and an empty
        // register.
        Reg object = compile_any(c, function->attribute.value);
        uint32_t name = compile_name_constant(c, function->attribute.name);
        c->span = compile_attribute_span(c, function);
        compile_emit(c, OPCODE_LOADM, callee, object, name);
        c->top = callee + 1;
        compile_push(c);
    } else {
        compile_to(c, function, callee);
    }
    uint32_t count = args.count + keywords.count;
    if (wide) {
        wide_call(c, node, callee);
    } else if (bare_super(c, node)) {
        static const Text cell = {"__class__", 9};
        compile_load_name(c, cell, compile_push(c));
        compile_emit(c, OPCODE_MOVE, compile_push(c),
                     c->scope->symbols[0]->index, 0);
        c->span = node->span;
        compile_emit(c, OPCODE_CALL, callee, 2, 0);
    } else {
        for (uint32_t i = 0; i < args.count; i++) {
            if (i > 0 || !compile_staged_iterable(c, node)) {
                compile_temp(c, args.items[i]);
            }
        }
        for (uint32_t i = 0; i < keywords.count; i++) {
            compile_temp(c, keywords.items[i]->keyword.value);
        }
        c->span = node->span;
        if (method) {
            // A method's name on a later line is where its call begins.
            c->span.start = compile_attribute_span(c, function).start;
        }
        if (keywords.count > 0) {
            compile_emit(c, method ? OPCODE_CALLMK : OPCODE_CALLK, callee,
                         count, keyword_tuple(c, keywords));
        } else {
            compile_emit(c, method ? OPCODE_CALLM : OPCODE_CALL, callee, count,
                         0);
        }
    }
    if (callee != target) {
        compile_emit(c, OPCODE_MOVET, target, callee, 0);
    }
    c->top = mark;
}
