// Slow paths: globals, names of class bodies, cells, annotations.
//
// Each store and read of what a trace may have seen is told to it (note.h)
// before it happens.
#include "interp/hooks/note.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/containers/obj_dict.h"

// Interned; borrowed.
static Str *name_of(const Frame *f, uint32_t constant)
{
    return value_as_str(f->code->constants[constant]);
}

// Always false. What may have been meant is for the traceback to say.
static bool undefined(Vm *vm, const Str *name)
{
    return raise_false(vm, ERR_NAME, "name '%s' is not defined", name->text);
}

// The words differ in the function that owns the variable.
static bool unbound_cell(Vm *vm, const char *name, bool is_free)
{
    if (is_free) {
        return raise_false(vm, ERR_NAME,
                           "cannot access free variable '%s' where it is not "
                           "associated with a value in enclosing scope",
                           name);
    }
    return raise_false(vm, ERR_UNBOUND_LOCAL,
                       "cannot access local variable '%s' where it is not "
                       "associated with a value",
                       name);
}

// The target gets a count of its own. Always true.
static bool copy_to(Vm *vm, Frame *f, Ins ins, Value v)
{
    value_replace(&vm->ctx, &f->registers[INS_A(ins)], value_retain(v));
    return true;
}

// Where names end that the globals do not have: what these call __builtins__, a
// dict or a module, for programs that run texts with few names; else all
// built-in names. Borrowed.
static Dict *builtins_of(Vm *vm, const Frame *f)
{
    Value own = dict_get_name(f->globals, vm->names[NAME_BUILTINS]);
    return value_is_kind(own, KIND_DICT) ? value_as_dict(own)
           : value_is_kind(own, KIND_MODULE) &&
                   ((Module *)value_object(own))->dict != NULL
               ? ((Module *)value_object(own))->dict
               : vm->builtins;
}

// The version of these globals, in no other globals met: two that grew by as
// many names have the same otherwise, and the same code may run with both. The
// number that tells them apart stands in its upper half.
static uint64_t globals_version(Vm *vm, Dict *globals)
{
    if (globals->version >> 32 == 0) {
        globals->version += ++vm->numbered_globals << 32;
    }
    return globals->version;
}

// Fills the cache: the entry in the globals, or, while those have no such name,
// the entry in the built-in names and the version of the globals.
bool slow_getg(Vm *vm, Frame *f, Ins ins)
{
    Ins *cache = (Ins *)(uintptr_t)f->pc;
    Str *name = name_of(f, INS_B(ins));
    int32_t index = dict_find_name(f->globals, name);
    if (index >= 0) {
        Value v = f->globals->entries[index].value;
        cache[0] = (uint32_t)index;
        return note_read(vm, f->globals, value_from_object(name), v) &&
               copy_to(vm, f, ins, v);
    }
    // A global of that name would hide what is built in, or be there.
    if (!note_read(vm, f->globals, value_from_object(name), VALUE_UNBOUND)) {
        return false;
    }
    Dict *builtins = builtins_of(vm, f);
    index = dict_find_name(builtins, name);
    if (index < 0) {
        return undefined(vm, name);
    }
    if (builtins != vm->builtins) {
        return copy_to(vm, f, ins, builtins->entries[index].value);
    }
    // The low half matches no entry of the globals.
    cache[0] = UINT32_MAX | (uint64_t)(index + 1) << 32;
    cache[1] = globals_version(vm, f->globals) + 1;
    return copy_to(vm, f, ins, vm->builtins->entries[index].value);
}

// Notes where the name stands then, for the next time.
bool slow_setg(Vm *vm, Frame *f, Ins ins)
{
    Ins *cache = (Ins *)(uintptr_t)f->pc;
    Str *name = name_of(f, INS_B(ins));
    if (!slow_bound(vm, f, INS_A(ins)) ||
        !dict_set_name(vm, f->globals, name, f->registers[INS_A(ins)])) {
        return false;
    }
    cache[0] = (uint32_t)dict_find_name(f->globals, name);
    slow_drop(vm, f, INS_A(ins));
    return true;
}

// A name that is not there is a NameError, not a KeyError.
static bool delete_from(Vm *vm, Dict *dict, Str *name)
{
    int removed = dict_remove(vm, dict, value_from_object(name));
    return removed > 0 || (removed == 0 && undefined(vm, name));
}

