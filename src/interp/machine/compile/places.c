// What a block assigns: its state, by places (code.h, BlockPlace).
//
// A name counts wherever it is bound in the block's own frame: assignments,
// loop targets, `with … as`, `except … as`, imports, definitions, del and
// walruses. Bodies of inner functions and comprehensions are frames of their
// own and do not count, but for the walruses of comprehensions.
#include <string.h>

#include "interp/machine/compile/compile.h"
#include "interp/objects/text/obj_str.h"

static void walk_list(Compiler *c, uint32_t info, NodeList list);
static void walk(Compiler *c, uint32_t info, const Node *node);

// A block has few places as a rule; long lists are for generated code.
static bool same_place(const BlockPlace *a, const BlockPlace *b)
{
    if (a->kind != b->kind || a->index != b->index || a->name != b->name ||
        a->step_count != b->step_count) {
        return false;
    }
    // d["a"] and d.a are two places, so the kind of step counts.
    for (uint32_t i = 0; i < a->step_count; i++) {
        if (!value_same(a->steps[i].key, b->steps[i].key) ||
            a->steps[i].item != b->steps[i].item) {
            return false;
        }
    }
    return true;
}

static void add_place(Compiler *c, uint32_t number, BlockPlace place)
{
    Ctx *ctx = &c->vm->ctx;
    BlockInfo *info = c->failed ? NULL : &c->blocks.items[number];
    // After a failure nothing is added, as if it were known already.
    bool known = info == NULL;
    for (uint32_t i = 0; !known && i < info->place_count; i++) {
        known = same_place(&info->places[i], &place);
    }
    BlockPlace *places =
        known
            ? NULL
            : ctx_realloc(ctx, info->places, info->place_count * sizeof *places,
                          (info->place_count + 1) * sizeof *places);
    // Known, or no memory: the references that came along are released.
    if (places == NULL) {
        c->failed = c->failed || !known;
        BlockInfo alone = {.places = &place, .place_count = 1};
        block_places_clear(c->vm, &alone);
        return;
    }
    places[info->place_count++] = place;
    info->places = places;
}

static bool is_text(Text a, Text b)
{
    return a.text != NULL && strcmp(a.text, b.text) == 0;
}

// Names of the conversion begin with a dot, which no program can write; which
// one is the result's is known to the lowering.
static HiddenKind hidden_kind(const Compiler *c, Text name)
{
    return name.text[0] != '.'                  ? HIDDEN_NONE
           : is_text(c->staged->result, name)   ? HIDDEN_RESULT
           : is_text(c->staged->returned, name) ? HIDDEN_RETURNED
                                                : HIDDEN_FLAG;
}

// Where the scope put the name. False without an error: a name that this scope
// does not know (it belongs to a comprehension).
static bool name_place(Compiler *c, Text name, BlockPlace *place)
{
    size_t length;
    const char *text = scope_mangle(c->table, c->scope, name, &length);
    Symbol *symbol =
        text == NULL || c->failed ? NULL : scope_find(c->scope, text, length);
    if (symbol == NULL) {
        return false;
    }
    *place = (BlockPlace){.hidden = hidden_kind(c, name),
                          .name = str_intern(c->vm, text, length)};
    if (place->name == NULL) {
        c->failed = true;
        return false;
    }
    // A name of a module or a class body is looked up by name, as a global is.
    static const uint8_t kinds[] = {[PLACE_GLOBAL] = STATE_GLOBAL,
                                    [PLACE_NAME] = STATE_GLOBAL,
                                    [PLACE_LOCAL] = STATE_LOCAL,
                                    [PLACE_CELL] = STATE_CELL,
                                    [PLACE_CAPTURED] = STATE_CAPTURED};
    place->kind = kinds[symbol->place];
    place->index = place->kind == STATE_GLOBAL ? 0 : (uint16_t)symbol->index;
    return true;
}

