// Options of `stage`: one row each in a table of names and readers.
#include "stager/options.h"

#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/structure.h"

// Reads one option into its field; false with an error pending.
typedef bool (*ReadFn)(Vm *vm, Value v, StageOptions *out);

// Specs and structures of them, nothing else.
// False: an error is pending.
static bool check_spec(Vm *vm, Value v, void *data)
{
    if (value_is_kind(v, KIND_SPEC)) {
        return true;
    }
    // A set holds no tensors, so a spec in one would fit nothing.
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_LEAF || kind == STRUCTURE_SET) {
        return raise_false(vm, ERR_TYPE,
                           "stage(): signature= takes specs and structures "
                           "of them, not '%s'",
                           type_name(type_of(vm, v)));
    }
    return structure_each(vm, v, check_spec, data);
}

// A copy as a tuple: the caller may change the list.
// False: an error is pending.
static bool read_signature(Vm *vm, Value v, StageOptions *out)
{
    if (value_is_none(v)) {
        return true;
    }
    if (!value_is_kind(v, KIND_LIST) && !value_is_kind(v, KIND_TUPLE)) {
        return raise_false(vm, ERR_TYPE,
                           "stage(): signature= takes a list with a spec for "
                           "each parameter, not '%s'",
                           type_name(type_of(vm, v)));
    }
    // Checked after copying, since the copy is what is kept.
    Tuple *specs = value_to_tuple(vm, v);
    if (specs == NULL) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < specs->count; i++) {
        ok = check_spec(vm, specs->items[i], NULL);
    }
    if (!ok) {
        object_release(&vm->ctx, specs);
        return false;
    }
    object_release_null(&vm->ctx, out->signature);
    out->signature = specs;
    return true;
}

// Whatever has a truth value will do.
// False: __bool__ has raised.
static bool read_bool(Vm *vm, Value v, bool *out)
{
    int truth = value_truth(vm, v);
    *out = truth > 0;
    return truth >= 0;
}

// relax=
static bool read_relax(Vm *vm, Value v, StageOptions *out)
{
    return read_bool(vm, v, &out->relax);
}

// autograph=
static bool read_autograph(Vm *vm, Value v, StageOptions *out)
{
    return read_bool(vm, v, &out->autograph);
}

// The texts stand in the order of FrozenPolicy.
// False: an error is pending.
static bool read_frozen(Vm *vm, Value v, StageOptions *out)
{
    static const char *const policies[] = {"note", "retrace", "error",
                                           "silent"};
    for (int i = 0; i < 4; i++) {
        // Case counts, as in the names of options.
        if (value_is_str(v) && str_is(value_as_str(v), policies[i])) {
            out->frozen = (FrozenPolicy)i;
            return true;
        }
    }
    return raise_false(vm, ERR_VALUE,
                       "stage(): frozen= is 'note', 'retrace', 'error' or "
                       "'silent'");
}

// At least one: a call needs a trace to run.
// False: an error is pending.
static bool read_max_traces(Vm *vm, Value v, StageOptions *out)
{
    int64_t count;
    // Ints and what has __index__; floats are refused, as range() refuses
    // them.
    if (!value_to_index(vm, v, &count)) {
        return false;
    }
    out->max_traces = (size_t)count;
    return count > 0 ||
           raise_false(vm, ERR_VALUE, "stage(): max_traces= is at least 1");
}

// What can be added to stage() is a row here and its reader above.
static const struct {
    const char *name;
    ReadFn read;
} readers[] = {
    {"signature", read_signature},   {"relax", read_relax},
    {"autograph", read_autograph},   {"frozen", read_frozen},
    {"max_traces", read_max_traces},
};

// An unknown name is refused as a function would refuse it.
// False: an error is pending. The last one of a name would count, but a call
// cannot give one twice.
static bool read_option(Vm *vm, const Str *name, Value v, StageOptions *out)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (str_is(name, readers[i].name)) {
            return readers[i].read(vm, v, out);
        }
    }
    return raise_false(vm, ERR_TYPE,
                       "stage() got an unexpected keyword argument '%s'",
                       name->text);
}

// Defaults first; a failure leaves nothing to free.
// args[positional + i] belongs to names[i].
bool options_parse(Vm *vm, const Value *args, uint32_t positional, Tuple *names,
                   StageOptions *out)
{
    // What stage(f) without options means.
    *out = (StageOptions){.frozen = FROZEN_NOTE,
                          .max_traces = STAGE_MAX_TRACES,
                          .autograph = true};
    bool ok = true;
    for (size_t i = 0; ok && names != NULL && i < names->count; i++) {
        ok = read_option(vm, value_as_str(names->items[i]),
                         args[positional + i], out);
    }
    if (!ok) {
        options_free(vm, out);
    }
    return ok;
}

// For a decorator with options that is used for several functions.
// The copy has a count of its own and is freed by itself.
StageOptions options_copy(const StageOptions *options)
{
    StageOptions copy = *options;
    if (copy.signature != NULL) {
        (void)object_retain(copy.signature);
    }
    return copy;
}

// The rest is plain numbers.
void options_free(Vm *vm, StageOptions *options)
{
    object_release_null(&vm->ctx, options->signature);
    options->signature = NULL;
}
