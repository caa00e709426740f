// Built-in functions that ask about objects, and print.
//
// Invariant: each dispatches through the protocol, so that any kind of value
// may define what it means.
#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/code/code.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/tensors/obj_tensor.h"
#include "modules/builtins/builtins.h"
#include "modules/files/obj_file.h"

BUILTIN_BODY(callable)
{
    return note_question(vm, args[0])
               ? value_from_bool(value_is_callable(vm, args[0]))
               : VALUE_FAIL;
}

// Only AttributeError means no; any other error of a property goes through.
static Value ask_attr(Vm *vm, Value v, Value name, int how)
{
    (void)how;
    Value found = value_find_attr(vm, v, value_as_str(name));
    if (value_failed(found)) {
        return found;
    }
    bool there = !value_unbound(found);
    Value flag = otherwise_traced(vm, found, VALUE_UNBOUND);
    bool known = !value_unbound(flag) || note_question(vm, there ? found : v);
    release(vm, found);
    return !value_unbound(flag) ? flag
           : known              ? value_from_bool(there)
                                : VALUE_FAIL;
}

BUILTIN_BODY(hasattr)
{
    Str *name = attr_name(vm, args[1]);
    Value there = name == NULL
                      ? VALUE_FAIL
                      : ask_traced(vm, args[0], str_value(name), ask_attr);
    object_release_null(&vm->ctx, name);
    return there;
}

// In a trace a dimension may be unknown: then the length is a tensor of the
// graph. UNBOUND: it is known on the host.
BUILTIN_BODY(len)
{
    Value symbolic = tensor_traced_length(vm, args[0]);
    if (!value_unbound(symbolic)) {
        return symbolic;
    }
    int64_t length = value_length(vm, args[0]);
    return length < 0 ? VALUE_FAIL : int_from_i64(vm, length);
}

BUILTIN_BODY(repr)
{
    return value_or_fail(value_repr(vm, args[0]));
}

// str(v); False with an error pending.
// Not asked while a failure of `out` is pending: the value's code would meet
// it.
static bool add_text(Vm *vm, StrBuf *out, Value v)
{
    Str *text = strbuf_ok(out) ? value_str(vm, v) : NULL;
    if (text == NULL) {
        return false;
    }
    strbuf_add(out, text->text, text->length);
    object_release(&vm->ctx, text);
    return strbuf_ok(out);
}

// sep= and end=: a string or None. False: neither.
static bool is_text_or_none(Vm *vm, Value v, const char *name)
{
    return !builtin_given(v) || value_is_str(v) ||
           raise_false(vm, ERR_TYPE, "%s must be None or a string, not %s",
                       name, type_name(type_of(vm, v)));
}

typedef struct PrintCall {
    Value file;  // borrowed
    StrBuf text; // what is to be written next
    bool pieces; // to a file of the program: each part by a write of its own
    bool whole;  // in a trace: one effect, and only once the text is complete
} PrintCall;

// Hands over what has gathered. An error that is pending stays, unless writing
// has one of its own.
static bool print_flush(Vm *vm, PrintCall *printer)
{
    if (printer->text.length == 0 && !printer->pieces) {
        return strbuf_ok(&printer->text);
    }
    Str *line = str_from_buf(vm, &printer->text);
    strbuf_init(&printer->text, &vm->ctx);
    if (line == NULL ||
        !note_effect(vm, EFFECT_PRINT, "print", VALUE_UNBOUND)) {
        object_release_null(&vm->ctx, line);
        return false;
    }
    Value text = str_value(line);
    Value done;
    if (vm->trace != NULL && value_is_object(printer->file) &&
        value_object(printer->file)->type == vm->types[KIND_FILE]) {
        // Its method would be one effect more.
        done =
            vm->hooks->print(vm, printer->file, line) ? VALUE_NONE : VALUE_FAIL;
    } else {
        done = value_call_method(vm, printer->file, vm->names[NAME_WRITE],
                                 &text, 1);
    }
    release(vm, text);
    release(vm, done);
    return !value_failed(done);
}