// An import of `a.b` binds a.
static void add_name(Compiler *c, uint32_t info, Text name)
{
    BlockPlace place;
    const char *dot = strchr(name.text, '.');
    if (dot != NULL && dot != name.text) { // `import a.b` binds a
        name.length = (size_t)(dot - name.text);
        name.text = arena_strndup(c->table->arena, name.text, name.length);
        c->failed = c->failed || name.text == NULL;
    }
    if (!c->failed && name_place(c, name, &place)) {
        add_place(c, info, place);
    }
}

// The object of a path's last step; NULL: it does not go on as a path.
static const Node *path_inner(const Node *node)
{
    return node->kind == AST_ATTRIBUTE   ? node->attribute.value
           : node->kind == AST_SUBSCRIPT ? node->subscript.value
                                         : NULL;
}

// A path begins with a name; its keys are constants.
static bool is_path(const Node *node, uint32_t *count)
{
    for (*count = 0; node->kind != AST_NAME; ++*count) {
        bool step = node->kind == AST_ATTRIBUTE ||
                    (node->kind == AST_SUBSCRIPT &&
                     node->subscript.index->kind == AST_CONSTANT);
        if (!step) {
            return false;
        }
        node = path_inner(node);
    }
    return true;
}

// Keys are shared with the code's constants, so that equal ones are the same
// value (same_place compares them so).
static bool fill_step(Compiler *c, const Node *node, PathStep *step)
{
    step->item = node->kind == AST_SUBSCRIPT;
    uint32_t constant = step->item
                            ? compile_constant_node(c, node->subscript.index)
                            : compile_name_constant(c, node->attribute.name);
    if (c->failed) {
        return false;
    }
    step->key = value_retain(c->constants.items[constant]);
    return true;
}

// self.a.b = …, d["k"] = …: places of their own.
static void add_path(Compiler *c, uint32_t info, const Node *node)
{
    uint32_t count;
    BlockPlace place;
    const Node *root = node;
    // x[i].a: which place that is only the run knows.
    if (!is_path(node, &count)) {
        return;
    }
    // From the last step inwards to the name that the path begins with.
    while (root->kind != AST_NAME) {
        root = path_inner(root);
    }
    if (!name_place(c, root->name.id, &place)) {
        return;
    }
    place.steps = ctx_alloc_zero(&c->vm->ctx, count * sizeof *place.steps);
    place.step_count = place.steps == NULL ? 0 : count;
    c->failed = c->failed || place.steps == NULL;
    // The tree has the last step outermost; the array begins with the first.
    for (uint32_t i = count; i-- > 0 && !c->failed; node = path_inner(node)) {
        // So that dropping the place is right if the step fails.
        place.steps[i].key = VALUE_NONE;
        if (!fill_step(c, node, &place.steps[i])) {
            break;
        }
    }
    add_place(c, info, place);
}

// Whatever can stand on the left of `=`. An element with a key that is no
// constant is not a place: a tensor stored there is a leak of the block.
static void add_target(Compiler *c, uint32_t info, const Node *target)
{
    switch (target->kind) {
    case AST_NAME: add_name(c, info, target->name.id); break;
    case AST_ATTRIBUTE:
    case AST_SUBSCRIPT: add_path(c, info, target); break;
    case AST_STARRED: add_target(c, info, target->starred.value); break;
    case AST_TUPLE:
    case AST_LIST:
        for (uint32_t i = 0; i < target->sequence.elements.count; i++) {
            add_target(c, info, target->sequence.elements.items[i]);
        }
        break;
    default: break;
    }
}

// Each target of `a = b = value`, or of `del`.
static void add_targets(Compiler *c, uint32_t info, NodeList targets)
{
    for (uint32_t i = 0; i < targets.count; i++) {
        add_target(c, info, targets.items[i]);
    }
}

// `from m import *` cannot stand in a function.
static void add_aliases(Compiler *c, uint32_t info, NodeList names)
{
    for (uint32_t i = 0; i < names.count; i++) {
        const Node *alias = names.items[i];
        Text name = alias->alias.asname.text != NULL ? alias->alias.asname
                                                     : alias->alias.name;
        // The parser has refused a star within a function.
        if (name.text[0] != '*') {
            add_name(c, info, name);
        }
    }
}

