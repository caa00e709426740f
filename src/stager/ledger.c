// Effects of a trace: recorded by the hooks, and shown.
#include "stager/ledger.h"

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include <string.h>

#include "stager/blocks.h"
#include "stager/concrete.h"
#include "stager/content.h"
#include "stager/leak.h"
#include "stager/poison.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

// --- Effects ---

// What is told of a value: numbers, texts and tensors as they print, of all
// else the type. Runs no code of the program.
static Str *short_text(Vm *vm, Value v)
{
    // All else could run a __repr__ of the program.
    bool simple = value_is_special(v) || value_is_integer(v) ||
                  value_is_float(v) || value_is_str(v);
    return value_is_kind(v, KIND_SYMBOLIC) ? symbolic_words(vm, v)
           : simple                        ? value_repr(vm, v)
                    : str_printf(vm, "<%s>", type_name(type_of(vm, v)));
}

// Whether the code runs on a side of a staged condition, however deep.
static bool on_a_side(const Trace *trace)
{
    const StagedBlock *block = trace->blocks;
    while (block != NULL && block->loop != NULL) {
        block = block->outer;
    }
    return block != NULL;
}

// Only what it was, not the container: that may die with the call.
static bool add_effect(Vm *vm, EffectKind effect, const char *what, Value value)
{
    bool tensor =
        value_is_kind(value, KIND_SYMBOLIC) || poison_is_value(vm, value);
    Event event = {.kind = effect == EFFECT_DRAW  ? EVENT_DRAW
                           : tensor               ? EVENT_STORE
                           : on_a_side(vm->trace) ? EVENT_SIDE
                                                  : EVENT_EFFECT,
                   .effect = effect,
                   .what = what};
    Str *text = value_unbound(value) ? NULL : short_text(vm, value);
    if (text == NULL && !value_unbound(value)) {
        return false;
    }
    event.value = text != NULL ? str_value(text) : VALUE_NONE;
    event.line = trace_program_line(vm, &event.source);
    event_add_at(vm, vm->trace->events, event);
    return true;
}

// Whether the class of the value, if it was that which was asked for, is that
// of a tensor eagerly, too: not of what stands for a number or a text of the
// host, which the library knows how to take.
static bool looks_alike(Vm *vm, Value value)
{
    bool library = vm->frame->code->source->library;
    bool alike = value_is_kind(value, KIND_SYMBOLIC) &&
                 (library || !symbolic_is_host(value));
    vm->trace->asked += alike && !library;
    return alike;
}

bool ledger_effect(Vm *vm, EffectKind kind, const char *what, Value value)
{
    if (kind == EFFECT_LOOK && looks_alike(vm, value)) {
        return true;
    }
    if (kind == EFFECT_NUMBER || kind == EFFECT_TRUTH || kind == EFFECT_LOOK) {
        EventKind told = kind == EFFECT_NUMBER  ? EVENT_NUMBER
                         : kind == EFFECT_TRUTH ? EVENT_INT
                                                : EVENT_LOOK;
        event_add(vm, vm->trace->events, told, what, VALUE_NONE);
        return true;
    }
    // What the graph is to print comes after all that tracing prints.
    if (vm->trace->prints && kind == EFFECT_PRINT) {
        event_add(vm, vm->trace->events, EVENT_ORDER, "", VALUE_NONE);
    }
    return add_effect(vm, kind, what, value);
}

// What goes on as it is read (note_step): an iterator of the host.
static bool goes_on(const Object *container)
{
    return container->type->slots.next != NULL &&
           !(container->type->flags & TYPE_HEAP);
}

// What kind of place was changed, in a word for the ledger.
static const char *container_word(Vm *vm, const Object *container)
{
    switch (container->kind) {
    case KIND_LIST: return "list";
    case KIND_DICT:
        // The dict of the running module's names.
        return vm->frame != NULL &&
                       container == (const Object *)vm->frame->globals
                   ? "global"
                   : "dict";
    case KIND_SET: return "set";
    case KIND_CELL: return "variable";
    case KIND_TYPE: return "class attribute";
    case KIND_INSTANCE: return "attribute";
    default:
        if (deque_is(value_from_object((Object *)container))) {
            return "deque";
        }
        return goes_on(container) ? "next" : "attribute";
    }
}

