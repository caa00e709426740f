// What is assigned to, augmented and deleted.
//
// Invariant: `source` of a store is emptied if it is a temporary; a target's
// own parts (the object of an attribute, container and key of an item) are
// evaluated after the value, as in Python.
#include "interp/machine/compile/compile.h"

// A local is never emptied by a store: it keeps its value, hence MOVE.
void compile_store_name(Compiler *c, Text name, Reg source)
{
    Symbol *symbol = c->failed ? NULL : compile_symbol_of(c, name);
    if (symbol == NULL) {
        return;
    }
    // MOVET moves a temporary's reference, MOVE makes another one of a local's.
    Opcode move = source >= c->local_count ? OPCODE_MOVET : OPCODE_MOVE;
    switch (symbol->place) {
    case PLACE_LOCAL:
        if (symbol->index != source) {
            compile_emit(c, move, symbol->index, source, 0);
        }
        break;
    case PLACE_CELL:
        compile_emit(c, OPCODE_SETCELL, symbol->index, source, 0);
        break;
    case PLACE_CAPTURED:
        compile_emit(c, OPCODE_SETCAP, source, symbol->index, 0);
        break;
    case PLACE_NAME:
        compile_emit(c, OPCODE_SETN, source, compile_name_constant(c, name), 0);
        break;
    case PLACE_GLOBAL:
        compile_emit(c, OPCODE_SETG, source, compile_name_constant(c, name), 0);
    }
}

// The first of the registers of these targets if they are locals that stand
// side by side in this order, -1: they are not.
static int32_t adjacent_locals(Compiler *c, NodeList items)
{
    int32_t first = -1;
    for (uint32_t i = 0; i < items.count; i++) {
        const Symbol *symbol = compile_local_symbol(c, items.items[i]);
        if (symbol == NULL || (i > 0 && symbol->index != (uint32_t)first + i)) {
            return -1;
        }
        first = i == 0 ? (int32_t)symbol->index : first;
    }
    return first;
}

// Neighbouring locals are filled at once; otherwise the items go to temporaries
// first and from there to their targets, left to right.
static void unpack_to(Compiler *c, const Node *target, Reg source)
{
    NodeList items = target->sequence.elements;
    uint32_t star = UINT32_MAX;
    for (uint32_t i = 0; i < items.count; i++) {
        if (items.items[i]->kind == AST_STARRED) {
            if (star != UINT32_MAX) {
                compile_error(c, target->span,
                              "multiple starred expressions in assignment");
            }
            star = i;
        }
    }
    int32_t locals = star == UINT32_MAX ? adjacent_locals(c, items) : -1;
    if (locals >= 0) {
        compile_emit(c, OPCODE_UNPACK, source, (Reg)locals, items.count);
        return;
    }
    Reg first = compile_push_many(c, items.count);
    if (star == UINT32_MAX) {
        compile_emit(c, OPCODE_UNPACK, source, first, items.count);
    } else if (items.count - star - 1 > 255) {
        compile_error(c, target->span,
                      "too many expressions in star-unpacking assignment");
    } else {
        // x says how many targets stand behind the starred one, C how many
        // before it.
        compile_emit_x(c, OPCODE_UNPACKX, items.count - star - 1, source, first,
                       star);
    }
    for (uint32_t i = 0; i < items.count; i++) {
        const Node *item = items.items[i];
        compile_store_target(c, i == star ? item->starred.value : item,
                             first + i);
    }
    c->top = first;
}

static void store_item(Compiler *c, const Node *target, Reg source)
{
    Reg mark = c->top;
    Reg container =
        compile_first(c, target->subscript.value, target->subscript.index);
    Reg key = compile_any(c, target->subscript.index);
    c->span = target->span;
    compile_emit(c, OPCODE_SETITEM, container, key, source);
    c->top = mark;
}

void compile_store_target(Compiler *c, const Node *target, Reg source)
{
    Reg mark = c->top;
    Reg object;
    c->span = target->span;
    switch (target->kind) {
    case AST_NAME: compile_store_name(c, target->name.id, source); break;
    case AST_ATTRIBUTE:
        object = compile_any(c, target->attribute.value);
        c->span = target->span;
        compile_emit(c, OPCODE_SETATTR, object, source,
                     compile_name_constant(c, target->attribute.name));
        break;
    case AST_SUBSCRIPT: store_item(c, target, source); break;
    case AST_TUPLE:
    case AST_LIST: unpack_to(c, target, source); break;
    default:
        compile_error(c, target->span,
                      "starred assignment target must be in a list or tuple");
    }
    c->top = mark;
}

// --- augmented assignment ---

// `left` is a local that the right side may assign on its way: `x += (x := 1)`
// adds to the old value.
static Reg augmented_local(Compiler *c, const Node *node, const Symbol *symbol)
{
    if (!(symbol->flags & SYMBOL_WALRUS)) {
        compile_check_bound(c, node->aug_assign.target, node->aug_assign.value);
        return symbol->index;
    }
    Reg copy = compile_push(c);
    compile_emit(c, OPCODE_MOVE, copy, symbol->index, 0);
    return copy;
}

