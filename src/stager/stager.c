// The built-in `stage`, and what the stager puts into a Vm.
#include "stager/stager.h"

#include <string.h>

#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/advice.h"
#include "stager/autograph.h"
#include "stager/birth.h"
#include "stager/blocks.h"
#include "stager/comprehend.h"
#include "stager/graph_function.h"
#include "stager/late_print.h"
#include "stager/late_text.h"
#include "stager/leak.h"
#include "stager/ledger.h"
#include "stager/made.h"
#include "stager/maybe.h"
#include "stager/notes.h"
#include "stager/poison.h"
#include "stager/scopes.h"
#include "stager/sizes.h"
#include "stager/stage_blocks.h"
#include "stager/stage_code.h"
#include "stager/stage_feed.h"
#include "stager/stage_gradient.h"
#include "stager/stage_graph.h"
#include "stager/stage_host.h"
#include "stager/stage_write.h"
#include "stager/staged_fn.h"
#include "stager/staged_list.h"
#include "stager/trace.h"
#include "stager/undecided.h"
#include "stager/weak.h"

// Rows of a known number are what loops unroll over, unless nothing is to be
// made of loops.
static bool hook_iterate(Vm *vm, Value symbolic)
{
    char room[ADVICE_ROOM];
    return autograph_wanted(vm, vm->frame->code) ||
           raise_false(vm, ERR_SYMBOLIC,
                       "iterating over symbolic tensor '%s' is not allowed "
                       "with autograph=False: use unstack(x) for a known "
                       "number of rows, or stage.loop",
                       advice_spell(vm, value_as_symbolic(symbolic), room));
}

// stage(f), stage(f, relax=True), and stage(relax=True), which waits for f.
// Owned.
static Value stage_call(Vm *vm, Value self, const Value *args, uint32_t count,
                        Tuple *keyword_names)
{
    (void)self;
    uint32_t keywords =
        keyword_names != NULL ? (uint32_t)keyword_names->count : 0;
    uint32_t positional = count - keywords;
    // The options are checked even if the function is still to come, so that
    // an error names the decorator's line.
    StageOptions options;
    if (positional > 1) {
        return raise_error(vm, ERR_TYPE, "stage() takes one function");
    }
    if (positional == 1 && !value_is_callable(vm, args[0])) {
        return raise_error(vm, ERR_TYPE, "stage() takes a function, not '%s'",
                           type_name(type_of(vm, args[0])));
    }
    if (!options_parse(vm, args, positional, keyword_names, &options)) {
        return VALUE_FAIL;
    }
    // staged_new takes what the options hold, whatever becomes of it.
    Value host = positional == 1 ? args[0] : VALUE_NONE;
    return value_or_fail(staged_new(vm, host, options));
}

// Traces are kept and serve again when staging comes back.
// Functions that are staged are then called as plain ones, with eager tensors.
static Value stage_eager(Vm *vm, Value *args)
{
    int on = value_unbound(args[1]) ? 1 : value_truth(vm, args[1]);
    if (on < 0) {
        return VALUE_FAIL;
    }
    vm->eager_only = on == 1;
    vm->long_calls = vm->eager_only || stager_of(vm)->listener != NULL;
    return VALUE_NONE;
}

// Eagerly each operation is looked at, in graphs each node.
static Value stage_check_numerics(Vm *vm, Value *args)
{
    int on = value_unbound(args[1]) ? 1 : value_truth(vm, args[1]);
    if (on < 0) {
        return VALUE_FAIL;
    }
    vm->check_numbers = on == 1;
    return VALUE_NONE;
}

// Whether the code that asks runs for a trace.
static Value stage_tracing(Vm *vm, Value *args)
{
    (void)args;
    return value_from_bool(vm->trace != NULL);
}

// For tests: see staged_may_run_host.
// While it is on, only traces that exist can serve.
static Value stage_seal(Vm *vm, Value *args)
{
    int on = value_unbound(args[1]) ? 1 : value_truth(vm, args[1]);
    if (on < 0) {
        return VALUE_FAIL;
    }
    stager_of(vm)->sealed = on == 1;
    return VALUE_NONE;
}

