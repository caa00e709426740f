// Importing: finding a module by name and running it. What a statement binds
// is in import_names.c.
//
// Invariant: a module is in sys.modules before its body runs (so that modules
// may import each other) and is taken out again if the body fails. What stands
// in sys.modules is what an import gives: a program may put any object there.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pack.h"
#include "interp/machine/compile/code_image.h"
#include "interp/machine/compile/dump.h"
#include "interp/machine/compile/source_bytes.h"
#include "interp/machine/vm/finalize.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/importing/embedded.h"
#include "modules/importing/module.h"
#include "modules/importing/module_native.h"

enum { READ_SIZE = 16 << 10 };

// Binary search: the table is sorted by name. NULL: none of that name.
const EmbeddedModule *module_find_embedded(const char *name)
{
    // What is looked for lies in [low, high).
    size_t low = 0, high = embedded_module_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, embedded_modules[middle].name);
        if (order == 0) {
            return &embedded_modules[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

// module_add takes the value, and fails if it is VALUE_FAIL.
static bool set_text(Vm *vm, Dict *dict, const char *name, const char *text,
                     size_t length)
{
    Str *value = str_new(vm, text, length);
    return module_add(vm, dict, name, value_or_fail(value));
}

// __file__; __package__; for a package __path__, a list of its folder.
static bool set_place(Vm *vm, Module *module, const char *path, bool package)
{
    const char *name = module->name->text;
    const char *dot = strrchr(name, '.');
    const char *slash = strrchr(path, '/');
    // A module's package is its name without the last part; a package is its
    // own.
    size_t parent = dot == NULL ? 0 : (size_t)(dot - name);
    if (!set_text(vm, module->dict, "__file__", path, strlen(path)) ||
        !set_text(vm, module->dict, "__package__", name,
                  package ? strlen(name) : parent)) {
        return false;
    }
    if (!package) {
        return true;
    }
    // The folder of __init__, relative if the search path is.
    Str *folder = slash == NULL ? str_from(vm, ".")
                                : str_new(vm, path, (size_t)(slash - path));
    List *list = folder == NULL ? NULL : list_new(vm, 0);
    bool done =
        list != NULL && list_append(vm, list, value_from_object(folder));
    object_release_null(&vm->ctx, folder);
    if (!done) {
        object_release_null(&vm->ctx, list);
        return false;
    }
    return module_add(vm, module->dict, "__path__", value_from_object(list));
}

static void forget(Vm *vm, Str *name)
{
    Value error = raise_take(vm);
    // A body that took itself out already is no second error.
    if (dict_remove(vm, vm->modules, value_from_object(name)) < 0) {
        raise_clear(vm);
    }
    value_replace(&vm->ctx, &vm->exception, error);
}

char *module_embedded_text(Ctx *ctx, const EmbeddedModule *module)
{
    char *text = ctx_alloc(ctx, module->length + 1);
    if (text != NULL) {
        pack_expand(module->packed, text, module->length);
        text[module->length] = '\0';
    }
    return text;
}

// Borrowed; UNBOUND: not there; FAIL: None stands there to forbid the module.
static Value find_loaded(Vm *vm, Str *name)
{
    Value found;
    int state = dict_get(vm, vm->modules, value_from_object(name), &found);
    if (state == 1 && value_is_none(found)) {
        return raise_error(vm, ERR_MODULE_NOT_FOUND,
                           "import of %s halted; None in sys.modules",
                           name->text);
    }
    return state == 1 ? found : state == 0 ? VALUE_UNBOUND : VALUE_FAIL;
}

// The code of a text, owned. That of the library was compiled when the program
// was built; whoever wants to see the compiler's steps has it compiled anew.
static Code *body_code(Vm *vm, Source *source, const EmbeddedModule *library)
{
    size_t index = library == NULL ? embedded_image_count
                                   : (size_t)(library - embedded_modules);
    return index < embedded_image_count && !dump_any()
               ? code_image_read(vm, source, embedded_images[index])
               : vm_compile_source(vm, source, RUN_MODULE, false);
}

// Runs a text in the dict of a module that is in sys.modules already.
static bool run_body(Vm *vm, Module *module, const char *path, const char *text,
                     size_t length, const EmbeddedModule *library)
{
    Source *source = source_of_bytes(vm, path, SOURCE_MODULE, text, length);
    if (source == NULL) {
        return false;
    }
    source->library = library != NULL;
    module->library = library != NULL;
    module->initializing = true;
    Code *code = body_code(vm, source, library);
    Value ran = code == NULL
                    ? VALUE_FAIL
                    : vm_run_code(vm, code, module->dict, VALUE_UNBOUND);
    object_release_null(&vm->ctx, code);
    finalize_run(vm);
    module->initializing = false;
    source_release(&vm->ctx, source);
    release(vm, ran);
    return !value_failed(ran);
}

// Runs a text as the body of a new module. Borrowed from sys.modules, where
// the body may have put another object in its own place. `library`: which
// module of the library it is, NULL: none.
static Value run_module(Vm *vm, Str *name, const char *path, const char *text,
                        size_t length, bool package,
                        const EmbeddedModule *library)
{
    Module *module = module_new(vm, name);
    if (module == NULL) {
        return VALUE_FAIL;
    }
    // In sys.modules before the body runs: an import back finds it half made.
    bool done = set_place(vm, module, path, package) &&
                dict_set_name(vm, vm->modules, name, value_from_object(module));
    if (done && !run_body(vm, module, path, text, length, library)) {
        forget(vm, name);
        done = false;
    }
    object_release(&vm->ctx, module);
    Value found = done ? find_loaded(vm, name) : VALUE_FAIL;
    return value_unbound(found) ? raise_with(vm, ERR_KEY, str_value(name))
                                : found;
}

// 1: read; 0: there is no such file; -1: failed.
// stat first: a folder can be opened, but is no module.
static int read_file(Vm *vm, const char *path, StrBuf *text)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return 0;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char block[READ_SIZE];
    ssize_t count = file < 0 ? -1 : 0;
    while (file >= 0 && (count = read(file, block, sizeof block)) > 0) {
        strbuf_add(text, block, (size_t)count);
    }
    // Before close, which may set another.
    int error = errno;
    if (file >= 0) {
        close(file);
    }
    if (count < 0) {
        raise_errno(vm, error, path);
        return -1;
    }
    return strbuf_ok(text) ? 1 : -1;
}

static const struct {
    const char *ending;
    bool package;
} endings[] = {{"/__init__.duet", true},
               {"/__init__.py", true},
               {".duet", false},
               {".py", false}};

// 1: *module is imported; 0: not in this folder; -1: failed.
static int try_folder(Vm *vm, Str *name, const char *folder, const char *stem,
                      Value *module)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        // An empty folder is the current one, and takes no slash.
        Str *path =
            str_printf(vm, "%s%s%s%s", folder, *folder == '\0' ? "" : "/", stem,
                       endings[i].ending);
        if (path == NULL) {
            return -1;
        }
        StrBuf text;
        strbuf_init(&text, &vm->ctx);
        int found = read_file(vm, path->text, &text);
        if (found == 1) {
            *module = run_module(vm, name, path->text, strbuf_text(&text),
                                 text.length, endings[i].package, NULL);
            found = value_failed(*module) ? -1 : 1;
        }
        strbuf_free(&text);
        object_release(&vm->ctx, path);
        if (found != 0) {
            return found;
        }
    }
    return 0;
}

