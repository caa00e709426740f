// What a trace did that its graph does not, or does otherwise than eager code:
// one stream of typed events, of which stage.effects, remarks, LeakError and
// comparisons of eager with staged runs (repl/worlds.h) are readers.
//
// Each trace has a log. It hangs off what the trace's symbolic tensors hold a
// count on (TraceOwner), so that it lives as long as any of them, and its
// Concrete. Recording never fails: what finds no memory is lost, and the log
// says that it is not whole.
#ifndef DUET_STAGER_EVENTS_H
#define DUET_STAGER_EVENTS_H

#include "base/map.h"
#include "interp/core/memory.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/text/obj_str.h"

typedef enum EventKind {
#define EVENT(name, code, effect, quiet) EVENT_##name,
#include "stager/event_list.h"
#undef EVENT
} EventKind;

// All that happened in one way at one line of the program.
typedef struct Event {
    EventKind kind;
    uint32_t line;     // of the innermost frame of the program; 0: unknown
    Source *source;    // whose line; counted; NULL: unknown
    uint32_t trace;    // the number of the function's trace, from 1
    uint32_t count;    // how often; 0: in a turn that was traced again
    EffectKind effect; // of those of host code
    const char *what;  // a literal that says more: "list", "print"; may be ""
    Str *path;   // the place, or the cause, in the program's words; counted;
                 // NULL: none
    Value value; // the first time, owned: a text for people; of a leak the
                 // number of the tensor; NONE: nothing
} Event;

enum { EVENTS_KEPT = 1000 }; // places; leaks are always kept

// Freed with its owner.
typedef struct EventLog {
    VEC(Event) events;                 // in order of the first time
    Map places;                        // an event's number by kind and place
    uint32_t trace;                    // the number of the trace, from 1
    bool cut;                          // there were more than are kept
    bool computed;                     // EVENT_OP was told
    const struct EventListener *heard; // who was told of them; NULL: nobody
} EventLog;

// Who is told of each event at once: a process that is ended has told what it
// came to.
typedef struct EventListener {
    // An outermost call begins, eager or not; the line of the program's that
    // makes it, `source` NULL: unknown. All borrowed.
    void (*called)(Vm *vm, const Str *function, const Source *source,
                   uint32_t line, void *data);
    // `function` NULL: no trace is under way.
    void (*event)(Vm *vm, const Event *event, const Str *function, void *data);
    // The call has raised the pending error.
    void (*raised)(Vm *vm, void *data);
    void *data;
    uint32_t depth; // calls under way, one within the other
} EventListener;

void events_init(Vm *vm, EventLog *log, size_t trace);
void events_free(Vm *vm, EventLog *log);
// The trace is dropped, or failed: what it did goes to what its function did
// before, one of each place.
void events_keep(Vm *vm, EventLog *past, const EventLog *from);
// How many there are; of NULL none.
size_t events_count(const EventLog *log);
// The effects that were recorded from the first `from` on are forgotten: they
// are done again. What else was told stays: some of it is told once a trace.
void events_again(EventLog *log, size_t from);
// The trace calls another: where numbers of the host became tensors in that,
// its own results differ, too.
void events_call(Vm *vm, EventLog *log, const EventLog *callee);
// The trace is used. Who listens since it was made hears now what it did: that
// does not happen again.
void events_tell_again(Vm *vm, EventLog *log, const Str *function);

// Records an event of the line that the program is at; takes the value.
// `log` NULL: nobody wants it.
void event_add(Vm *vm, EventLog *log, EventKind kind, const char *what,
               Value value);
// The same of the line in `event`, of which path and value are taken.
void event_add_at(Vm *vm, EventLog *log, Event event);
// A number of the host, with a fraction or none, became a tensor.
void event_number(Vm *vm, EventLog *log, bool fraction);
// A call gave what is no tensor, an array say, and the trace has one for it.
void event_given(Vm *vm, EventLog *log, const char *argument);
// An operation on what is a float of the host's eagerly: from the first one on
// results may have other bits.
void event_operation(Vm *vm, EventLog *log);
// A number or text of the host became a tensor; all else is not recorded.
void event_tensor(Vm *vm, Value v);

// 101 to 112; 0: staged and eager runs do not differ by it.
int event_code(EventKind kind);
bool event_is_effect(const Event *event);
bool event_is_quiet(const Event *event);
size_t events_count_effects(const EventLog *log);
// The line's text without indentation; *length in bytes. NULL: unknown.
const char *event_text(const Event *event, size_t *length);

#endif