// The text of one value runs code only where the value is an object that is no
// str: what stands before it is written first, so that it is there whether that
// code fails or prints.
static bool print_value(Vm *vm, PrintCall *printer, Value v)
{
    bool quiet =
        !value_is_object(v) || value_object(v)->type == vm->types[KIND_STR];
    if (!quiet && !printer->whole && !printer->pieces &&
        !print_flush(vm, printer)) {
        return false;
    }
    return add_text(vm, &printer->text, v) &&
           (!printer->pieces || print_flush(vm, printer));
}

// sep or end, `otherwise` where it is not given.
static bool print_between(Vm *vm, PrintCall *printer, Value text,
                          char otherwise)
{
    if (builtin_given(text)) {
        strbuf_add(&printer->text, value_as_str(text)->text,
                   value_as_str(text)->length);
    } else {
        strbuf_putc(&printer->text, otherwise);
    }
    return !printer->pieces || print_flush(vm, printer);
}

static bool print_all(Vm *vm, PrintCall *printer, const Tuple *values,
                      Value sep, Value end)
{
    for (size_t i = 0; i < values->count; i++) {
        if ((i > 0 && !print_between(vm, printer, sep, ' ')) ||
            !print_value(vm, printer, values->items[i])) {
            return false;
        }
    }
    return print_between(vm, printer, end, '\n') &&
           (printer->pieces || print_flush(vm, printer));
}

// Whether the file's write() is the library's own and its class says that
// nobody can see how many writes a line takes.
static bool is_in_memory(Vm *vm, Value file)
{
    Str *name = vm->names[NAME_WRITE];
    if (!value_is_kind(file, KIND_INSTANCE)) {
        return false;
    }
    Value found = type_lookup(vm, type_of(vm, file), name);
    return value_is_kind(found, KIND_FUNCTION) &&
           ((Function *)value_object(found))->code->source->library &&
           type_has(vm, type_of(vm, file), NAME_WHOLE_LINES) &&
           value_unbound(instance_get(vm, value_object(file), name));
}

// To what open() makes and to the standard streams parts go together, so that
// lines of two streams do not mix; a file of the program sees a write for each
// part.
BUILTIN_BODY(print)
{
    if (!is_text_or_none(vm, args[1], "sep") ||
        !is_text_or_none(vm, args[2], "end")) {
        return VALUE_FAIL;
    }
    PrintCall printer = {.file =
                             builtin_given(args[3]) ? args[3] : vm->stdout_file,
                         .whole = vm->trace != NULL};
    if (value_is_none(printer.file)) {
        return VALUE_NONE; // sys.stdout = None drops all
    }
    printer.pieces = !printer.whole &&
                     (!value_is_kind(printer.file, KIND_FILE) ||
                      (value_object(printer.file)->type->flags & TYPE_HEAP)) &&
                     !is_in_memory(vm, printer.file);
    // Held: the code of a value may replace sys.stdout.
    value_retain(printer.file);
    strbuf_init(&printer.text, &vm->ctx);
    bool done =
        print_all(vm, &printer, value_as_tuple(args[0]), args[1], args[2]);
    strbuf_free(&printer.text);
    // Whether to flush: 1, 0, -1.
    int now = !done                    ? -1
              : builtin_given(args[4]) ? value_truth(vm, args[4])
                                       : 0;
    if (now == 1) {
        Value flushed =
            value_call_method(vm, printer.file, vm->names[NAME_FLUSH], NULL, 0);
        now = value_failed(flushed) ? -1 : 0;
        release(vm, flushed);
    }
    release(vm, printer.file);
    return now < 0 ? VALUE_FAIL : VALUE_NONE;
}