bool slow_delg(Vm *vm, Frame *f, Ins ins)
{
    return delete_from(vm, f->globals, name_of(f, INS_B(ins)));
}

// The names of a class body, or of exec with locals of its own: a dict, or what
// __prepare__ has given, or any mapping that exec was given.
static Value names_of(const Frame *f)
{
    return f->registers[0];
}

// No hooks of a dict are asked, and of another mapping only a KeyError means
// that the name is not there. Owned; UNBOUND: it is not.
static Value find_name(Vm *vm, Value names, Str *name)
{
    if (LIKELY(type_of(vm, names) == vm->types[KIND_DICT])) {
        Dict *dict = value_as_dict(names);
        Value own = dict_get_name(dict, name);
        return !dict->globals ||
                       note_read(vm, dict, value_from_object(name), own)
                   ? value_retain(own)
                   : VALUE_FAIL;
    }
    Value found = value_get_item(vm, names, value_from_object(name));
    if (value_failed(found) && raise_matches(vm, ERR_KEY)) {
        raise_clear(vm);
        return VALUE_UNBOUND;
    }
    return found;
}

static bool store_name(Vm *vm, Value names, Str *name, Value v)
{
    return LIKELY(type_of(vm, names) == vm->types[KIND_DICT])
               ? dict_set_name(vm, value_as_dict(names), name, v)
               : value_set_item(vm, names, value_from_object(name), v);
}

// Class bodies look in their own namespace first, then past all enclosing
// functions in the globals. Owned; VALUE_FAIL: NameError, or a mapping's own.
static Value load_name(Vm *vm, const Frame *f, Str *name)
{
    Value found = find_name(vm, names_of(f), name);
    if (!value_unbound(found)) {
        return found;
    }
    found = dict_get_name(f->globals, name);
    if (!note_read(vm, f->globals, value_from_object(name), found)) {
        return VALUE_FAIL;
    }
    if (value_unbound(found)) {
        found = dict_get_name(builtins_of(vm, f), name);
    }
    return value_unbound(found) ? (undefined(vm, name), VALUE_FAIL)
                                : value_retain(found);
}

bool slow_getn(Vm *vm, Frame *f, Ins ins)
{
    return slow_set(vm, f, INS_A(ins),
                    load_name(vm, f, name_of(f, INS_B(ins))));
}

static Cell *captured_cell(const Frame *f, uint32_t index)
{
    return (Cell *)value_object(f->cells[index]);
}

// A name that the class body has not assigned (yet) is the enclosing
// function's variable.
bool slow_getnc(Vm *vm, Frame *f, Ins ins)
{
    Str *name = name_of(f, INS_B(ins));
    Value found = find_name(vm, names_of(f), name);
    if (!value_unbound(found)) {
        return slow_set(vm, f, INS_A(ins), found);
    }
    Cell *cell = captured_cell(f, INS_C(ins));
    return value_unbound(cell->value)
               ? unbound_cell(vm, name->text, true)
               : note_read(vm, cell, VALUE_NONE, cell->value) &&
                     copy_to(vm, f, ins, cell->value);
}

bool slow_setn(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins)) ||
        !store_name(vm, names_of(f), name_of(f, INS_B(ins)),
                    f->registers[INS_A(ins)])) {
        return false;
    }
    slow_drop(vm, f, INS_A(ins));
    return true;
}

// The class body's own name; one of the globals is not deleted from here.
// Whatever a mapping has against it, the error says that the name is not there.
bool slow_deln(Vm *vm, Frame *f, Ins ins)
{
    Str *name = name_of(f, INS_B(ins));
    Value names = names_of(f);
    if (type_of(vm, names) == vm->types[KIND_DICT]) {
        return delete_from(vm, value_as_dict(names), name);
    }
    if (value_set_item(vm, names, value_from_object(name), VALUE_UNBOUND)) {
        return true;
    }
    raise_clear(vm);
    return undefined(vm, name);
}

// del of a local leaves it as it was before its first assignment.
bool slow_delete(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins))) {
        return false;
    }
    value_replace(&vm->ctx, &f->registers[INS_A(ins)], VALUE_UNBOUND);
    return true;
}

