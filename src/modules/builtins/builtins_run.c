// Built-in functions that reach the running program: its names, texts run as
// code, modules, standard input.
#include "modules/builtins/builtins.h"

#include <string.h>
#include <unistd.h>

#include "interp/machine/compile/source_bytes.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/code/code.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/importing/module.h"

// The dict of the code that calls: natives have no frame of their own.
BUILTIN_BODY(globals)
{
    (void)args;
    return vm->frame == NULL
               ? raise_error(vm, ERR_SYSTEM, "globals(): no code runs")
               : value_retain(value_from_object(vm->frame->globals));
}

// Adds one variable if it has a value. A cell stands for what it holds; special
// values besides Python's own constants are the machine's marks.
// False: an error is pending. A variable without a value is left out.
static bool add_local(Vm *vm, Dict *names, Str *name, Value v)
{
    if (value_is_kind(v, KIND_CELL)) {
        v = ((Cell *)value_object(v))->value;
    }
    // Names like ".0" are the compiler's own.
    return name == NULL || name->text[0] == '.' ||
           (value_is_special(v) && !value_is_none(v) && !value_is_bool(v) &&
            !value_same(v, VALUE_ELLIPSIS) &&
            !value_same(v, VALUE_NOT_IMPLEMENTED)) ||
           dict_set_name(vm, names, name, v);
}

