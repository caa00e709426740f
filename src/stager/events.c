// The log of a trace.
//
// Invariant: what is recorded changes nothing, and no error is pending because
// of it.
#include "stager/events.h"

#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/numbers/obj_float.h"
#include "stager/advice.h"
#include "stager/concrete.h"
#include "stager/merge.h"
#include "stager/trace.h"

// What one row stands for.
typedef struct EventPlace {
    const void *source, *what;
    uint64_t detail; // the tensor of a leak, else the path
    uint32_t line, kind;
} EventPlace;

enum { CODE_NUMBERS = 108 };

static const struct {
    uint16_t code;
    bool effect, quiet;
} kinds[] = {
#define EVENT(name, code, effect, quiet) {code, effect, quiet},
#include "stager/event_list.h"
#undef EVENT
};

int event_code(EventKind kind)
{
    return kinds[kind].code;
}

bool event_is_effect(const Event *event)
{
    return kinds[event->kind].effect && event->count > 0;
}

bool event_is_quiet(const Event *event)
{
    return kinds[event->kind].quiet;
}

size_t events_count_effects(const EventLog *log)
{
    size_t count = 0;
    for (size_t i = 0; i < log->events.count; i++) {
        count += event_is_effect(&log->events.items[i]);
    }
    return count;
}

// --- the log ---

void events_init(Vm *vm, EventLog *log, size_t trace)
{
    *log =
        (EventLog){.trace = (uint32_t)trace, .heard = stager_of(vm)->listener};
    map_init(&log->places, &vm->ctx);
}

static void drop(Vm *vm, const Event *event)
{
    source_release(&vm->ctx, event->source);
    object_release_null(&vm->ctx, event->path);
    release(vm, event->value);
}

void events_free(Vm *vm, EventLog *log)
{
    for (size_t i = 0; i < log->events.count; i++) {
        drop(vm, &log->events.items[i]);
    }
    vec_free(&vm->ctx, &log->events);
    map_free(&log->places);
}

static EventPlace place_of(const Event *event)
{
    const Str *path = event->path;
    return (EventPlace){.source = event->source,
                        .what = event->what,
                        .detail =
                            event->kind == EVENT_LEAK ? VALUE_BITS(event->value)
                            : path != NULL ? map_hash(path->text, path->length)
                                           : 0,
                        .line = event->line,
                        .kind = event->kind};
}

// The event of this place, NULL: there is none.
static Event *find(const EventLog *log, const EventPlace *place)
{
    if (log->places.count > 0) {
        const uint64_t *at =
            map_get(&log->places, (const char *)place, sizeof *place);
        return at != NULL ? &log->events.items[*at] : NULL;
    }
    for (size_t i = 0; i < log->events.count; i++) {
        EventPlace other = place_of(&log->events.items[i]);
        if (memcmp(&other, place, sizeof other) == 0) {
            return &log->events.items[i];
        }
    }
    return NULL;
}

// Most traces have few events, which need no table.
static bool add_place(EventLog *log, const Event *event)
{
    enum { FEW = 8 };
    size_t count = log->events.count;
    bool ok = true;
    for (size_t i = 0; ok && count == FEW && i < FEW; i++) {
        EventPlace place = place_of(&log->events.items[i]);
        ok = map_put(&log->places, (const char *)&place, sizeof place, i);
    }
    EventPlace place = place_of(event);
    return ok && (count < FEW || map_put(&log->places, (const char *)&place,
                                         sizeof place, count));
}

// Takes what the event holds.
static void put(Vm *vm, EventLog *log, const Event *event)
{
    EventPlace place = place_of(event);
    Event *known = find(log, &place);
    if (known != NULL) {
        known->count += event->count;
        drop(vm, event);
        return;
    }
    bool room = log->events.count < EVENTS_KEPT || event->kind == EVENT_LEAK;
    if (!room || !vec_reserve(&vm->ctx, &log->events, 1) ||
        !add_place(log, event)) {
        log->cut = true;
        drop(vm, event);
        if (room) {
            raise_clear(vm);
        }
        return;
    }
    log->events.items[log->events.count++] = *event;
}

static void put_copy(Vm *vm, EventLog *log, Event event)
{
    event.source = event.source != NULL ? source_retain(event.source) : NULL;
    event.path = event.path != NULL ? object_retain(event.path) : NULL;
    (void)value_retain(event.value);
    put(vm, log, &event);
}

