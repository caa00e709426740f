// Remarks on traces.
//
// Invariant: what is told changes nothing. At a prompt a remark is keyed by
// its function and its cause, and the key is kept for the life of the Vm: the
// same cause is told once, a retrace at its 1st, 2nd, 5th, 10th, 50th time and
// so on, however often it comes back.
#include "stager/tell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interp/core/raise.h"
#include "interp/hooks/program.h"
#include "stager/events.h"

enum {
    TELL_LOOP_NODES = 200, // a loop that made fewer is no news
    TELL_KEY_SIZE = 96     // room for a key without texts of the program
};

bool tell_is_heard(Vm *vm)
{
    return stager_of(vm)->log || stager_of(vm)->notes;
}

// Standard output goes first, so that the remark stands behind what the
// program printed before it.
// Always true, so that it can end a chain of steps that may fail.
static bool say(Vm *vm, const char *text)
{
    if (stager_of(vm)->notes && vm->program != NULL) {
        vm->program->note(vm, text);
    } else {
        fprintf(stderr, "stage: %s\n", text);
    }
    return true;
}

// How often this cause has come, this time included. Under --trace each time
// is the first; one that cannot be kept for want of memory is told again.
static uint64_t times(Vm *vm, const char *key, size_t length)
{
    Stager *stager = stager_of(vm);
    uint64_t *known =
        stager->notes ? map_get(&stager->told, key, length) : NULL;
    if (known != NULL) {
        return ++*known;
    }
    if (stager->notes && !map_put(&stager->told, key, length, 1)) {
        raise_clear(vm);
    }
    return 1;
}

static bool is_new(Vm *vm, const char *key, size_t length)
{
    return times(vm, key, length) == 1;
}

// 1, 2, 5, 10, 50, 100, 500, 1,000 and so on.
static bool is_milestone(uint64_t count)
{
    bool second = count == 2;
    while (count > 0 && count % 10 == 0) {
        count /= 10;
    }
    return count == 1 || second || count == 5;
}

// Says the buffer's text, which is freed, if its cause is new.
// False: an error is pending, that of memory.
static bool say_new(Vm *vm, const char *key, size_t length, StrBuf *text)
{
    bool ok = strbuf_ok(text);
    if (ok && is_new(vm, key, length)) {
        ok = say(vm, strbuf_text(text));
    }
    strbuf_free(text);
    return ok;
}

// --- why it was traced ---

// The first trace of a function is told under --trace only: at a prompt
// everybody expects it.
// False: an error is pending.
static bool tell_reason(Vm *vm, const StagedFunction *self,
                        const Concrete *made)
{
    const Why *why = &self->why;
    bool expected =
        (why->old == NULL && why->frozen == NULL) || why_is_command(why);
    if (expected && stager_of(vm)->notes) {
        return true;
    }
    StrBuf text, key;
    strbuf_init(&text, &vm->ctx);
    strbuf_init(&key, &vm->ctx);
    strbuf_printf(&text, "%s: trace %zu, ", self->name->text, made->number);
    strbuf_printf(&key, "why %p ", (const void *)self);
    bool ok = why_print(vm, self, &text, &key) && strbuf_ok(&key);
    uint64_t count = ok ? times(vm, strbuf_text(&key), key.length) : 0;
    if (count > 1) {
        strbuf_printf(&text, " (%" PRIu64 " times so far)", count);
    }
    ok = ok && strbuf_ok(&text) &&
         (!is_milestone(count) || say(vm, strbuf_text(&text)));
    strbuf_free(&text);
    strbuf_free(&key);
    return ok;
}

// --- effects ---

// Whether the line has stored a symbolic tensor.
static bool is_leak(const EventLog *log, const Event *effect)
{
    bool found = false;
    for (size_t i = 0; i < log->events.count && !found; i++) {
        const Event *event = &log->events.items[i];
        found = event->kind == EVENT_LEAK && event->line == effect->line &&
                event->source == effect->source;
    }
    return found;
}

// One remark a trace: the first effect that was not told before, and how many
// others there are.
// False: an error is pending.
static bool tell_effects(Vm *vm, const StagedFunction *self,
                         const Concrete *made)
{
    const EventLog *log = &made->owner->events;
    // The first effect that was not told yet is named, the others are counted.
    const Event *first = NULL;
    size_t more = 0;
    for (size_t i = 0; i < log->events.count; i++) {
        const Event *event = &log->events.items[i];
        char key[TELL_KEY_SIZE];
        // By function, line and kind: a trace that is made again does not tell
        // the same again.
        int length = snprintf(key, sizeof key, "effect %p %u %s",
                              (const void *)self, event->line, event->what);
        if (event_is_effect(event) && is_new(vm, key, (size_t)length)) {
            more += first != NULL;
            first = first != NULL ? first : event;
        }
    }
    if (first == NULL) {
        return true;
    }
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    strbuf_printf(&text,
                  "%s: line %u changed something outside while tracing (%s); "
                  "calls that reuse the trace will not",
                  self->name->text, first->line, first->what);
    // What people do most has a hint of its own.
    if (is_leak(log, first)) {
        text.length = 0;
        strbuf_printf(&text,
                      "%s: line %u stored a symbolic tensor outside (%s), "
                      "which never has a value: return it, or keep it in a "
                      "Variable",
                      self->name->text, first->line, first->what);
    } else if (first->effect == EFFECT_PRINT) {
        text.length = 0;
        strbuf_printf(&text,
                      "%s: line %u printed while tracing; calls that reuse "
                      "the trace will not (stage.print does)",
                      self->name->text, first->line);
    }
    if (more > 0) {
        bool prompt = stager_of(vm)->notes;
        strbuf_printf(&text,
                      prompt ? "; and %zu more: %%effects %s"
                             : "; and %zu more, see stage.effects(%s)",
                      more, self->name->text);
    }
    bool ok = strbuf_ok(&text) && say(vm, strbuf_text(&text));
    strbuf_free(&text);
    return ok;
}