static void add_bound(Compiler *c, uint32_t info, const Node *node)
{
    switch (node->kind) {
    case AST_ASSIGN: add_targets(c, info, node->assign.targets); break;
    case AST_AUG_ASSIGN: add_target(c, info, node->aug_assign.target); break;
    // `x: int` alone binds nothing.
    case AST_ANN_ASSIGN:
        if (node->ann_assign.value != NULL) {
            add_target(c, info, node->ann_assign.target);
        }
        break;
    case AST_DELETE: add_targets(c, info, node->delete_stmt.targets); break;
    case AST_FOR: add_target(c, info, node->for_stmt.target); break;
    case AST_WITH_ITEM:
        if (node->with_item.target != NULL) {
            add_target(c, info, node->with_item.target);
        }
        break;
    case AST_EXCEPT_HANDLER:
        if (node->handler.name.text != NULL) {
            add_name(c, info, node->handler.name);
        }
        break;
    case AST_IMPORT:
    case AST_IMPORT_FROM:
        add_aliases(c, info,
                    node->kind == AST_IMPORT ? node->names.names
                                             : node->import_from.names);
        break;
    case AST_FUNCTION_DEF: add_name(c, info, node->function_def.name); break;
    case AST_CLASS_DEF: add_name(c, info, node->class_def.name); break;
    case AST_NAMED_EXPR: add_target(c, info, node->named_expr.target); break;
    default: break;
    }
}

static void walk_parts(Compiler *c, uint32_t info, const Node *node)
{
    switch (node->kind) {
#define N(field) walk(c, info, node->field);
#define L(field) walk_list(c, info, node->field);
#include "parser/ast_cases.h"
    // The list covers every kind that has children.
    default: break;
    }
}

// What these bind inside is not the block's.
static bool is_inner_frame(const Node *node)
{
    return node->kind == AST_FUNCTION_DEF || node->kind == AST_CLASS_DEF ||
           node->kind == AST_LAMBDA;
}

// Binds and goes on into the children; sums of any length without recursion.
static void walk(Compiler *c, uint32_t info, const Node *node)
{
    if (node == NULL || c->failed) {
        return;
    }
    if (!ctx_enter(&c->vm->ctx)) {
        c->failed = true;
        return;
    }
    while (node->kind == AST_BINARY) { // long sums
        walk(c, info, node->binary.right);
        node = node->binary.left;
    }
    add_bound(c, info, node);
    if (!is_inner_frame(node)) {
        walk_parts(c, info, node);
    }
    ctx_leave(&c->vm->ctx);
}

// In order, so that the places of a block stand in the order in which the text
// first assigns them.
static void walk_list(Compiler *c, uint32_t info, NodeList list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        walk(c, info, list.items[i]);
    }
}

// Asked for each block anew: nested blocks walk the same statements again,
// once for each level around them.
void compile_places(Compiler *c, uint32_t info, NodeList list)
{
    walk_list(c, info, list);
}

// Expressions bind by walruses alone.
void compile_expression_places(Compiler *c, uint32_t info, const Node *node)
{
    walk(c, info, node);
}

// The register of an expression's value. If it is a local's, the local is what
// the block assigns.
void compile_place_register(Compiler *c, uint32_t info, Reg target)
{
    // A conditional expression may be compiled straight into a local.
    for (uint32_t i = 0; i < c->scope->symbol_count; i++) {
        const Symbol *symbol = c->scope->symbols[i];
        if (symbol->place == PLACE_LOCAL && symbol->index == target) {
            add_name(c, info, (Text){symbol->name, symbol->length});
            return;
        }
    }
    add_place(c, info,
              (BlockPlace){.kind = STATE_LOCAL,
                           .hidden = HIDDEN_VALUE,
                           .index = (uint16_t)target});
}

