// The constructors of functions and cells: types.FunctionType(code, globals)
// makes a function as `def` does, with other names around it.
//
// Invariant: a function has as many cells as its code captures variables, or is
// not made.
#include "interp/objects/classes/function_make.h"

#include "interp/core/raise.h"
#include "interp/objects/code/code.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/text/obj_str.h"

typedef enum FunctionArg {
    FUNCTION_CODE,
    FUNCTION_GLOBALS,
    FUNCTION_NAME,
    FUNCTION_DEFAULTS,
    FUNCTION_CLOSURE,
    FUNCTION_ARG_COUNT
} FunctionArg;

// Neither UNBOUND nor None.
static bool is_given(Value v)
{
    return !value_unbound(v) && !value_is_none(v);
}

// False with a TypeError, which count from one.
static bool check_kinds(Vm *vm, const Value *args)
{
    if (!value_is_kind(args[FUNCTION_CODE], KIND_CODE)) {
        return raise_false(vm, ERR_TYPE,
                           "function() argument 'code' must be code, not %s",
                           type_name_given(vm, args[FUNCTION_CODE]));
    }
    // That of a module runs on a namespace, which a call does not give.
    if (((Code *)value_object(args[FUNCTION_CODE]))->flags & CODE_MODULE) {
        return raise_false(vm, ERR_TYPE,
                           "function() does not take the code of "
                           "a module: exec() runs it");
    }
    if (!value_is_kind(args[FUNCTION_GLOBALS], KIND_DICT)) {
        return raise_false(vm, ERR_TYPE,
                           "function() argument 'globals' must be dict, not %s",
                           type_name_given(vm, args[FUNCTION_GLOBALS]));
    }
    if (is_given(args[FUNCTION_NAME]) && !value_is_str(args[FUNCTION_NAME])) {
        return raise_false(vm, ERR_TYPE, "arg 3 (name) must be None or string");
    }
    if (is_given(args[FUNCTION_DEFAULTS]) &&
        !value_is_kind(args[FUNCTION_DEFAULTS], KIND_TUPLE)) {
        return raise_false(vm, ERR_TYPE,
                           "arg 4 (defaults) must be None or tuple");
    }
    return true;
}

// The closure is a tuple of as many cells as the code wants, or None for none.
static bool check_closure(Vm *vm, const Code *code, Value closure)
{
    bool given = is_given(closure);
    if (!given && code->captured_count > 0) {
        return raise_false(vm, ERR_TYPE, "arg 5 (closure) must be tuple");
    }
    if (given && !value_is_kind(closure, KIND_TUPLE)) {
        return raise_false(vm, ERR_TYPE,
                           "arg 5 (closure) must be None or tuple");
    }
    const Tuple *cells = given ? (Tuple *)value_object(closure) : NULL;
    size_t count = given ? cells->count : 0;
    if (count != code->captured_count) {
        return raise_false(
            vm, ERR_VALUE, "%s requires closure of length %u, not %zu",
            code->name->text, (unsigned)code->captured_count, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!value_is_kind(cells->items[i], KIND_CELL)) {
            return raise_false(vm, ERR_TYPE,
                               "arg 5 (closure) expected cell, found %s",
                               type_name(type_of(vm, cells->items[i])));
        }
    }
    return true;
}

// The name alone changes: __qualname__ stays the code's.
Value function_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls; // no class derives from it
    static const char *const params[] = {"code", "globals", "name", "argdefs",
                                         "closure"};
    Value given[FUNCTION_ARG_COUNT];
    if (!arguments_spread(vm, "function", args, keywords, params,
                          FUNCTION_ARG_COUNT, 2, given) ||
        !check_kinds(vm, given)) {
        return VALUE_FAIL;
    }
    Code *code = (Code *)value_object(given[FUNCTION_CODE]);
    Dict *globals = value_as_dict(given[FUNCTION_GLOBALS]);
    Function *made = check_closure(vm, code, given[FUNCTION_CLOSURE])
                         ? function_new(vm, code, globals)
                         : NULL;
    if (made == NULL) {
        return VALUE_FAIL;
    }
    for (uint32_t i = 0; i < made->cell_count; i++) {
        const Tuple *cells = value_as_tuple(given[FUNCTION_CLOSURE]);
        made->cells[i] = value_retain(cells->items[i]);
    }
    if (is_given(given[FUNCTION_NAME])) {
        Str *old = made->name;
        made->name = object_retain(value_as_str(given[FUNCTION_NAME]));
        object_release(&vm->ctx, old);
    }
    if (is_given(given[FUNCTION_DEFAULTS])) {
        Value defaults = given[FUNCTION_DEFAULTS];
        made->defaults = object_retain(value_as_tuple(defaults));
    }
    return value_from_object(made);
}

Value function_make_cell(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls; // no class derives from it
    if (!arguments_check(vm, "cell", args, keywords, 1)) {
        return VALUE_FAIL;
    }
    Cell *cell =
        cell_new(vm, args->count == 0 ? VALUE_UNBOUND : args->items[0]);
    return value_or_fail(cell);
}