// The mark stands on the code, so that every closure of it has it.
// What is no function is handed back as it is, so that the decorator fits on
// anything.
static Value stage_plain(Vm *vm, Value *args)
{
    (void)vm;
    if (value_is_kind(args[1], KIND_FUNCTION)) {
        ((Function *)value_object(args[1]))->code->plain = true;
    }
    return value_retain(args[1]);
}

// In order of tracing.
// Owned: a new list of the traces themselves.
static Value stage_traces(Vm *vm, Value *args)
{
    const StagedFunction *staged = staged_from(vm, args[1], "traces");
    if (staged == NULL) {
        return VALUE_FAIL;
    }
    List *list = list_new(vm, staged->table.count);
    size_t at = 0;
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        list->items[i] =
            value_from_object(object_retain(traces_next(&staged->table, &at)));
    }
    return value_or_fail(list);
}

// The kind keeps its place in C code; only the class that is raised changes.
// The override lives as long as the Vm, or until the next one for that class.
static Value stage_error_class(Vm *vm, Value *args)
{
    // Kind 0 is no error.
    for (int i = 1; i < ERR_COUNT; i++) {
        if (value_same(args[1], value_from_object(vm->error_types[i]))) {
            value_replace(&vm->ctx, &vm->error_overrides[i],
                          value_retain(args[2]));
            return VALUE_NONE;
        }
    }
    return raise_error(vm, ERR_TYPE,
                       "stage.error_class() takes a built-in error class");
}

// A method has this form; the text is made in stage_code.c.
static Value stage_code(Vm *vm, Value *args)
{
    return stage_code_text(vm, args[1]);
}

// The rows of STAGE_BLOCK_LIST are control flow as functions, written in Duet
// (stage_blocks.h); the others are C.
// Methods of a built-in object, since `stage` is callable and a namespace at
// once.
// stage.compare(f, …): written in Duet, part of the program `duet`.
static Value stage_compare_method(Vm *vm, Value *args)
{
    return library_call(vm, "duet._compare", "compare_call", args + 1, 3);
}

