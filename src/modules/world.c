// Making and freeing a whole Duet. What has a row in type_list.h and
// module_list.h is linked here, and nowhere below.
#include "modules/world.h"

#include <stdlib.h>

#include "interp/core/finalizing.h"
#include "interp/core/memory.h"
#include "interp/core/weakref.h"
#include "interp/hooks/library.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/sys_hooks.h"
#include "interp/tensors/display.h"
#include "modules/builtins/builtins.h"
#include "modules/files/obj_file.h"
#include "modules/importing/embedded.h"
#include "modules/importing/module.h"
#include "modules/importing/module_native.h"

enum { C_DEPTH_LIMIT = 20000 }; // the C stack's size decides before that

#define TYPE(kind, def) extern const TypeDef def;
#define SUBTYPE(kind, def, base) extern const TypeDef def;
#define SPECIAL_TYPE(field, def, base) extern const TypeDef def;
#include "modules/type_list.h"
#undef TYPE
#undef SUBTYPE
#undef SPECIAL_TYPE

static const BuiltinType builtin_types[] = {
#define SPECIAL_TYPE(field, def, base)                                         \
    {&def, offsetof(Vm, field), offsetof(Vm, base)},
#define SUBTYPE(kind, def, base)                                               \
    SPECIAL_TYPE(types[KIND_##kind], def, types[KIND_##base])
#define TYPE(kind, def) SPECIAL_TYPE(types[KIND_##kind], def, object_type)
#include "modules/type_list.h"
#undef TYPE
#undef SUBTYPE
#undef SPECIAL_TYPE
    {NULL, 0, 0},
};

#define MODULE(def) extern const ModuleDef def;
#include "modules/module_list.h"
#undef MODULE

static const ModuleDef *const native_modules[] = {
#define MODULE(def) &def,
#include "modules/module_list.h"
#undef MODULE
    NULL,
};

// The streams may be any objects: what is none of C's files is passed over.
static bool tell(Vm *vm, const char *text, size_t length)
{
    if (value_is_kind(vm->stdout_file, KIND_FILE) &&
        !file_flush(vm, value_as_file(vm->stdout_file))) {
        return false;
    }
    return !value_is_kind(vm->stderr_file, KIND_FILE) ||
           file_write(vm, value_as_file(vm->stderr_file), text, length);
}

static bool has_module(const Vm *vm, const char *name)
{
    return module_find_native(vm, name) != NULL ||
           module_find_embedded(name) != NULL;
}

// Parts of packages and halves of modules are nothing that somebody means.
static const char *module_name(size_t index)
{
    for (size_t i = 0; i < embedded_module_count; i++) {
        const char *name = embedded_modules[i].name;
        if (name[0] != '_' && strchr(name, '.') == NULL && index-- == 0) {
            return name;
        }
    }
    return NULL;
}

static const char *function_name(size_t index)
{
    static const char *const names[] = {
#define BUILTIN(name, params, function, doc) name,
#include "modules/builtins/builtin_list.h"
#undef BUILTIN
    };
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const LibraryHooks library_hooks = {.need = module_import,
                                           .import = import_module,
                                           .from = import_from,
                                           .star = import_star,
                                           .tell = tell,
                                           .has_module = has_module,
                                           .module_name = module_name,
                                           .function_name = function_name};

// The empty str and tuple and the ASCII characters, which exist once in a Vm.
// str_intern, so that "a" of a program is the same object as text[0].
static bool make_shared(Vm *vm)
{
    vm->empty_str = str_new(vm, "", 0);
    for (int i = 0; i < 128 && vm->empty_str != NULL; i++) {
        char text = (char)i;
        vm->char_strs[i] = str_intern(vm, &text, 1);
        if (vm->char_strs[i] == NULL) {
            return false;
        }
    }
    vm->empty_tuple = vm->empty_str != NULL ? tuple_new(vm, 0) : NULL;
    return vm->empty_tuple != NULL;
}

// The exception that is raised when there is no memory for one.
static bool make_memory_error(Vm *vm)
{
    Exception *error =
        exception_new(vm, vm->error_types[ERR_MEMORY], vm->empty_tuple);
    if (error == NULL) {
        return false;
    }
    // One for all times: there may be no memory for another.
    vm->memory_error = value_from_object(error);
    return true;
}

// It is no native module of the list, so it stands in sys.modules from the
// start.
// False: an error is pending.
static bool add_builtins_module(Vm *vm)
{
    Str *name = vm->names[NAME_OF_BUILTINS];
    Module *module = module_new(vm, name);
    bool done = false;
    if (module != NULL) {
        // The module shows the dict that global look-ups end in.
        Dict *own = module->dict;
        module->dict = object_retain(vm->builtins);
        object_release(&vm->ctx, own);
        done = dict_set_name(vm, vm->modules, name, value_from_object(module));
        object_release(&vm->ctx, module);
    }
    return done;
}

// A failure leaves what was made to modules_free.
static bool modules_init(Vm *vm)
{
    vm->modules = dict_new(vm);
    return vm->modules != NULL && file_streams_init(vm) &&
           add_builtins_module(vm);
}

// Modules first: their destructors may still print.
static void modules_free(Vm *vm)
{
    object_release_null(&vm->ctx, vm->modules);
    vm->modules = NULL;
    display_free(vm);
    file_streams_free(vm);
}

// The order matters: types before the first object, shared strs before the
// names that types_init interns, errors before the built-in functions.
// False: an error is pending, with nobody to read it but the caller.
static bool make_world(Vm *vm)
{
    if (!vm_make_stacks(vm) || !types_create(vm)) {
        return false;
    }
    // Lower layers make tensors as objects and need their type.
    vm->ctx.tensor_type = vm->types[KIND_TENSOR];
    return make_shared(vm) && types_init(vm) && make_memory_error(vm) &&
           builtins_init(vm) && modules_init(vm);
}

// All that vm_free looks at is set before the first step that may fail, because
// a Vm that is half made is freed in the same way.
// NULL: no memory. `stack_size` in bytes: how deep C may go.
Vm *vm_new(size_t stack_size)
{
    Vm *vm = calloc(1, sizeof *vm);
    if (vm == NULL) {
        return NULL;
    }
    ctx_init(&vm->ctx, stack_size);
    vm->builtin_types = builtin_types;
    vm->native_modules = native_modules;
    vm->library = &library_hooks;
    // A second guard beside the stack's size.
    vm->ctx.depth_limit = C_DEPTH_LIMIT;
    vm->ctx.dealloc = memory_dealloc;
    vm->epoch = 1; // so that a zeroed cache never matches
    vm->exception = vm->memory_error = vm->error_subject = VALUE_UNBOUND;
    vm->stdin_file = vm->stdout_file = vm->stderr_file = VALUE_NONE;
    for (int i = 0; i < ERR_COUNT; i++) {
        vm->error_overrides[i] = VALUE_UNBOUND;
    }
    map_init(&vm->type_variants, &vm->ctx);
    cycles_init(vm);
    arena_init(&vm->tensor_arena, &vm->ctx);
    if (!make_world(vm)) {
        vm_free(vm);
        return NULL;
    }
    cycles_settle(vm);
    return vm;
}

// Values that the Vm holds directly.
// The argument list goes with them; the stack of handled errors is freed once
// no code can run.
static void release_values(Vm *vm)
{
    Value *fields[] = {&vm->error_subject, &vm->exception,   &vm->memory_error,
                       &vm->stdin_file,    &vm->stdout_file, &vm->stderr_file};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        value_replace(&vm->ctx, fields[i], VALUE_UNBOUND);
    }
    for (int i = 0; i < ERR_COUNT; i++) {
        value_replace(&vm->ctx, &vm->error_overrides[i], VALUE_UNBOUND);
    }
    for (size_t i = 0; i < vm->argv.count; i++) {
        release(vm, vm->argv.items[i]);
    }
    vec_free(&vm->ctx, &vm->argv);
}

// Late, since types and modules have names up to their end.
static void release_shared(Vm *vm)
{
    for (int i = 0; i < 128; i++) {
        object_release_null(&vm->ctx, vm->char_strs[i]);
        vm->char_strs[i] = NULL;
    }
    for (int i = 0; i < NAME_COUNT; i++) {
        object_release_null(&vm->ctx, vm->names[i]);
        vm->names[i] = NULL;
    }
    object_release_null(&vm->ctx, vm->empty_str);
    object_release_null(&vm->ctx, vm->empty_tuple);
    vm->empty_str = NULL;
    vm->empty_tuple = NULL;
}

// Modules go first, and while their names are still there the finalisers of
// what only they held run.
// May be called before vm_free, to see what finalisers print while streams are
// open.
void vm_finish(Vm *vm)
{
    sys_run_exit(vm);
    if (vm->modules != NULL) {
        dict_clear(vm, vm->modules);
    }
    finalize_run(vm);
    (void)cycles_collect(vm, true);
}

// Beside the standard streams, which the caller flushes.
// True: nothing that the process would not give back by itself is left, so
// freeing can be skipped at its end. Checked builds free all the same, to find
// leaks.
bool vm_is_spent(const Vm *vm)
{
#if defined(DUET_ASAN) || defined(DUET_INJECT)
    (void)vm;
    return false;
#else
    return vm->file_count <= 3 && !vm->output_lost;
#endif
}

// What an object holds that the collector does not track (a type through its
// instances, say) is garbage only once that object has gone.
// Bounded: a finaliser that makes new garbage each time must not keep it going.
static void collect_all(Vm *vm)
{
    enum { ROUNDS = 10 };
    size_t found = 1;
    for (int i = 0; i < ROUNDS && found > 0; i++) {
        finalizing_discard(vm);
        found = cycles_collect(vm, true);
    }
}

// From what programs made down to what all objects need: modules and values,
// cycles, types' contents, shared strs, the types, then memory itself.
// False: output was lost on the way (a full disk), for the exit status.
bool vm_free(Vm *vm)
{
    vm_finish(vm);
    cycles_unsettle(vm);
    modules_free(vm);
    release_values(vm);
    finalize_run(vm);
    (void)cycles_collect(vm, true);
    // From here on no code of the program runs: it would find no built-in name.
    vm->gc.closing = true;
    // What ran until now may still have handled errors.
    vec_free(&vm->ctx, &vm->handled);
    object_release_null(&vm->ctx, vm->builtins);
    vm->builtins = NULL;
    (void)cycles_collect(vm, true);
    // What libraries added to built-in types goes with those.
    types_strip(vm);
    cycles_break(vm, KIND_OPAQUE);
    collect_all(vm);
    release_shared(vm);
    str_interned_free(vm);
    types_free(vm);
    arena_destroy(&vm->tensor_arena);
    map_free(&vm->type_variants);
    weakref_table_free(vm);
    vm_free_stacks(vm);
    // Read last: files die until here.
    bool lost = vm->output_lost;
    ctx_destroy(&vm->ctx);
    free(vm);
    return !lost;
}