// --- unrolled loops ---

// False: an error is pending.
static bool tell_loop(Vm *vm, const StagedFunction *self, const Event *event)
{
    char key[TELL_KEY_SIZE];
    int length = snprintf(key, sizeof key, "loop %p %p %u", (const void *)self,
                          (const void *)event->source, event->line);
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    strbuf_printf(&text,
                  "%s: loop at line %u unrolled %u times: %lld nodes; a loop "
                  "over a tensor, or range(tensor(n)), stays a loop",
                  self->name->text, event->line, event->count,
                  (long long)value_small(event->value));
    return say_new(vm, key, (size_t)length, &text);
}

static bool tell_loops(Vm *vm, const StagedFunction *self, const Concrete *made)
{
    const EventLog *log = &made->owner->events;
    bool ok = true;
    for (size_t i = 0; ok && i < log->events.count; i++) {
        const Event *event = &log->events.items[i];
        ok = event->kind != EVENT_UNROLL ||
             value_small(event->value) < TELL_LOOP_NODES ||
             tell_loop(vm, self, event);
    }
    return ok;
}

// What stage.why says behind the place, which is told apart. NULL: failed.
static Str *reason_text(Vm *vm, const StagedFunction *self)
{
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    if (why_reason(vm, self, &text, NULL)) {
        return str_from_buf(vm, &text);
    }
    strbuf_free(&text);
    return NULL;
}

// The reason is for who listens: to find it takes longer than to record it.
static bool record_retrace(Vm *vm, const StagedFunction *self,
                           const Concrete *made)
{
    const Why *why = &self->why;
    if (why->old == NULL && why->frozen == NULL) {
        return true;
    }
    bool heard = stager_of(vm)->listener != NULL;
    Str *reason = heard ? reason_text(vm, self) : NULL;
    if (heard && reason == NULL) {
        return false;
    }
    event_add_at(vm, &made->owner->events,
                 (Event){.kind = EVENT_RETRACE,
                         .line = why->line,
                         .source = why->source,
                         .path = reason,
                         .value = VALUE_NONE});
    return true;
}

// The cause first, then what came of it.
bool tell_traced(Vm *vm, const StagedFunction *self, const Concrete *made)
{
    return record_retrace(vm, self, made) &&
           (!tell_is_heard(vm) ||
            (tell_reason(vm, self, made) && tell_effects(vm, self, made) &&
             tell_loops(vm, self, made)));
}

// Keyed by the place, not by its value: a counter that changes before each call
// is told once.
// `place` is how the program writes what was read. False: an error is pending.
bool tell_frozen(Vm *vm, const StagedFunction *self, const Concrete *found,
                 const FrozenRead *read, const Str *place, const Str *change)
{
    if (!tell_is_heard(vm)) {
        return true;
    }
    char key[TELL_KEY_SIZE];
    int length = snprintf(
        key, sizeof key, "frozen %p %p %" PRIx64, (const void *)self,
        (const void *)found->frozen.reads.items[read->root].place->container,
        VALUE_BITS(found->frozen.reads.items[read->root].place->key));
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    strbuf_printf(&text,
                  "%s: %s has changed (%s); trace %zu keeps what it read at "
                  "line %u",
                  self->name->text, place->text, change->text, found->number,
                  read->line);
    if (stager_of(vm)->notes) {
        strbuf_puts(&text, " (pass it as an argument, or stage with "
                           "frozen='retrace')");
    }
    return say_new(vm, key, (size_t)length, &text);
}

void tell_unrolling(Vm *vm, const Str *name, uint32_t line, uint32_t turns)
{
    char text[200], number[16];
    snprintf(number, sizeof number, turns < 1000000 ? "%u,%03u" : "%u,%03u,000",
             (unsigned)(turns / (turns < 1000000 ? 1000 : 1000000)),
             (unsigned)(turns < 1000000 ? turns % 1000 : turns / 1000 % 1000));
    snprintf(text, sizeof text,
             "%.80s: loop at line %u unrolled: %s turns so far", name->text,
             (unsigned)line, number);
    (void)say(vm, text);
}

// A trace that is dropped is news whatever was dropped before. It cannot fail:
// the table must go on.
void tell_dropped(Vm *vm, const Concrete *concrete, size_t limit)
{
    char text[200];
    snprintf(text, sizeof text,
             "trace %zu of %.80s dropped (max_traces %zu); if it is called "
             "again, its effects are repeated",
             concrete->number, concrete->name->text, limit);
    if (tell_is_heard(vm)) {
        (void)say(vm, text);
    }
}