static const NativeDef stage_methods[] = {
#define STAGE_BLOCK(name, operands, params, doc)                               \
    {#name, params, stage_block_##name, doc},
    STAGE_BLOCK_LIST(STAGE_BLOCK)
#undef STAGE_BLOCK
        {"code", "self, function, /", stage_code,
         "The function as it is converted for traces, as source."},
    {"eager", "self, on=True, /", stage_eager,
     "Switches staging off everywhere, or on again."},
    {"check_numerics", "self, on=True, /", stage_check_numerics,
     "Whether the first operation that makes NaN or infinity of finite numbers "
     "raises OpValueError, at its line, eagerly and in graphs."},
    {"tracing", "self, /", stage_tracing,
     "Whether a function is being traced just now."},
    {"seal", "self, on=True, /", stage_seal,
     "Has staged functions refuse to run host code: a call that would trace "
     "raises RuntimeError. For tests."},
    {"plain", "self, function, /", stage_plain,
     "Marks a function that is never converted."},
    {"traces", "self, function, /", stage_traces,
     "The traces of a staged function, oldest first."},
    {"_custom_gradient", "self, outputs, inputs, gradient, /",
     stage_custom_gradient_method,
     "The outputs, whose gradients flow to the inputs by a concrete function."},
    {"_learn", "self, tensor, same, /", trace_learn_method,
     "The tensor shows the type of another that was made of it."},
    {"_record", "self, tape, constants, /", graph_record_method,
     "Tells a Tape what the trace holds, but what gives the constants."},
    {"_within", "self, range, /", trace_within_method,
     "An arange, which refuses a limit on the wrong side when it runs."},
    {"host_call", "self, function, args=(), out=None", stage_host_call_method,
     "Calls host code each time the graph runs; out: specs of its results."},
    {"draw", "self, op, function, place, out=None, /", stage_draw_method,
     "What a dataset's iterator does each time the graph runs (lib/data)."},
    {"scope", "self, path, unique=False, /", scopes_method,
     "What the trace makes from here on is named below the path, which is "
     "given back: with unique, another one if it was used before."},
    {"_node_name", "self, tensor, /", scopes_node_name_method,
     "What the node of a symbolic tensor is called in a GraphDef, or None."},
    {"_nodes", "self, /", stage_nodes_method,
     "The nodes of the trace so far, as graphdef_nodes() of its graph gives "
     "them; None inside a block (lib/tensorflow)."},
    {"hold", "self, object, /", stage_hold_method,
     "A tensor that stands for an object of the host's."},
    {"held", "self, tensor, /", stage_held_method,
     "The object that such a tensor stands for."},
    {"summary", "self, name, value, step=None", stage_summary_method,
     "Writes a value as a line of JSON each time the graph runs."},
    {"feed", "self, /", stage_feed_method,
     "An iterator over what a thread makes ahead of time (lib/data)."},
    {"once", "self, /", stage_once_method,
     "A `with` block that runs eagerly, once a trace, outside the graph."},
    {"effects", "self, function, /", ledger_effects_method,
     "What tracing did on the host that graphs do not repeat: rows (trace, "
     "line, what, value, text of the line)."},
    {"events", "self, function, /", ledger_events_method,
     "What traces do otherwise than eager code: rows (trace, line, code, what, "
     "times, text of the line); %explain tells of a code."},
    {"why", "self, function, /", why_method,
     "Why the last trace was made: what was new, and the cure; None: there is "
     "none."},
    {"nearest", "self, function, /", why_nearest_method,
     "The trace that the last one's arguments differ least from; None: it was "
     "the first."},
    {"frozen", "self, function, /", frozen_method,
     "What traces read outside: rows (trace, line, place, value, changed)."},
    {"compare", "self, function, *args, **keywords", stage_compare_method,
     "Calls it eagerly and staged in two copies of the world: a comparison "
     "with `codes`, `alike` and the text."},
    {"hold_list", "self, items, dtype, shape=None, size=None, /",
     staged_list_hold_method,
     "In a trace the list becomes one that the graph holds, of elements of "
     "this type. The list."},
    {"error_class", "self, error, cls, /", stage_error_class,
     "Has errors of a built-in class raised as a class of one's own."},
    {"print", "self, *args, sep=' ', end='\\n', file=None, style='print'",
     stage_write_method,
     "Prints each time the graph runs; style 'brief': one blank between a "
     "tensor's values."},
    {NULL, NULL, NULL, NULL},
};

// The object has no state: everything hangs off vm->stager.
// The built-ins dict holds the one instance, so this runs when the Vm goes.
static void stage_destroy(Vm *vm, Object *self)
{
    object_free(vm, self, sizeof *self);
}

// The type of the built-in `stage`, which is an object so that it can be
// called and have methods as well.
const TypeDef stage_type_def = {
    .name = "stage",
    .doc = "Stages a function: it is traced into a graph, once for each\n"
           "signature of its arguments, and the graph runs. With options:\n"
           "@stage(relax=True).\n\n"
           "signature   a list with a spec for each parameter: one trace;\n"
           "            what does not fit is refused; None is any size\n"
           "relax       True: where sizes differ trace 2 is a general one\n"
           "autograph   False: `if`, `while`, `for` on tensors stay as\n"
           "            they are\n"
           "frozen      what a trace has read on the host has changed:\n"
           "            'note' says so and keeps the old value, 'retrace'\n"
           "            traces anew, 'error' raises, 'silent' keeps it\n"
           "max_traces  so many are kept; the one not used longest goes\n\n"
           "f.host is the function as it was, f.graph(…) its graph,\n"
           "f.concrete(…) one trace. At the prompt: %why f, %traces f,\n"
           "%compare f(…), %lesson 1.\n",
    .params = "function=None, *, signature=None, relax=False, autograph=True, "
              "frozen='note', max_traces=10000",
    .kind = KIND_OPAQUE,
    .size = sizeof(Object),
    .flags = TYPE_FINAL,
    .slots = {.destroy = stage_destroy, .call = stage_call},
    .methods = stage_methods,
};

// A type of the stager's, made as the built-in ones are but counted by its
// instances, since it may go before them.
// Owned; NULL: an error is pending.
static Type *make_type(Vm *vm, const TypeDef *def)
{
    Str *name = str_intern(vm, def->name, strlen(def->name));
    Value base = value_from_object(vm->object_type);
    Tuple *bases = tuple_from(vm, &base, 1);
    Type *cls = name != NULL && bases != NULL
                    ? class_create(vm, name, bases, def)
                    : NULL;
    object_release_null(&vm->ctx, name);
    object_release_null(&vm->ctx, bases);
    if (cls == NULL) {
        return NULL;
    }
    // A slot that the definition leaves empty is inherited. TypeSlots holds
    // nothing but function pointers, so both are walked as arrays; memcpy is
    // the defined way to look at one as the other.
    void (*inherited[sizeof(TypeSlots) / sizeof(void (*)(void))])(void);
    void (*own[sizeof(TypeSlots) / sizeof(void (*)(void))])(void);
    memcpy(inherited, &cls->slots, sizeof inherited);
    memcpy(own, &def->slots, sizeof own);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        own[i] = own[i] != NULL ? own[i] : inherited[i];
    }
    memcpy(&cls->slots, own, sizeof own);
    // Layouts of their own: what object visits is not there.
    cls->slots.visit = def->slots.visit;
    cls->slots.clear = def->slots.clear;
    // KIND_OPAQUE: such objects are told apart by their type alone.
    cls->kind = def->kind;
    cls->flags = def->flags | TYPE_HEAP;
    cls->fill = class_add_methods;
    return cls;
}

