// "Did you mean": what a traceback proposes for a name that is not there.
//
// Only errors of exactly NameError and AttributeError get a proposal; locals
// come before globals before built-in names, and the names of tensors last of
// all. Invariant: a failure in here leaves the message without a proposal and
// no error pending.
#include "base/diag.h"
#include "interp/core/raise.h"
#include "interp/hooks/library.h"
#include "interp/objects/classes/names.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/code/code.h"
#include "interp/objects/errors/exception_fields.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/refused.h"

enum { NAMES_MAX = 750 }; // more are not looked through

// Borrowed texts. Some kilobytes, so that it is allocated rather than put on
// the C stack, which may be nearly used up after a RecursionError.
typedef struct NameList {
    const char *items[NAMES_MAX];
    size_t count;
} NameList;

// Names with a dot in front are the compiler's own.
static void add_name(NameList *names, const char *name)
{
    if (names->count < NAMES_MAX && name[0] != '.') {
        names->items[names->count++] = name;
    }
}

// Keys that are no strs, which a namespace may have, are passed over.
static void add_keys(NameList *names, const Dict *dict)
{
    uint32_t position = 0;
    Value key, value;
    while (dict_next(dict, &position, &key, &value)) {
        if (value_is_str(key)) {
            add_name(names, value_as_str(key)->text);
        }
    }
}

// The dict of the module that a source belongs to; NULL: none is known.
static Dict *globals_of(Vm *vm, const Source *source)
{
    uint32_t position = 0;
    Value key, value;
    while (dict_next(vm->modules, &position, &key, &value)) {
        if (!value_is_kind(value, KIND_MODULE)) {
            continue;
        }
        Dict *dict = ((Module *)value_object(value))->dict;
        Value file = dict_get_name(dict, vm->names[NAME_FILE]);
        if (value_is_str(file) &&
            strcmp(value_as_str(file)->text, source->name) == 0) {
            return dict;
        }
    }
    // Text without a file, as of the prompt, belongs to __main__.
    Value main = dict_get_name(vm->modules, vm->names[NAME_MAIN]);
    return value_is_kind(main, KIND_MODULE)
               ? ((Module *)value_object(main))->dict
               : NULL;
}

// Empties the list for the next, farther namespace.
static const char *best_of(NameList *names, const char *name)
{
    // The measure and its limit are diag_suggest's, for all messages alike.
    const char *best = diag_suggest(name, names->items, names->count);
    names->count = 0;
    return best;
}

// Whether a built-in type is one that Python has too: the classes of tensors
// and the errors of their operations are not.
static bool is_of_python(Vm *vm, const Type *cls)
{
    for (int kind = ERR_OP; kind <= ERR_FROZEN; kind++) {
        if (cls == vm->error_types[kind]) {
            return false;
        }
    }
    return cls->kind != KIND_TENSOR && cls->kind != KIND_VARIABLE;
}

// Python's own built-in names, or those that Duet has more.
static void add_builtins(Vm *vm, NameList *names, bool tensors)
{
    static const char *const constants[] = {"True", "False", "None"};
    const char *own;
    if (tensors) {
        add_keys(names, vm->builtins);
        return;
    }
    for (size_t i = 0; (own = vm->library->function_name(i)) != NULL; i++) {
        add_name(names, own);
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        add_name(names, constants[i]);
    }
    // Python's program would go on with it; that of Duet is told why not.
    for (size_t i = 0; refused_name_at(i) != NULL; i++) {
        add_name(names, refused_name_at(i));
    }
    uint32_t position = 0;
    Value key, value;
    while (dict_next(vm->builtins, &position, &key, &value)) {
        if (value_is_str(key) && value_is_kind(value, KIND_TYPE) &&
            is_of_python(vm, (Type *)value_object(value))) {
            add_name(names, value_as_str(key)->text);
        }
    }
}

// Whether somebody meant a module of the library, and forgot to import it or
// wrote it wrong as well: no name of a tensor operation is proposed then.
static bool means_module(Vm *vm, const char *name, NameList *names)
{
    const char *module;
    for (size_t i = 0; (module = vm->library->module_name(i)) != NULL; i++) {
        add_name(names, module);
    }
    return best_of(names, name) != NULL || vm->library->has_module(vm, name);
}

// Whether the name stands in front of an opening bracket. All tensor names but
// a few are functions, and none is proposed for a variable.
static bool is_called(const TracebackEntry *entry)
{
    const Source *source = entry->code->source;
    uint32_t end = traceback_span(entry).end;
    return end < source->length &&
           source->text[end + strspn(source->text + end, " ")] == '(';
}

// Whether a local lives in a cell. The first instructions make the cells.
static bool is_shared(const Code *code, uint32_t local)
{
    for (uint32_t at = 0;
         at < code->word_count && INS_OP(code->words[at]) == OPCODE_MKCELL;
         at++) {
        if (INS_A(code->words[at]) == local) {
            return true;
        }
    }
    return false;
}

// The names of a function's own variables that no function inside shares;
// parameters all (co_varnames).
static void add_locals(NameList *names, const Code *code)
{
    for (uint32_t i = 0; i < code->local_count; i++) {
        if (code->local_names[i] != NULL &&
            (i < code->parameter_count || !is_shared(code, i))) {
            add_name(names, code->local_names[i]->text);
        }
    }
}