// Looks for a container among what a call was given, and below that.
typedef struct HandedSearch {
    Vm *vm;
    const Object *wanted;
    bool host;    // a module of Python's or NumPy's was called
    int depth;    // how far it has gone down
    bool belongs; // what is below belongs to a container or stream
    bool found;
} HandedSearch;

enum { SEARCH_DEPTH = 4 };

// A list of a UserList's, or the tensor of an array, is the program's as those
// are, and so is what any object of Python's has, as the stream of a
// csv.writer; what is handed itself is, but for attributes that are not stored
// through its __dict__, as a cached_property's are.
static void search(Object *object, void *data)
{
    HandedSearch *all = data;
    bool outer = all->belongs;
    bool instance = object->kind == KIND_INSTANCE;
    all->belongs |= instance && (content_is_host(all->vm, object) ||
                                 content_is_python(all->vm, object));
    all->found |= (object == all->wanted &&
                   (all->belongs || (all->depth == 0 && !instance))) ||
                  (all->host && instance &&
                   all->wanted == (Object *)content_attributes(object));
    bool inner = object->kind == KIND_LIST || object->kind == KIND_TUPLE ||
                 object->kind == KIND_DICT || object->kind == KIND_METHOD ||
                 (instance && object->type->flags & TYPE_LIBRARY);
    if (inner && !all->found && all->depth < SEARCH_DEPTH) {
        all->depth++;
        object->type->slots.visit(object, search, all);
        all->depth--;
    }
    all->belongs = outer;
}

static void compare(Object *object, void *data)
{
    HandedSearch *all = data;
    all->found |= object == all->wanted;
}

// What a module of Python's or NumPy's shows, and objects that such a one has
// as an attribute: warnings.filters, logging.root and its manager.
static void search_shown(const Frame *called, HandedSearch *all)
{
    uint32_t at = 0;
    Value name, v;
    while (all->host && !all->found &&
           dict_next(called->globals, &at, &name, &v)) {
        if (!value_is_object(v) || !value_is_str(name) ||
            value_as_str(name)->text[0] == '_') {
            continue;
        }
        Object *object = value_object(v);
        compare(object, all);
        if (object->kind == KIND_INSTANCE &&
            all->wanted->kind == KIND_INSTANCE) {
            object->type->slots.visit(object, compare, all);
        }
    }
}

// Whether the library changes what is its own. What the program has handed to
// it, as the deque that insert() changes, is the program's, and what a module
// shows is, as the filters of warnings are; but attributes that
// the library sets are so only of Python's and NumPy's containers and streams.
bool ledger_is_bookkeeping(Vm *vm, const Object *container)
{
    const Frame *called = NULL; // by the program
    for (const Frame *frame = vm->frame;
         frame != NULL && frame > vm->frames && frame->code->source->library;
         frame--) {
        called = frame;
    }
    if (called == NULL) {
        return trace_in_library(vm);
    }
    HandedSearch handed = {.vm = vm,
                           .wanted = container,
                           .host = content_host_source(called->code->source)};
    search_shown(called, &handed);
    for (uint32_t i = 0; i < called->code->parameter_count; i++) {
        Value v = called->registers[i];
        if (value_is_kind(v, KIND_CELL)) {
            v = ((const Cell *)value_object(v))->value;
        }
        if (value_is_object(v)) {
            search(value_object(v), &handed);
        }
    }
    return !handed.found;
}

// A module that is imported is no effect: nobody can tell a second time.
static bool is_import(const Vm *vm, const Object *container, Value value)
{
    return container == &vm->modules->head && value_is_kind(value, KIND_MODULE);
}

// A container made in this trace goes with it; storing there is the trace's own
// affair. Bytes are none: a random generator's state, whose draws are told.
bool ledger_store(Vm *vm, Object *container, Value value)
{
    if (container->kind == KIND_BYTES ||
        era_has(vm, vm->trace->era, container)) {
        return true;
    }
    leak_store(vm, container, value);
    return (ledger_is_bookkeeping(vm, container) ||
            is_import(vm, container, value) ||
            add_effect(vm, goes_on(container) ? EFFECT_DRAW : EFFECT_CHANGE,
                       container_word(vm, container), value)) &&
           !vm_has_error(vm);
}