// The 1 makes the operator try the in-place method (__iadd__) first.
static void augment(Compiler *c, const Node *node, Reg left, Reg target)
{
    compile_operate_to(c, node->aug_assign.op, 1, left, node->aug_assign.value,
                       target, node->span);
}

// object.name += …; a temporary object is read twice, so that GETATTR gets a
// copy to empty.
static void augment_attribute(Compiler *c, const Node *node)
{
    const Node *target = node->aug_assign.target;
    uint32_t name = compile_name_constant(c, target->attribute.name);
    Reg object = compile_any(c, target->attribute.value);
    Reg value = compile_push(c), again = object;
    if (object >= c->local_count) {
        again = compile_push(c);
        compile_emit(c, OPCODE_MOVE, again, object, 0);
    }
    c->span = target->span;
    compile_emit(c, OPCODE_GETATTR, value, again, name);
    augment(c, node, value, value);
    // The store fails at the target, not at the statement.
    c->span = target->span;
    compile_emit(c, OPCODE_SETATTR, object, value, name);
}

// A register that an instruction may empty while `reg` is still needed.
static Reg reread(Compiler *c, Reg reg)
{
    if (reg < c->local_count) {
        return reg;
    }
    Reg copy = compile_push(c);
    compile_emit(c, OPCODE_MOVE, copy, reg, 0);
    return copy;
}

// Container and key are evaluated once, but used by the read and the store; a
// literal key is cheaper to load again than to keep.
static void augment_item(Compiler *c, const Node *node)
{
    const Node *target = node->aug_assign.target;
    const Node *index = target->subscript.index;
    int32_t number;
    Reg object = compile_first(c, target->subscript.value, index);
    bool literal = compile_constant_int16(index, &number);
    Reg key = literal ? compile_push(c) : compile_any(c, index);
    Reg value = compile_push(c), mark = c->top;
    Reg container = reread(c, object);
    if (literal) {
        c->span = target->span;
        compile_emit(c, OPCODE_GETITEMI, value, container, (uint32_t)number);
    } else {
        Reg again = reread(c, key);
        c->span = target->span;
        compile_emit(c, OPCODE_GETITEM, value, container, again);
    }
    c->top = mark;
    augment(c, node, value, value);
    if (literal) {
        compile_emit(c, OPCODE_LOADI, key, (uint32_t)number, 0);
    }
    c->span = target->span;
    compile_emit(c, OPCODE_SETITEM, object, key, value);
}

void compile_aug_assign(Compiler *c, const Node *node)
{
    const Node *target = node->aug_assign.target;
    Symbol *local = compile_local_symbol(c, target);
    if (local != NULL) {
        augment(c, node, augmented_local(c, node, local), local->index);
    } else if (target->kind == AST_NAME) {
        Reg value = compile_push(c);
        // Loaded before the right side runs, as in Python: x += f() adds to the
        // x of before, whatever f assigns.
        c->span = target->span;
        compile_load_name(c, target->name.id, value);
        augment(c, node, value, value);
        compile_store_name(c, target->name.id, value);
    } else if (target->kind == AST_ATTRIBUTE) {
        augment_attribute(c, node);
    } else {
        augment_item(c, node);
    }
}

// --- del ---

// A name that is not bound is an error at run time, not here.
static void delete_name(Compiler *c, const Node *node)
{
    size_t length;
    const char *name = scope_mangle(c->table, c->scope, node->name.id, &length);
    Symbol *symbol = name == NULL ? NULL : scope_find(c->scope, name, length);
    if (symbol == NULL) {
        c->failed = true;
        return;
    }
    switch (symbol->place) {
    case PLACE_LOCAL:
        compile_emit(c, OPCODE_DELETE, symbol->index, 0, 0);
        break;
    case PLACE_CELL:
        compile_emit(c, OPCODE_DELCELL, symbol->index, 0, 0);
        break;
    case PLACE_CAPTURED:
        compile_emit(c, OPCODE_DELCAP, 0, symbol->index, 0);
        break;
    case PLACE_NAME:
        compile_emit(c, OPCODE_DELN, 0, compile_name_constant(c, node->name.id),
                     0);
        break;
    case PLACE_GLOBAL:
        compile_emit(c, OPCODE_DELG, 0, compile_name_constant(c, node->name.id),
                     0);
    }
}

void compile_delete_target(Compiler *c, const Node *node)
{
    Reg mark = c->top;
    Reg object;
    c->span = node->span;
    switch (node->kind) {
    case AST_NAME: delete_name(c, node); break;
    case AST_ATTRIBUTE:
        object = compile_any(c, node->attribute.value);
        c->span = node->span;
        compile_emit(c, OPCODE_DELATTR, object, 0,
                     compile_name_constant(c, node->attribute.name));
        break;
    // SETITEM's order: container first, then the key.
    case AST_SUBSCRIPT: {
        object = compile_first(c, node->subscript.value, node->subscript.index);
        Reg key = compile_any(c, node->subscript.index);
        c->span = node->span;
        compile_emit(c, OPCODE_DELITEM, object, key, 0);
        break;
    }
    default:
        for (uint32_t i = 0; i < node->sequence.elements.count; i++) {
            compile_delete_target(c, node->sequence.elements.items[i]);
        }
    }
    c->top = mark;
}