// The folders of a list, as try_folder.
// Importing runs code that may change the list, so it and the folder are held,
// and its length is asked in each turn.
static int try_folders(Vm *vm, Str *name, const char *stem, Value folders,
                       Value *module)
{
    if (!value_is_kind(folders, KIND_LIST)) {
        return 0;
    }
    List *list = object_retain(value_as_list(folders));
    int found = 0;
    for (size_t i = 0; found == 0 && i < list->count; i++) {
        if (value_is_str(list->items[i])) {
            Str *folder = object_retain(value_as_str(list->items[i]));
            found = try_folder(vm, name, folder->text, stem, module);
            object_release(&vm->ctx, folder);
        }
    }
    object_release(&vm->ctx, list);
    return found;
}

// sys.path for a top-level module, else the package's __path__; owned.
// UNBOUND: the parent is no package.
static Value find_path(Vm *vm, Value parent)
{
    return value_unbound(parent)
               ? value_retain(module_search_path(vm))
               : value_find_attr(vm, parent, vm->names[NAME_PATH]);
}

// The folders `stem` below those of `path`, a list: what a package without
// __init__ consists of. NULL: failed.
static List *namespace_folders(Vm *vm, Value path, const char *stem)
{
    List *found = list_new(vm, 0);
    for (size_t i = 0; found != NULL && value_is_kind(path, KIND_LIST) &&
                       i < value_as_list(path)->count;
         i++) {
        Value folder = value_as_list(path)->items[i];
        struct stat status;
        // A program may put anything into sys.path; the import skips it.
        if (!value_is_str(folder)) {
            continue;
        }
        const Str *text = value_as_str(folder);
        Str *whole = str_printf(vm, "%s%s%s", text->text,
                                text->length == 0 ? "" : "/", stem);
        bool there = whole != NULL && stat(whole->text, &status) == 0 &&
                     S_ISDIR(status.st_mode);
        if (whole == NULL ||
            (there && !list_append(vm, found, str_value(whole)))) {
            object_release(&vm->ctx, found);
            found = NULL;
        }
        object_release_null(&vm->ctx, whole);
    }
    return found;
}

