// The log of a trace: what is one row, what is kept, who is told.
#include <criterion/criterion.h>

#include <stdio.h>

#include "stager/events.h"

#include "program.h"

TestSuite(events, .init = program_open, .fini = program_close);

static Event event_of(EventKind kind, uint32_t line, const char *what)
{
    return (Event){
        .kind = kind, .line = line, .what = what, .value = VALUE_NONE};
}

static EventLog log_of(size_t trace)
{
    EventLog log;
    events_init(vm, &log, trace);
    return log;
}

Test(events, one_place_is_one_row)
{
    EventLog log = log_of(3);
    for (int i = 0; i < 5; i++) {
        Event event = event_of(EVENT_EFFECT, 7, "list");
        event.value = value_from_small(i);
        event_add_at(vm, &log, event);
    }
    event_add_at(vm, &log, event_of(EVENT_EFFECT, 8, "list"));
    event_add_at(vm, &log, event_of(EVENT_SIDE, 7, "list"));
    cr_assert_eq(log.events.count, 3);
    cr_expect_eq(log.events.items[0].count, 5);
    cr_expect_eq(log.events.items[0].trace, 3);
    cr_expect_eq(value_small(log.events.items[0].value), 0);
    cr_expect_eq(log.events.items[1].line, 8);
    cr_expect_eq(log.events.items[2].kind, EVENT_SIDE);
    cr_expect_eq(events_count_effects(&log), 3);
    events_free(vm, &log);
}

Test(events, paths_are_places)
{
    EventLog log = log_of(1);
    const char *const paths[] = {"a", "b", "a"};
    for (int i = 0; i < 3; i++) {
        Event event = event_of(EVENT_FROZEN, 7, "");
        event.path = str_from(vm, paths[i]);
        event_add_at(vm, &log, event);
    }
    cr_assert_eq(log.events.count, 2);
    cr_expect_eq(log.events.items[0].count, 2);
    cr_expect_eq(events_count_effects(&log), 0);
    events_free(vm, &log);
}

// A leak is told by its tensor, whenever that is used.
Test(events, rows_are_bounded_but_for_leaks)
{
    EventLog log = log_of(1);
    for (uint32_t i = 0; i < EVENTS_KEPT + 10; i++) {
        event_add_at(vm, &log, event_of(EVENT_EFFECT, i + 1, "list"));
    }
    cr_expect_eq(log.events.count, EVENTS_KEPT);
    cr_expect(log.cut);
    for (uint32_t i = 0; i < 20; i++) {
        Event leak = event_of(EVENT_LEAK, 1, "");
        leak.value = value_from_small(i);
        event_add_at(vm, &log, leak);
    }
    cr_expect_eq(log.events.count, EVENTS_KEPT + 20);
    events_free(vm, &log);
}

Test(events, what_a_dropped_trace_did_is_kept)
{
    EventLog past = log_of(0), log = log_of(4);
    event_add_at(vm, &log, event_of(EVENT_EFFECT, 1, "list"));
    event_add_at(vm, &log, event_of(EVENT_LEAK, 2, ""));
    event_add_at(vm, &log, event_of(EVENT_HANDLER, 3, ""));
    events_keep(vm, &past, &log);
    events_keep(vm, &past, &log);
    events_free(vm, &log);
    cr_assert_eq(past.events.count, 2);
    cr_expect_eq(past.events.items[0].count, 2);
    cr_expect_eq(past.events.items[0].trace, 4);
    cr_expect_eq(past.events.items[1].kind, EVENT_HANDLER);
    events_free(vm, &past);
}

static void hear(Vm *own, const Event *event, const Str *function, void *data)
{
    (void)own;
    cr_expect_null(function);
    *(int *)data = *(int *)data * 1000 + event_code(event->kind);
}

// Also of what nobody records; not of what is no difference.
Test(events, a_listener_is_told_at_once)
{
    int heard = 0;
    EventListener listener = {.event = hear, .data = &heard};
    stager_of(vm)->listener = &listener;
    event_add_at(vm, NULL, event_of(EVENT_SIZE, 1, ""));
    event_add_at(vm, NULL, event_of(EVENT_STORE, 1, ""));
    event_add_at(vm, NULL, event_of(EVENT_DRAW, 1, "next"));
    stager_of(vm)->listener = NULL;
    cr_expect_eq(heard, 112106);
}

Test(events, of_a_trace_hang_off_its_concrete)
{
    program_run("kept = []\n"
                "@stage\n"
                "def f(x):\n"
                "    kept.append(x)\n"
                "    return 1\n"
                "f(tensor(1))\n");
    const StagedFunction *f = program_staged("f");
    const EventLog *log = &f->table.newest->owner->events;
    cr_assert_eq(log->events.count, 2);
    cr_expect_eq(log->events.items[0].kind, EVENT_LEAK);
    cr_expect_eq(log->events.items[0].line, 4);
    cr_expect_eq(log->events.items[1].kind, EVENT_STORE);
    size_t length;
    const char *text = event_text(&log->events.items[1], &length);
    cr_expect_eq(strncmp(text, "kept.append(x)", length), 0);
    // The tensor keeps them when function and trace are gone.
    program_run("del f\n");
    cr_expect_not_null(strstr(program_error("kept[0] + 1"),
                              "stored at line 4 (kept.append(x))"));
}