// --- what a turn assigns before it reads it ---

// A search for a name; it stops at the first place where the name stands.
typedef struct Mention {
    const char *name;
    uint32_t behind; // nodes that end up to there do not count
    bool found;
} Mention;

static void find_mention(Compiler *c, const Node *node, Mention *mention);

static void find_mentions(Compiler *c, NodeList list, Mention *mention)
{
    for (uint32_t i = 0; i < list.count; i++) {
        find_mention(c, list.items[i], mention);
    }
}

// Names that are not NAME nodes: of functions, parameters, attributes. A match
// by accident only makes the answer more cautious.
static void mention_text(Text text, Mention *mention)
{
    if (text.text != NULL && strcmp(text.text, mention->name) == 0) {
        mention->found = true;
    }
}

// Whether the name stands anywhere in it, inner functions included. A node
// that is too deep to look at counts as a mention.
static void find_mention(Compiler *c, const Node *node, Mention *mention)
{
    if (node == NULL || mention->found ||
        (mention->behind > 0 && node->span.end <= mention->behind)) {
        return;
    }
    if (c->failed || !ctx_enter(&c->vm->ctx)) {
        c->failed = true;
        return;
    }
    if (node->kind == AST_NAME) {
        mention_text(node->name.id, mention);
    }
    switch (node->kind) {
#define N(field) find_mention(c, node->field, mention);
#define L(field) find_mentions(c, node->field, mention);
#define S(field) mention_text(node->field, mention);
#include "parser/ast_cases.h"
    default: break;
    }
    ctx_leave(&c->vm->ctx);
}

// A plain assignment to the name and to nothing else.
static bool assigns_name(const Node *node, const char *name)
{
    const Node *target =
        node->kind == AST_ASSIGN && node->assign.targets.count == 1
            ? node->assign.targets.items[0]
            : NULL;
    return target != NULL && target->kind == AST_NAME &&
           strcmp(target->name.id.text, name) == 0;
}

// The first statement of the turn that mentions the name assigns it.
static bool is_fresh(Compiler *c, const Node *loop, const char *name)
{
    Mention mention = {.name = name};
    bool is_for = loop->kind == AST_FOR;
    NodeList turn = is_for ? loop->for_stmt.body : loop->if_stmt.body;
    if (is_for) {
        find_mention(c, loop->for_stmt.target, &mention);
        if (mention.found) {
            return loop->for_stmt.target->kind == AST_NAME ||
                   loop->for_stmt.target->kind == AST_TUPLE;
        }
    } else {
        find_mention(c, loop->if_stmt.test, &mention);
    }
    for (uint32_t i = 0; i < turn.count && !mention.found; i++) {
        const Node *node = turn.items[i];
        if (assigns_name(node, name)) {
            find_mention(c, node->assign.value, &mention);
            return !mention.found;
        }
        // Read, or assigned in part of the turn's ways only: not fresh.
        find_mention(c, node, &mention);
    }
    return false;
}

// Whether the function mentions the name behind the loop.
static bool is_later(Compiler *c, const Node *loop, const char *name)
{
    Mention mention = {.name = name, .behind = loop->span.end};
    if (c->staged != NULL) {
        find_mentions(c, c->staged->body, &mention);
    }
    return mention.found;
}

// Only locals are looked at: a cell or a global may be read by a function that
// the turn calls.
void compile_mark_fresh(Compiler *c, uint32_t number, const Node *loop)
{
    for (uint32_t i = 0; !c->failed; i++) {
        // Asked in each turn: the vector may move.
        BlockInfo *info = &c->blocks.items[number];
        if (i >= info->place_count) {
            return;
        }
        BlockPlace *place = &info->places[i];
        if (place->kind == STATE_LOCAL && place->step_count == 0 &&
            place->hidden == HIDDEN_NONE) {
            place->fresh = is_fresh(c, loop, place->name->text);
            place->later = is_later(c, loop, place->name->text);
        }
    }
}