// A package that is only folders. 1: *module is it; 0: there are none; -1.
static int try_namespace(Vm *vm, Str *name, const char *stem, Value path,
                         Value *module)
{
    List *folders = namespace_folders(vm, path, stem);
    if (folders == NULL || folders->count == 0) {
        int state = folders == NULL ? -1 : 0;
        object_release_null(&vm->ctx, folders);
        return state;
    }
    Module *made = module_new(vm, name);
    // No __file__: nothing was run for it.
    bool done =
        made != NULL &&
        set_text(vm, made->dict, "__package__", name->text, name->length) &&
        dict_set_name(vm, made->dict, vm->names[NAME_PATH],
                      value_from_object(folders)) &&
        dict_set_name(vm, vm->modules, name, value_from_object(made));
    object_release(&vm->ctx, folders);
    *module = done ? value_from_object(made) : VALUE_FAIL;
    object_release_null(&vm->ctx, made);
    return done ? 1 : -1;
}

// The modules that no file of a program can hide: those that Python has built
// in, and our own halves of others, which begin with an underscore.
static bool is_fixed(const Str *name)
{
    static const char *const fixed[] = {
        "atexit", "binascii", "builtins",   "duet", "errno",
        "gc",     "io",       "itertools",  "math", "stage",
        "sys",    "time",     "unicodedata"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (strcmp(name->text, fixed[i]) == 0) {
            return true;
        }
    }
    return name->text[0] == '_';
}

// A package of the library, below which nothing is looked for in folders.
static bool is_of_library(Vm *vm, Value parent)
{
    if (!value_is_kind(parent, KIND_MODULE)) {
        return false;
    }
    const Module *module = (Module *)value_object(parent);
    const EmbeddedModule *embedded = module_find_embedded(module->name->text);
    Value file = dict_get_name(module->dict, vm->names[NAME_FILE]);
    return embedded != NULL && value_is_str(file) &&
           strcmp(value_as_str(file)->text, embedded->path) == 0;
}

// A module of the library. 1: *module is imported; 0: there is none of this
// name; -1: failed.
static int try_library(Vm *vm, Str *name, Value *module)
{
    const EmbeddedModule *embedded = module_find_embedded(name->text);
    const ModuleDef *def = module_find_native(vm, name->text);
    if (embedded != NULL) {
        char *text = module_embedded_text(&vm->ctx, embedded);
        *module = text == NULL ? VALUE_FAIL
                               : run_module(vm, name, embedded->path, text,
                                            embedded->length,
                                            embedded->is_package, embedded);
        ctx_free(&vm->ctx, text, embedded->length + 1);
    } else if (def != NULL) {
        Module *made = module_make_native(vm, name, def);
        *module = value_or_fail(made);
    } else {
        return 0;
    }
    return value_failed(*module) ? -1 : 1;
}

// Whether the running script is itself a file of this name: a program about
// queues in queue.duet wants the library's queue, not itself once more.
static bool is_script(Vm *vm, const Str *name)
{
    Value script = vm->argv.count > 0 ? vm->argv.items[0] : VALUE_UNBOUND;
    const char *path = value_is_str(script) ? value_as_str(script)->text : "";
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    return strncmp(file, name->text, name->length) == 0 &&
           (strcmp(file + name->length, ".duet") == 0 ||
            strcmp(file + name->length, ".py") == 0);
}

// One module whose package is imported already. A file of the program's goes
// before the library where it may hide it, and both before a folder without
// __init__.
static Value load(Vm *vm, Str *name, Value parent, bool hiding)
{
    const char *dot = strrchr(name->text, '.');
    const char *stem = dot == NULL ? name->text : dot + 1;
    Value module = VALUE_FAIL;
    bool first = !hiding || is_fixed(name) || is_of_library(vm, parent) ||
                 is_script(vm, name);
    int found = first ? try_library(vm, name, &module) : 0;
    if (found != 0) {
        return module;
    }
    // An AttributeError of the parent's own is no failure of the import.
    Value path = find_path(vm, parent);
    if (value_failed(path)) {
        return path;
    }
    found = try_folders(vm, name, stem, path, &module);
    if (found == 0) {
        found = try_library(vm, name, &module);
    }
    if (found == 0) {
        found = try_namespace(vm, name, stem, path, &module);
    }
    bool in_package = !value_unbound(path);
    release(vm, path);
    return found == 0 ? import_not_found(vm, name, in_package) : module;
}

// parent.name = module, also where the parent's body has bound that name to
// something else.
static bool bind_in_parent(Vm *vm, Value parent, const char *name, Value module)
{
    Str *key = str_intern(vm, name, strlen(name));
    bool done = key != NULL && value_set_attr(vm, parent, key, module);
    object_release_null(&vm->ctx, key);
    return done;
}