static bool make_poison(Vm *vm, Stager *stager)
{
    for (int i = 0; i < POISON_TYPES; i++) {
        stager->poison_types[i] = make_type(vm, &poison_type_defs[i]);
        if (stager->poison_types[i] == NULL) {
            return false;
        }
    }
    poison_adopt(vm, stager->poison_types);
    return true;
}

// Takes NULL for `object`, as a failed allocation gives it, and is false then.
// The dict retains the object; the caller keeps its own count.
static bool bind_name(Vm *vm, const char *text, Object *object)
{
    Str *name = str_intern(vm, text, strlen(text));
    bool ok = object != NULL && name != NULL &&
              dict_set_name(vm, vm->builtins, name, value_from_object(object));
    object_release_null(&vm->ctx, name);
    return ok;
}

// The built-ins that staging adds; `Graph` for Graph.parse.
// False: an error is pending.
static bool bind_stage(Vm *vm, Stager *stager)
{
    // One instance for the whole Vm; the built-ins hold it.
    Object *stage = object_new(vm, stager->stage_type, sizeof *stage);
    Object *list = stage_tensor_list(vm), *load = stage_load_graph(vm);
    bool ok = bind_name(vm, "stage", stage) &&
              bind_name(vm, "TensorList", list) &&
              bind_name(vm, "load_graph", load) &&
              bind_name(vm, "Graph", (Object *)stager->graph_type);
    object_release_null(&vm->ctx, stage);
    object_release_null(&vm->ctx, list);
    object_release_null(&vm->ctx, load);
    return ok;
}