// Borrows the value; the builtins hold it from then on.
static bool add_constant(Vm *vm, const char *name, Value value)
{
    Str *key = str_intern(vm, name, strlen(name));
    bool done = key != NULL && dict_set_name(vm, vm->builtins, key, value);
    object_release_null(&vm->ctx, key);
    return done;
}

// What is neither a keyword of the grammar nor a function.
static bool add_constants(Vm *vm)
{
    // As the module's own name it also serves code whose globals have none:
    // exec("class A: pass", {}) asks for it.
    Str *name = str_from(vm, "builtins");
    bool named = name != NULL && add_constant(vm, "__name__", str_value(name));
    object_release_null(&vm->ctx, name);
    return named && add_constant(vm, "NotImplemented", VALUE_NOT_IMPLEMENTED) &&
           add_constant(vm, "Ellipsis", VALUE_ELLIPSIS) &&
           add_constant(vm, "__debug__", VALUE_TRUE);
}

// Names that OSError had before Python 3.3.
static bool add_aliases(Vm *vm)
{
    Value cls = value_from_object(vm->error_types[ERR_OS]);
    return add_constant(vm, "IOError", cls) &&
           add_constant(vm, "EnvironmentError", cls);
}

// Takes the object; NULL is a failure that is pending.
static bool add_builtin(Vm *vm, const char *name, void *object)
{
    return add_constant(vm, name, value_from_object(object));
}

// The classes of exceptions begin at 1: 0 is no error.
static bool add_types(Vm *vm)
{
    for (int i = 1; i < ERR_COUNT; i++) {
        Type *cls = vm->error_types[i];
        if (!add_builtin(vm, type_name(cls), cls)) {
            return false;
        }
    }
    // A type can be called by name if it can be made, and is not internal.
    for (int i = 0; i < KIND_COUNT; i++) {
        Type *cls = vm->types[i];
        if (cls != NULL && cls->slots.make != NULL &&
            cls->def->params != NULL && cls->def->module == NULL &&
            !add_builtin(vm, type_name(cls), cls)) {
            return false;
        }
    }
    // bool has the kind of int, so it is not in the table of kinds.
    return vm->bool_type == NULL || add_builtin(vm, "bool", vm->bool_type);
}

// map and the like are classes in Python (isinstance(x, map)), so the name gets
// the class, and calling it runs the native.
static bool add_function(Vm *vm, const NativeDef *def, const TypeDef *of)
{
    // Without an owner: a function, not a method of a type.
    Native *native = native_new(vm, def, NULL);
    if (native == NULL || of == NULL) {
        bool done = native != NULL && add_builtin(vm, def->name, native);
        object_release_null(&vm->ctx, native);
        return done;
    }
    Type *cls = type_variant(vm, of, def->name);
    if (cls == NULL) {
        object_release(&vm->ctx, native);
        return false;
    }
    iterator_set_maker(vm, cls, native);
    return add_builtin(vm, def->name, cls);
}

// Fills the Vm's builtins, once. False: memory ran out.
bool builtins_init(Vm *vm)
{
    // builtin_list.h has the rows, in no order that matters.
    static const struct {
        NativeDef def;
        const TypeDef *of; // a class of iterators of this kind; NULL: none
    } rows[] = {
#define BUILTIN(name, params, function, doc)                                   \
    {{name, params, function, doc}, NULL},
#define BUILTIN_CLASS(name, kind, params, function, doc)                       \
    {{name, params, function, doc}, &iterator_##kind##_def},
#include "modules/builtins/builtin_list.h"
#undef BUILTIN
    };
    vm->builtins = dict_new(vm);
    // The ops come first: abs, sum and others of their names are replaced by
    // functions that take host values too.
    if (vm->builtins == NULL || !builtins_tensor_init(vm, vm->builtins) ||
        !add_types(vm) || !add_constants(vm) || !add_aliases(vm)) {
        return false;
    }
    // The rows outlive the Vm, as natives point to them.
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!add_function(vm, &rows[i].def, rows[i].of)) {
            return false;
        }
    }
    return true;
}