// The body of a class or module with annotations begins with making
// __annotations__, unless it is there.
bool slow_annotations(Vm *vm, Frame *f, Ins ins)
{
    (void)ins;
    Str *key = vm->names[NAME_ANNOTATIONS];
    Value found = find_name(vm, names_of(f), key);
    if (!value_unbound(found)) {
        release(vm, found);
        return !value_failed(found);
    }
    Dict *made = dict_new(vm);
    bool kept = made != NULL &&
                store_name(vm, names_of(f), key, value_from_object(made));
    object_release_null(&vm->ctx, made);
    return kept;
}

// __annotations__ is a name like others: the body may have made something else
// of it.
bool slow_annotate(Vm *vm, Frame *f, Ins ins)
{
    Value found = load_name(vm, f, vm->names[NAME_ANNOTATIONS]);
    bool done = !value_failed(found) &&
                value_set_item(vm, found, f->code->constants[INS_B(ins)],
                               f->registers[INS_A(ins)]);
    release(vm, found);
    if (done) {
        slow_drop(vm, f, INS_A(ins));
    }
    return done;
}

// --- cells ---

// A variable of this function that inner ones share: its register holds the
// cell.
static Cell *own_cell(const Frame *f, uint32_t reg)
{
    return (Cell *)value_object(f->registers[reg]);
}

// A trace may have read the cell: note_store tells it.
static bool store(Vm *vm, Frame *f, Cell *cell, uint32_t reg)
{
    if (!slow_bound(vm, f, reg) || !note_store(vm, cell, f->registers[reg])) {
        return false;
    }
    value_replace(&vm->ctx, &cell->value, value_retain(f->registers[reg]));
    slow_drop(vm, f, reg);
    return true;
}

static bool empty(Vm *vm, Cell *cell, const char *name, bool is_free)
{
    if (value_unbound(cell->value)) {
        return unbound_cell(vm, name, is_free);
    }
    if (!note_store(vm, cell, VALUE_UNBOUND)) {
        return false;
    }
    value_replace(&vm->ctx, &cell->value, VALUE_UNBOUND);
    return true;
}

// At the start of a function: a parameter that inner functions share moves into
// its cell; another variable's cell starts empty.
bool slow_mkcell(Vm *vm, Frame *f, Ins ins)
{
    Cell *cell = cell_new(vm, f->registers[INS_A(ins)]);
    return cell != NULL && slow_set(vm, f, INS_A(ins), value_from_object(cell));
}

// A trace sees each read of a cell (note.h).
bool slow_getcell(Vm *vm, Frame *f, Ins ins)
{
    Cell *cell = own_cell(f, INS_B(ins));
    if (value_unbound(cell->value)) {
        return slow_unbound(vm, f, INS_B(ins));
    }
    return note_read(vm, cell, VALUE_NONE, cell->value) &&
           copy_to(vm, f, ins, cell->value);
}

bool slow_setcell(Vm *vm, Frame *f, Ins ins)
{
    return store(vm, f, own_cell(f, INS_A(ins)), INS_B(ins));
}

bool slow_delcell(Vm *vm, Frame *f, Ins ins)
{
    return empty(vm, own_cell(f, INS_A(ins)),
                 f->code->local_names[INS_A(ins)]->text, false);
}

bool slow_getcap(Vm *vm, Frame *f, Ins ins)
{
    Cell *cell = captured_cell(f, INS_B(ins));
    if (value_unbound(cell->value)) {
        const Str *name = f->code->captured_names[INS_B(ins)];
        return vm->trace != NULL && vm->hooks->unbound(vm, f->code, name)
                   ? false
                   : unbound_cell(vm, name->text, true);
    }
    return note_read(vm, cell, VALUE_NONE, cell->value) &&
           copy_to(vm, f, ins, cell->value);
}

bool slow_setcap(Vm *vm, Frame *f, Ins ins)
{
    return store(vm, f, captured_cell(f, INS_B(ins)), INS_A(ins));
}

// Deleting a variable of a function around: nonlocal and del.
bool slow_delcap(Vm *vm, Frame *f, Ins ins)
{
    return empty(vm, captured_cell(f, INS_B(ins)),
                 f->code->captured_names[INS_B(ins)]->text, true);
}