// A snapshot of a function's locals, then of what it captured.
static bool add_locals(Vm *vm, Dict *names, const Frame *frame)
{
    const Code *code = frame->code;
    for (uint32_t i = 0; i < code->local_count; i++) {
        if (!add_local(vm, names, code->local_names[i], frame->registers[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < code->captured_count; i++) {
        if (!add_local(vm, names, code->captured_names[i], frame->cells[i])) {
            return false;
        }
    }
    return true;
}

// In a function a new dict, whose changes reach no variable. A module and the
// body of a class keep their names in a dict, which is given itself.
// Owned. Register 0 of a module or class body is the dict of its names, where
// the body was given one.
Value builtin_frame_names(Vm *vm, const Frame *frame)
{
    if ((frame->code->flags & (CODE_MODULE | CODE_CLASS_BODY)) != 0) {
        return value_is_object(frame->registers[0])
                   ? value_retain(frame->registers[0])
                   : value_retain(value_from_object(frame->globals));
    }
    Dict *names = dict_new(vm);
    if (names == NULL || !add_locals(vm, names, frame)) {
        object_release_null(&vm->ctx, names);
        return VALUE_FAIL;
    }
    return value_from_object(names);
}

BUILTIN_BODY(locals)
{
    return vm->frame == NULL ? builtin_globals(vm, args)
                             : builtin_frame_names(vm, vm->frame);
}

// Owned: bytes as the text that they spell, anything else as it is. `name` is
// what errors call the text.
static Value source_text(Vm *vm, const char *name, Value what)
{
    Value text = value_is_kind(what, KIND_BYTES)
                     ? source_decode(vm, name, SOURCE_TEXT, bytes_text(what),
                                     bytes_length(what))
                     : value_retain(what);
    // Of a file it would be a SyntaxError.
    if (value_is_str(text) && memchr(value_as_str(text)->text, '\0',
                                     value_as_str(text)->length) != NULL) {
        release(vm, text);
        return raise_error(vm, ERR_VALUE,
                           "source code string cannot contain null bytes");
    }
    return text;
}

// The line end that is missing is added only where statements may stand.
static bool ends_line(const Str *text)
{
    const char *end = text->text + text->length;
    return text->length > 0 && (end[-1] == '\n' || end[-1] == '\r');
}

// Runs a text or a compiled one in `globals` and `locals`, any mapping.
static Value run_in(Vm *vm, Value what, RunMode mode, Dict *globals,
                    Value locals)
{
    if (value_is_kind(what, KIND_CODE)) {
        return vm_run_code(vm, (Code *)value_object(what), globals, locals);
    }
    const Str *text = value_as_str(what);
    // eval() allows white space in front, which would be an indentation error.
    size_t skip = mode == RUN_EXPRESSION ? strspn(text->text, " \t") : 0;
    Source *source = source_new(&vm->ctx, "<string>", text->text + skip,
                                text->length - skip);
    if (source == NULL) {
        return VALUE_FAIL;
    }
    source->bare_end = mode != RUN_MODULE && !ends_line(text);
    Value result = vm_run_source(vm, source, mode, globals, locals);
    source_release(&vm->ctx, source);
    return result;
}

// `name` is the function's, for its message.
static bool check_source(Vm *vm, const char *name, Value what)
{
    return value_is_str(what) || value_is_kind(what, KIND_CODE) ||
           value_is_kind(what, KIND_BYTES) ||
           raise_false(vm, ERR_TYPE,
                       "%s() arg 1 must be a string, bytes or code object",
                       name);
}

// Whether items are found by keys, as far as the type says.
static bool is_mapping(Vm *vm, Value v)
{
    return type_of(vm, v)->slots.get_item != NULL;
}

// None means not given, as for exec(text, None, space). The two functions ask
// in different orders, and in different words.
static bool check_exec(Vm *vm, Value globals, Value locals)
{
    if (builtin_given(globals) && !value_is_kind(globals, KIND_DICT)) {
        return raise_false(vm, ERR_TYPE,
                           "exec() globals must be a dict, not %s",
                           type_name(type_of(vm, globals)));
    }
    return !builtin_given(locals) || is_mapping(vm, locals) ||
           raise_false(vm, ERR_TYPE, "locals must be a mapping or None, not %s",
                       type_name(type_of(vm, locals)));
}

static bool check_eval(Vm *vm, Value globals, Value locals)
{
    if (builtin_given(locals) && !is_mapping(vm, locals)) {
        return raise_false(vm, ERR_TYPE, "locals must be a mapping");
    }
    return !builtin_given(globals) || value_is_kind(globals, KIND_DICT) ||
           raise_false(vm, ERR_TYPE, "%s",
                       is_mapping(vm, globals)
                           ? "globals must be a real dict; try eval(expr, {}, "
                             "mapping)"
                           : "globals must be a dict");
}

// eval() and exec(). Without spaces those of the caller; with globals alone
// they are the locals, too. Compiled code and text go the same way.
static Value run_text(Vm *vm, const char *name, RunMode mode, Value *args)
{
    bool checked = mode == RUN_EXPRESSION ? check_eval(vm, args[1], args[2])
                                          : check_exec(vm, args[1], args[2]);
    if (!checked || !check_source(vm, name, args[0])) {
        return VALUE_FAIL;
    }
    // With globals alone they are the locals too; with neither, both are the
    // caller's.
    bool given = builtin_given(args[1]);
    // Spaces may be the caller's own dicts, which the text then changes.
    Value globals = given ? value_retain(args[1]) : builtin_globals(vm, args);
    Value locals = value_failed(globals)    ? VALUE_FAIL
                   : builtin_given(args[2]) ? value_retain(args[2])
                   : given                  ? value_retain(globals)
                                            : builtin_locals(vm, args);
    // Given globals get __builtins__, as programs may take that out again.
    bool ready =
        !value_failed(locals) &&
        (!given || module_add_builtins(vm, value_as_dict(globals), false));
    Value text = ready ? source_text(vm, "<string>", args[0]) : VALUE_FAIL;
    Value result = VALUE_FAIL;
    if (!value_failed(text)) {
        result = run_in(vm, text, mode, value_as_dict(globals), locals);
    }
    release(vm, text);
    release(vm, globals);
    release(vm, locals);
    return result;
}

// A code object of statements has no value: eval() of it gives None.
BUILTIN_BODY(eval)
{
    Value result = run_text(vm, "eval", RUN_EXPRESSION, args);
    return value_unbound(result) ? VALUE_NONE : result;
}

// The value that the code of an expression has is not exec()'s.
BUILTIN_BODY(exec)
{
    Value result = run_text(vm, "exec", RUN_MODULE, args);
    if (value_failed(result)) {
        return result;
    }
    release(vm, result);
    return VALUE_NONE;
}

// RUN_MODULE doubles as "not known" until the text proves to be "exec".
// False: a ValueError is pending.
static bool compile_mode(Vm *vm, Value given, RunMode *mode)
{
    const char *text = value_is_str(given) ? value_as_str(given)->text : "";
    *mode = strcmp(text, "eval") == 0     ? RUN_EXPRESSION
            : strcmp(text, "single") == 0 ? RUN_SINGLE
                                          : RUN_MODULE;
    return *mode != RUN_MODULE || strcmp(text, "exec") == 0 ||
           raise_false(vm, ERR_VALUE,
                       "compile() mode must be 'exec', 'eval' "
                       "or 'single'");
}

// flags, dont_inherit and optimize are accepted and change nothing.
BUILTIN_BODY(compile)
{
    RunMode mode;
    // A syntax tree is no source here.
    bool text = value_is_str(args[0]) || value_is_kind(args[0], KIND_BYTES);
    if (!text || !value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "compile() takes a source text and a file name");
    }
    if (!compile_mode(vm, args[2], &mode)) {
        return VALUE_FAIL;
    }
    Value decoded = source_text(vm, value_as_str(args[1])->text, args[0]);
    if (value_failed(decoded)) {
        return VALUE_FAIL;
    }
    Source *source =
        source_new(&vm->ctx, value_as_str(args[1])->text,
                   value_as_str(decoded)->text, value_as_str(decoded)->length);
    if (source != NULL) {
        // An expression or a single statement may end without a line end, and
        // error texts show whether it did.
        source->bare_end =
            mode != RUN_MODULE && !ends_line(value_as_str(decoded));
    }
    release(vm, decoded);
    // The lines of a file of that name are shown, if there is one.
    if (source != NULL && source_is_file(source->name) &&
        access(source->name, R_OK) == 0) {
        source->origin = SOURCE_MODULE;
    }
    Code *code =
        source == NULL ? NULL : vm_compile_source(vm, source, mode, true);
    source_release(&vm->ctx, source);
    if (code == NULL) {
        return VALUE_FAIL;
    }
    return value_from_object(code);
}

// What __import__ is given, checked: the number of dots, or -1.
static int64_t import_level(Vm *vm, const Value *args)
{
    int64_t level = 0;
    if (!value_is_str(args[0])) {
        raise_error(vm, ERR_TYPE, "module name must be a string");
        return -1;
    }
    if (!value_unbound(args[4]) && !value_to_index(vm, args[4], &level)) {
        return -1;
    }
    if (level < 0 || level > UINT8_MAX) {
        raise_error(vm, ERR_VALUE, "level must be >= 0");
        return -1;
    }
    if (level > 0 && !value_is_kind(args[1], KIND_DICT)) {
        bool none = value_unbound(args[1]) || value_is_none(args[1]);
        raise_error(vm, none ? ERR_KEY : ERR_TYPE,
                    none ? "'__name__' not in globals"
                         : "globals must be a dict");
        return -1;
    }
    if (level == 0 && value_as_str(args[0])->length == 0) {
        raise_error(vm, ERR_VALUE, "Empty module name");
        return -1;
    }
    return level;
}

// __import__: for "a.b" it gives a, unless a from-list says that b is wanted;
// submodules in that list are imported, too. Locals are not used.
BUILTIN_BODY(import)
{
    int64_t level = import_level(vm, args);
    int listed = level < 0                ? -1
                 : value_unbound(args[3]) ? 0
                                          : value_truth(vm, args[3]);
    if (listed < 0) {
        return VALUE_FAIL;
    }
    Dict *globals = level == 0 ? NULL : (Dict *)value_object(args[1]);
    Value module =
        import_module(vm, globals, value_as_str(args[0]),
                      listed == 0 ? VALUE_NONE : args[3], (uint32_t)level);
    Value path = listed == 0 || value_failed(module)
                     ? VALUE_UNBOUND
                     : value_find_attr(vm, module, vm->names[NAME_PATH]);
    bool package = !value_unbound(path) && !value_failed(path);
    release(vm, path);
    if (value_failed(path) ||
        (package && !import_submodules(vm, module, args[3]))) {
        release(vm, module);
        return VALUE_FAIL;
    }
    return module;
}

// Through the file object of sys.stdout, which a program may have replaced;
// flushed at once, as a prompt must be seen.
// False: an error is pending, that of the file object for instance.
bool builtin_write_stdout(Vm *vm, Str *text)
{
    Value v = value_from_object(text);
    Value done =
        value_call_method(vm, vm->stdout_file, vm->names[NAME_WRITE], &v, 1);
    if (!value_failed(done)) {
        release(vm, done);
        done = value_call_method(vm, vm->stdout_file, vm->names[NAME_FLUSH],
                                 NULL, 0);
    }
    release(vm, done);
    return !value_failed(done);
}

// False, with the error, when the program was started without one of the
// streams or has set it to None.
static bool has_streams(Vm *vm)
{
    const Value streams[] = {vm->stdin_file, vm->stdout_file, vm->stderr_file};
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    for (size_t i = 0; i < 3; i++) {
        if (value_is_none(streams[i])) {
            return raise_false(vm, ERR_RUNTIME, "input(): lost sys.%s",
                               names[i]);
        }
    }
    return true;
}

// Reads through sys.stdin's readline, so that a replaced stdin works, too. The
// line end goes; an empty line without one is the end of the file.
BUILTIN_BODY(input)
{
    if (!has_streams(vm)) {
        return VALUE_FAIL;
    }
    // Any object may be a prompt: str() of it is shown.
    Str *prompt = value_unbound(args[0]) ? object_retain(vm->empty_str)
                                         : value_str(vm, args[0]);
    bool shown = prompt != NULL && builtin_write_stdout(vm, prompt);
    object_release_null(&vm->ctx, prompt);
    Value line = !shown ? VALUE_FAIL
                        : value_call_method(vm, vm->stdin_file,
                                            vm->names[NAME_READLINE], NULL, 0);
    if (value_failed(line) || !value_is_str(line)) {
        release(vm, line);
        return value_failed(line)
                   ? line
                   : raise_error(vm, ERR_TYPE,
                                 "object.readline() returned non-string");
    }
    Str *text = value_as_str(line);
    if (text->length == 0) {
        release(vm, line);
        return raise_error(vm, ERR_END_OF_FILE, "EOF when reading a line");
    }
    // The last line of a file may lack its line end: all of it is the answer.
    if (text->text[text->length - 1] != '\n') {
        return line;
    }
    Str *cut = str_new(vm, text->text, text->length - 1);
    release(vm, line);
    return value_or_fail(cut);
}

// What the prompt does with an expression's value (sys.displayhook): None is
// not shown and does not replace `_`.
// False: an error is pending; `_` then keeps its value.
bool vm_show(Vm *vm, Value value)
{
    if (value_is_none(value)) {
        return true;
    }
    Str *repr = value_repr(vm, value);
    Str *line = repr == NULL ? NULL : str_printf(vm, "%s\n", repr->text);
    object_release_null(&vm->ctx, repr);
    // As in Python `_` is a built-in name: a variable `_` of the user hides it.
    bool done =
        line != NULL && builtin_write_stdout(vm, line) &&
        dict_set_name(vm, vm->builtins, vm->names[NAME_UNDERSCORE], value);
    object_release_null(&vm->ctx, line);
    return done;
}

BUILTIN_BODY(exit)
{
    Value code = value_unbound(args[0]) ? VALUE_NONE : args[0];
    return raise_with(vm, ERR_SYSTEM_EXIT, code);
}