void events_keep(Vm *vm, EventLog *past, const EventLog *from)
{
    for (size_t i = 0; i < from->events.count; i++) {
        // A leak is told by the tensor, which keeps the log.
        if (from->events.items[i].kind != EVENT_LEAK) {
            put_copy(vm, past, from->events.items[i]);
        }
    }
}

void events_call(Vm *vm, EventLog *log, const EventLog *callee)
{
    for (size_t i = 0; i < callee->events.count; i++) {
        Event event = callee->events.items[i];
        event.trace = log->trace;
        if (event_code(event.kind) == CODE_NUMBERS) {
            put_copy(vm, log, event);
        }
    }
}

size_t events_count(const EventLog *log)
{
    return log != NULL ? log->events.count : 0;
}

void events_again(EventLog *log, size_t from)
{
    for (size_t i = from; i < events_count(log); i++) {
        Event *event = &log->events.items[i];
        event->count = event_is_effect(event) ? 0 : event->count;
    }
}

// --- recording ---

static void tell(Vm *vm, const Event *event)
{
    EventListener *listener = stager_of(vm)->listener;
    if (listener != NULL && event_code(event->kind) != 0) {
        listener->event(vm, event,
                        vm->trace != NULL ? vm->trace->request->name : NULL,
                        listener->data);
    }
}

void events_tell_again(Vm *vm, EventLog *log, const Str *function)
{
    EventListener *listener = stager_of(vm)->listener;
    if (LIKELY(listener == NULL) || log->heard == listener) {
        return;
    }
    log->heard = listener;
    for (size_t i = 0; i < log->events.count; i++) {
        const Event *event = &log->events.items[i];
        // Which call made the trace, and what had changed, was before.
        if (event_code(event->kind) != 0 && event->kind != EVENT_RETRACE &&
            event->kind != EVENT_FROZEN) {
            listener->event(vm, event, function, listener->data);
        }
    }
}

void event_add_at(Vm *vm, EventLog *log, Event event)
{
    if (event.source != NULL) {
        (void)source_retain(event.source);
    }
    event.what = event.what != NULL ? event.what : "";
    event.count = event.count > 0 ? event.count : 1;
    tell(vm, &event);
    if (log == NULL) {
        drop(vm, &event);
        return;
    }
    event.trace = log->trace;
    put(vm, log, &event);
}

void event_add(Vm *vm, EventLog *log, EventKind kind, const char *what,
               Value value)
{
    Event event = {.kind = kind, .what = what, .value = value};
    event.line = trace_program_line(vm, &event.source);
    event_add_at(vm, log, event);
}

void event_number(Vm *vm, EventLog *log, bool fraction)
{
    event_add(vm, log, fraction ? EVENT_NUMBER : EVENT_INT,
              fraction ? "a host float" : "a host int", VALUE_NONE);
}

// Takes the words; without memory for them there is no event.
static void add_words(Vm *vm, EventLog *log, EventKind kind, Str *words)
{
    if (words == NULL) {
        raise_clear(vm);
        return;
    }
    Event event = {.kind = kind, .path = words, .value = VALUE_NONE};
    event.line = trace_program_line(vm, &event.source);
    event_add_at(vm, log, event);
}

void event_given(Vm *vm, EventLog *log, const char *argument)
{
    add_words(vm, log, EVENT_GIVEN,
              str_printf(vm, "argument '%s' became a tensor", argument));
}

void event_operation(Vm *vm, EventLog *log)
{
    if (log->computed) {
        return;
    }
    log->computed = true;
    int length;
    const char *text = advice_text(vm, &length);
    add_words(vm, log, EVENT_OP,
              str_printf(vm, "operation: %.*s", length, text));
}

void event_tensor(Vm *vm, Value v)
{
    if (merge_is_number(v)) {
        event_number(vm, vm->trace->events, value_is_float(v));
    } else if (value_is_str(v) || value_is_kind(v, KIND_BYTES)) {
        event_add(vm, vm->trace->events, EVENT_OBJECT,
                  "a text as a tensor of bytes", VALUE_NONE);
    }
}

// --- reading ---

const char *event_text(const Event *event, size_t *length)
{
    *length = 0;
    const char *start = event->source != NULL && event->line > 0
                            ? source_line(event->source, event->line, length)
                            : NULL;
    // A source that was made up has no lines: start is NULL then.
    while (*length > 0 && (*start == ' ' || *start == '\t')) {
        start++;
        --*length;
    }
    return start;
}