// Types first: the built-in `stage` is an instance of one.
bool stager_init(Vm *vm, bool log)
{
    Stager *stager = ctx_alloc_zero(&vm->ctx, sizeof *stager);
    if (stager == NULL) {
        return false;
    }
    // From here on stager_free can clean up whatever is there, so failures
    // below simply return.
    vm->stager = stager;
    stager->log = log;
    map_init(&stager->told, &vm->ctx);
    map_init(&stager->identities.by_object, &vm->ctx);
    map_init(&stager->places.by_key, &vm->ctx);
    stager->hooks = (TraceHooks){.apply = trace_apply,
                                 .block = blocks_event,
                                 .unwind = blocks_unwind,
                                 .late = notes_late,
                                 .unbound = blocks_unbound,
                                 .convert = autograph_convert,
                                 .store = journal_store,
                                 .read = frozen_read,
                                 .stored = frozen_stored,
                                 .decided = poison_decided,
                                 .choose = undecided_choose,
                                 .keywords = concrete_keywords,
                                 .refuse = advice_refuse,
                                 .iterate = hook_iterate,
                                 .first_value = birth_first_value,
                                 .born = birth_made,
                                 .same = trace_same,
                                 .operate = maybe_operate,
                                 .ask = maybe_ask,
                                 .otherwise = maybe_otherwise,
                                 .leak = leak_fail,
                                 .hold = staged_list_hold,
                                 .leaked_from = leak_function,
                                 .sized = sizes_read,
                                 .comprehend = comprehend_items,
                                 .add_up = comprehend_sum,
                                 .number = weak_number,
                                 .effect = journal_effect,
                                 .print = late_print,
                                 .worded = late_text_add,
                                 .known_text = late_text_known};
    stager->options = plan_options_default();
    vm->hooks = &stager->hooks;
    vm->forget = identity_died;
    // A type that cannot be made leaves NULL and an error pending; all are
    // looked at together below.
    stager->stage_type = make_type(vm, &stage_type_def);
    stager->staged_type = make_type(vm, &staged_type_def);
    stager->concrete_type = make_type(vm, &concrete_type_def);
    stager->graph_type = make_type(vm, &trace_owner_type_def);
    stager->node_type = make_type(vm, &graph_node_type_def);
    stager->graph_function_type = make_type(vm, &graph_function_type_def);
    stager->once_type = make_type(vm, &once_type_def);
    stager->feed_type = make_type(vm, &feed_type_def);
    stager->identity_type = make_type(vm, &identity_type_def);
    stager->staged_list_type = make_type(vm, &staged_list_type_def);
    stager->late_text_type = make_type(vm, &late_text_type_def);
    stager->made_type = make_type(vm, &made_type_def);
    return stager->stage_type != NULL && stager->staged_type != NULL &&
           stager->concrete_type != NULL && stager->graph_type != NULL &&
           stager->node_type != NULL && stager->graph_function_type != NULL &&
           stager->once_type != NULL && stager->feed_type != NULL &&
           stager->identity_type != NULL && stager->staged_list_type != NULL &&
           stager->made_type != NULL && stager->late_text_type != NULL &&
           make_poison(vm, stager) && bind_stage(vm, stager);
}

// The types are counted by their instances, which may go later.
// Right for what stager_init left half made, too.
void stager_free(Vm *vm)
{
    Stager *stager = stager_of(vm);
    if (stager == NULL) {
        return;
    }
    // The trees before the types: they are freed through the Vm, which must
    // still have its stager.
    autograph_free(vm);
    eras_free(vm);
    identities_free(vm);
    map_free(&stager->places.by_key);
    object_release_null(&vm->ctx, stager->stage_type);
    object_release_null(&vm->ctx, stager->staged_type);
    object_release_null(&vm->ctx, stager->concrete_type);
    object_release_null(&vm->ctx, stager->graph_type);
    object_release_null(&vm->ctx, stager->node_type);
    object_release_null(&vm->ctx, stager->graph_function_type);
    object_release_null(&vm->ctx, stager->once_type);
    object_release_null(&vm->ctx, stager->feed_type);
    object_release_null(&vm->ctx, stager->identity_type);
    object_release_null(&vm->ctx, stager->staged_list_type);
    object_release_null(&vm->ctx, stager->late_text_type);
    object_release_null(&vm->ctx, stager->made_type);
    for (int i = 0; i < POISON_TYPES; i++) {
        object_release_null(&vm->ctx, stager->poison_types[i]);
    }
    map_free(&stager->told);
    ctx_free(&vm->ctx, stager, sizeof *stager);
    vm->stager = NULL;
    vm->hooks = NULL;
}