// For a NameError: the newest frame's names, its module's, the built-in ones.
static const char *suggest_variable(Vm *vm, const Exception *error,
                                    const char *name, NameList *names)
{
    const Traceback *trace = error->traceback;
    // Entry 0 is the newest frame, where the error arose.
    const Code *code =
        trace != NULL && trace->count > 0 ? trace->entries[0].code : NULL;
    const char *best = NULL;
    if (code != NULL && (code->flags & CODE_MODULE) == 0) {
        add_locals(names, code);
        // Names captured from functions around are no candidates.
        best = best_of(names, name);
    }
    Dict *globals = code == NULL ? NULL : globals_of(vm, code->source);
    if (best == NULL && globals != NULL) {
        add_keys(names, globals);
        best = best_of(names, name);
    }
    if (best == NULL) {
        add_builtins(vm, names, false);
        best = best_of(names, name);
    }
    if (best == NULL && code != NULL && is_called(&trace->entries[0]) &&
        !means_module(vm, name, names)) {
        add_builtins(vm, names, true);
        best = best_of(names, name);
    }
    return best;
}

// For an AttributeError: a Str of dir(obj), owned; NULL: none fits.
static Str *suggest_attribute(Vm *vm, Value object, const char *name,
                              NameList *names)
{
    Value list = names_of(vm, object);
    if (!value_is_kind(list, KIND_LIST)) {
        raise_clear(vm);
        return NULL;
    }
    const List *all = value_as_list(list);
    // Private names of a module are not what somebody meant, and those of the
    // library are not Python's.
    bool private = name[0] == '_' || !value_is_kind(object, KIND_MODULE);
    for (size_t i = 0; i < all->count; i++) {
        if (value_is_str(all->items[i]) &&
            (private || value_as_str(all->items[i])->text[0] != '_')) {
            add_name(names, value_as_str(all->items[i])->text);
        }
    }
    const char *best = best_of(names, name);
    Str *text = best == NULL ? NULL : str_from(vm, best);
    release(vm, list);
    return text;
}

// The exception's `name`, which the interpreter has set or its message quotes;
// the caller gives the room. False: it has none.
static bool missing_name(Vm *vm, const Exception *error, char *name,
                         size_t size)
{
    Value found = exception_field(vm, error, "name");
    bool known = value_is_str(found) && value_as_str(found)->length > 0 &&
                 value_as_str(found)->length < size;
    if (known) {
        memcpy(name, value_as_str(found)->text,
               value_as_str(found)->length + 1);
    }
    if (value_failed(found)) {
        raise_clear(vm);
    } else if (!value_unbound(found)) {
        release(vm, found);
    }
    return known;
}

// Whether a ModuleNotFoundError is about a whole module, not about a part of
// one.
static bool misses_module(const Exception *error, const char *name)
{
    return error->args->count > 0 && value_is_str(error->args->items[0]) &&
           value_as_str(error->args->items[0])->length ==
               strlen("No module named ''") + strlen(name);
}

// Says that Duet leaves the name out. A wrong proposal would be worse than
// none. False if it does not.
static bool print_refusal(Vm *vm, StrBuf *out, const Exception *error)
{
    char name[64];
    const Type *cls = error->head.type;
    if (!missing_name(vm, error, name, sizeof name)) {
        return false;
    }
    if (cls == type_of_error(vm, ERR_NAME) && refused_name(name) != NULL) {
        strbuf_printf(out, ". Duet has no %s", refused_name(name));
        return true;
    }
    bool module = cls == type_of_error(vm, ERR_MODULE_NOT_FOUND) &&
                  misses_module(error, name) && refused_module(name);
    if (module) {
        strbuf_puts(out, ". Duet does not have this module of Python's");
    }
    return module;
}

void suggest_print(Vm *vm, StrBuf *out, const Exception *error)
{
    char name[64];
    bool variable = error->head.type == type_of_error(vm, ERR_NAME);
    bool attribute = error->head.type == type_of_error(vm, ERR_ATTRIBUTE);
    // What Duet leaves out on purpose is named instead.
    if (print_refusal(vm, out, error) || (!variable && !attribute) ||
        !missing_name(vm, error, name, sizeof name)) {
        return;
    }
    // Too large for the C stack of an error.
    NameList *names = ctx_alloc(&vm->ctx, sizeof *names);
    if (names == NULL) {
        raise_clear(vm);
        return;
    }
    names->count = 0;
    const char *best = NULL;
    Str *held = NULL;
    if (variable) {
        best = suggest_variable(vm, error, name, names);
    } else {
        Value object = exception_field(vm, error, "obj");
        held = value_unbound(object) || value_failed(object)
                   ? NULL
                   : suggest_attribute(vm, object, name, names);
        release(vm, object);
        best = held == NULL ? NULL : held->text;
    }
    if (best != NULL) {
        strbuf_printf(out, ". Did you mean: '%s'?", best);
    }
    object_release_null(&vm->ctx, held);
    ctx_free(&vm->ctx, names, sizeof *names);
}