// Imports "a.b" where `parent` is a; binds b in a. Borrowed.
static Value import_one(Vm *vm, Str *name, Value parent, bool hiding)
{
    Value module = find_loaded(vm, name);
    if (!value_unbound(module)) {
        return module;
    }
    // Modules that import modules nest C calls.
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    // The body may take its package out of sys.modules.
    value_retain(parent);
    module = load(vm, name, parent, hiding);
    ctx_leave(&vm->ctx);
    if (!value_failed(module) && !value_unbound(parent) &&
        !bind_in_parent(vm, parent, strrchr(name->text, '.') + 1, module)) {
        module = VALUE_FAIL;
    }
    release(vm, parent);
    return module;
}

// From the left: "a.b.c" imports a, then a.b, then a.b.c, each as an attribute
// of the one before.
static Value import_dotted(Vm *vm, Str *name, bool hiding)
{
    Value module = VALUE_UNBOUND;
    const char *at = name->text;
    do {
        const char *dot = strchr(at, '.');
        size_t length = dot == NULL ? name->length : (size_t)(dot - name->text);
        // From the start of the whole name: "a", "a.b", "a.b.c".
        Str *part = str_intern(vm, name->text, length);
        module =
            part == NULL ? VALUE_FAIL : import_one(vm, part, module, hiding);
        object_release_null(&vm->ctx, part);
        at = dot == NULL ? NULL : dot + 1;
    } while (!value_failed(module) && at != NULL);
    return module;
}

// Whether it is a program that imports, by a statement or by a module that
// imports for its callers (importlib says so). What the library imports is the
// library's: a program's file cannot break it.
static bool program_imports(const Vm *vm)
{
    for (const Frame *f = vm->frame; f != NULL && f >= vm->frames; f--) {
        const Source *source = f->code == NULL ? NULL : f->code->source;
        if (source == NULL || !source->library) {
            return true;
        }
        if (value_unbound(
                dict_get_name(f->globals, vm->names[NAME_FOR_CALLERS]))) {
            return false;
        }
    }
    return true;
}

Value module_import_any(Vm *vm, Str *name)
{
    return import_dotted(vm, name, program_imports(vm));
}

Module *module_import(Vm *vm, Str *name)
{
    Value module = import_dotted(vm, name, false);
    if (value_failed(module) || value_is_kind(module, KIND_MODULE)) {
        return value_failed(module) ? NULL : (Module *)value_object(module);
    }
    return raise_null(vm, ERR_IMPORT, "sys.modules['%s'] is not a module",
                      name->text);
}

// The package that `level` dots mean in a module with these globals.
static Str *resolve_package(Vm *vm, Dict *globals, uint32_t level)
{
    Value package = dict_get_name(globals, vm->names[NAME_PACKAGE]);
    if (!value_is_str(package) || value_as_str(package)->length == 0) {
        return raise_null(vm, ERR_IMPORT,
                          "attempted relative import with no known parent "
                          "package");
    }
    const char *text = value_as_str(package)->text;
    size_t length = value_as_str(package)->length;
    // One dot is the package itself; each further dot cuts off a name.
    for (; level > 1; level--) {
        const char *dot = memrchr(text, '.', length);
        if (dot == NULL) {
            return raise_null(vm, ERR_IMPORT,
                              "attempted relative import beyond top-level "
                              "package");
        }
        length = (size_t)(dot - text);
    }
    return str_intern(vm, text, length);
}

// The absolute name, owned. `from . import x` has an empty name: the package.
static Str *resolve(Vm *vm, Dict *globals, Str *name, uint32_t level)
{
    if (level == 0) {
        return object_retain(name);
    }
    Str *package = resolve_package(vm, globals, level);
    if (package == NULL || name->length == 0) {
        return package;
    }
    Str *full = str_printf(vm, "%s.%s", package->text, name->text);
    object_release(&vm->ctx, package);
    return full;
}

// The instruction behind `import a.b` (wanted is None: it gives a) and `from
// a.b import c` (it gives a.b). Owned.
Value import_module(Vm *vm, Dict *globals, Str *name, Value wanted,
                    uint32_t level)
{
    Str *full = resolve(vm, globals, name, level);
    if (full == NULL) {
        return VALUE_FAIL;
    }
    Value module = module_import_any(vm, full);
    // `import a.b` binds a; dots in front of the name do not count.
    size_t before = full->length - (level == 0 ? full->length : name->length);
    const char *dot = strchr(full->text + before, '.');
    if (!value_failed(module) && value_is_none(wanted) && dot != NULL) {
        Str *top = str_intern(vm, full->text, (size_t)(dot - full->text));
        module = top == NULL ? VALUE_FAIL : find_loaded(vm, top);
        object_release_null(&vm->ctx, top);
    }
    object_release(&vm->ctx, full);
    return value_retain(module);
}