// --- For people ---

// What was stored first, and how often something was. UNBOUND: nothing.
static Value value_cell(Vm *vm, const Event *event)
{
    if (event->count == 1) {
        return value_retain(event->value);
    }
    Str *text =
        value_is_str(event->value)
            ? str_printf(vm, "%s (%u times)", value_as_str(event->value)->text,
                         (unsigned)event->count)
            : str_printf(vm, "%u times", (unsigned)event->count);
    return text != NULL ? str_value(text) : VALUE_FAIL;
}

static Value line_cell(Vm *vm, const Event *event)
{
    size_t length;
    const char *start = event_text(event, &length);
    Str *text = start != NULL ? str_new(vm, start, length) : NULL;
    return text != NULL    ? str_value(text)
           : start == NULL ? VALUE_NONE
                           : VALUE_FAIL;
}

static Value word_cell(Vm *vm, const Event *event)
{
    const char *word = event->path != NULL ? event->path->text : event->what;
    Str *text = str_from(vm, word);
    return text != NULL ? str_value(text) : VALUE_FAIL;
}

// "D101"; None: staged and eager runs do not differ by it.
static Value code_cell(Vm *vm, const Event *event)
{
    int code = event_code(event->kind);
    Str *text = code != 0 ? str_printf(vm, "D%d", code) : NULL;
    return text != NULL ? str_value(text) : code == 0 ? VALUE_NONE : VALUE_FAIL;
}

typedef bool (*AddRow)(Vm *vm, const Event *event, List *list);

// VALUE_FAIL in a row is let through to here.
static bool add_row(Vm *vm, Value *row, size_t count, List *list)
{
    Value tuple = tuple_of_owned(vm, row, count);
    return !value_failed(tuple) && list_append_owned(vm, list, tuple);
}

// (trace, line, what, value, text of the line)
static bool add_effect_row(Vm *vm, const Event *event, List *list)
{
    if (!event_is_effect(event)) {
        return true;
    }
    Value row[5] = {value_from_small(event->trace),
                    value_from_small(event->line), word_cell(vm, event),
                    value_cell(vm, event), line_cell(vm, event)};
    return add_row(vm, row, 5, list);
}

// (trace, line, code, what, times, text of the line)
static bool add_event_row(Vm *vm, const Event *event, List *list)
{
    if (event->count == 0) {
        return true;
    }
    Value row[6] = {
        value_from_small(event->trace), value_from_small(event->line),
        code_cell(vm, event),           word_cell(vm, event),
        value_from_small(event->count), line_cell(vm, event)};
    return add_row(vm, row, 6, list);
}

static bool add_rows(Vm *vm, const EventLog *log, AddRow add, List *list)
{
    bool ok = true;
    for (size_t i = 0; ok && i < log->events.count; i++) {
        ok = add(vm, &log->events.items[i], list);
    }
    return ok;
}

// Of all traces, oldest first, behind those of dropped ones.
static Value rows(Vm *vm, Value function, const char *who, AddRow add)
{
    const StagedFunction *staged = staged_from(vm, function, who);
    List *list = staged != NULL ? list_new(vm, 0) : NULL;
    if (list == NULL) {
        return VALUE_FAIL;
    }
    bool ok = add_rows(vm, &staged->table.past, add, list);
    size_t at = 0;
    for (const Concrete *c;
         ok && (c = traces_next(&staged->table, &at)) != NULL;) {
        ok = add_rows(vm, &c->owner->events, add, list);
    }
    if (!ok) {
        object_release(&vm->ctx, list);
    }
    return ok ? value_from_object(list) : VALUE_FAIL;
}

Value ledger_effects_method(Vm *vm, Value *args)
{
    return rows(vm, args[1], "effects", add_effect_row);
}

Value ledger_events_method(Vm *vm, Value *args)
{
    return rows(vm, args[1], "events", add_event_row);
}
