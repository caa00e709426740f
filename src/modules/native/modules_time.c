// time: clocks and waiting.
//
// Invariant: clocks are read in integer nanoseconds and divided last, so that
// a float is the nearest one.
#include <errno.h>
#include <math.h>
#include <time.h>

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/importing/module.h"

enum { NS_PER_S = 1000000000, FIELD_COUNT = 9, YEAR_0 = 1900 };

// 64 bits of nanoseconds reach to the year 2262.
// Clocks that the system has cannot fail to be read.
static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

// Two functions a clock: seconds as a float, and nanoseconds as an int. In a
// trace a clock's value would be frozen, hence the note.
#define CLOCK_BODY(name, clock)                                                \
    static Value time_##name(Vm *vm, Value *args)                              \
    {                                                                          \
        (void)args;                                                            \
        return note_effect(vm, EFFECT_DRAW, "time", VALUE_UNBOUND)             \
                   ? float_new(vm, (double)clock_ns(clock) / NS_PER_S)         \
                   : VALUE_FAIL;                                               \
    }                                                                          \
    static Value time_##name##_ns(Vm *vm, Value *args)                         \
    {                                                                          \
        (void)args;                                                            \
        return note_effect(vm, EFFECT_DRAW, "time", VALUE_UNBOUND)             \
                   ? int_from_i64(vm, clock_ns(clock))                         \
                   : VALUE_FAIL;                                               \
    }
CLOCK_BODY(time, CLOCK_REALTIME)
CLOCK_BODY(monotonic, CLOCK_MONOTONIC)
CLOCK_BODY(process_time, CLOCK_PROCESS_CPUTIME_ID)
CLOCK_BODY(thread_time, CLOCK_THREAD_CPUTIME_ID)

#define TIME_BODY(name) static Value time_##name(Vm *vm, Value *args)

// Until the moment itself, so that signals do not make it longer.
TIME_BODY(sleep)
{
    double seconds;
    // What is no float is taken for a whole number.
    if (!value_is_float(args[0]) && !value_is_index(vm, args[0])) {
        return raise_error(vm, ERR_TYPE,
                           "'%s' object cannot be interpreted as an integer",
                           type_name(type_of(vm, args[0])));
    }
    if (!value_to_double(vm, args[0], &seconds)) {
        return VALUE_FAIL;
    }
    // Written so that a NaN is refused too.
    if (!(seconds >= 0)) {
        return raise_error(vm, ERR_VALUE, "sleep length must be non-negative");
    }
    if (seconds > (double)INT64_MAX / NS_PER_S / 2) {
        return raise_error(vm, ERR_OVERFLOW,
                           "timestamp too large to convert to C _PyTime_t");
    }
    if (!note_effect(vm, EFFECT_CHANGE, "sleep", VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    // Rounded up: sleep never returns early.
    // The bound above keeps the sum within 64 bits.
    int64_t until =
        clock_ns(CLOCK_MONOTONIC) + (int64_t)ceil(seconds * NS_PER_S);
    struct timespec moment = {.tv_sec = until / NS_PER_S,
                              .tv_nsec = until % NS_PER_S};
    // PEP 475: a signal whose handler raises nothing does not end the wait.
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) ==
           EINTR) {
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
    return value_done(ctx_poll(&vm->ctx));
}

// Now, if no number was given. Fractions are rounded down, before 1970 too; the
// bound keeps the cast defined.
// False: an error is pending.
static bool get_seconds(Vm *vm, Value v, time_t *seconds)
{
    double number;
    if (value_unbound(v) || value_is_none(v)) {
        *seconds = time(NULL);
        return note_effect(vm, EFFECT_DRAW, "time", VALUE_UNBOUND);
    }
    if (!value_to_double(vm, v, &number)) {
        return false;
    }
    if (!(fabs(number) < 0x1p55)) {
        return raise_false(vm, ERR_OVERFLOW,
                           "timestamp out of range for platform time_t");
    }
    // floor, not the cast's truncation, for moments before 1970.
    *seconds = (time_t)floor(number);
    return true;
}

// (year, month, day, hour, minute, second, weekday, day of year, isdst, name
// of the zone, its offset in seconds)
// lib/time makes a struct_time of it.
static Value make_fields(Vm *vm, const struct tm *tm)
{
    const int fields[FIELD_COUNT] = {
        tm->tm_year + YEAR_0, tm->tm_mon + 1, tm->tm_mday, tm->tm_hour,
        tm->tm_min, tm->tm_sec,
        // C counts days of the week from Sunday, Python from Monday.
        (tm->tm_wday + 6) % 7, tm->tm_yday + 1, tm->tm_isdst};
    // Small ints need no release if the tuple cannot be made.
    Str *zone = str_from(vm, tm->tm_zone);
    Tuple *tuple = zone == NULL ? NULL : tuple_new(vm, FIELD_COUNT + 2);
    if (tuple == NULL) {
        object_release_null(&vm->ctx, zone);
        return VALUE_FAIL;
    }
    for (int i = 0; i < FIELD_COUNT; i++) {
        tuple->items[i] = value_from_small(fields[i]);
    }
    tuple->items[FIELD_COUNT] = str_value(zone);
    tuple->items[FIELD_COUNT + 1] = value_from_small(tm->tm_gmtoff);
    return value_from_object(tuple);
}

TIME_BODY(localtime)
{
    time_t seconds;
    struct tm tm;
    if (!get_seconds(vm, args[0], &seconds)) {
        return VALUE_FAIL;
    }
    return localtime_r(&seconds, &tm) == NULL ? raise_errno(vm, errno, NULL)
                                              : make_fields(vm, &tm);
}

TIME_BODY(gmtime)
{
    time_t seconds;
    struct tm tm;
    if (!get_seconds(vm, args[0], &seconds)) {
        return VALUE_FAIL;
    }
    return gmtime_r(&seconds, &tm) == NULL ? raise_errno(vm, errno, NULL)
                                           : make_fields(vm, &tm);
}

// The inverse of make_fields. A plain tuple will do: struct_time is one here.
// False: an error is pending.
static bool get_fields(Vm *vm, Value v, struct tm *tm)
{
    int64_t fields[FIELD_COUNT];
    if (!value_is_kind(v, KIND_TUPLE) ||
        value_as_tuple(v)->count != FIELD_COUNT) {
        return raise_false(vm, ERR_TYPE,
                           "Tuple or struct_time argument required");
    }
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (!value_to_index(vm, value_as_tuple(v)->items[i], &fields[i])) {
            return false;
        }
        // The fields of a struct tm are ints.
        if (fields[i] > INT32_MAX || fields[i] < -INT32_MAX) {
            return raise_false(vm, ERR_OVERFLOW,
                               "mktime argument out of "
                               "range");
        }
    }
    // Python counts months and days of the year from 1, and weeks from Monday.
    *tm = (struct tm){.tm_year = (int)fields[0] - YEAR_0,
                      .tm_mon = (int)fields[1] - 1,
                      .tm_mday = (int)fields[2],
                      .tm_hour = (int)fields[3],
                      .tm_min = (int)fields[4],
                      .tm_sec = (int)fields[5],
                      .tm_wday = (int)((fields[6] + 1) % 7),
                      .tm_yday = (int)fields[7] - 1,
                      .tm_isdst = (int)fields[8]};
    return true;
}

// mktime puts fields beyond their range right (the 32nd of a month) and ignores
// those for the weekday and the day of the year.
TIME_BODY(mktime)
{
    struct tm tm;
    if (!get_fields(vm, args[0], &tm)) {
        return VALUE_FAIL;
    }
    return float_new(vm, (double)mktime(&tm));
}

// perf_counter is monotonic's clock.
static const NativeDef functions[] = {
    {"time", "", time_time, "Seconds since 1970."},
    {"time_ns", "", time_time_ns, "Nanoseconds since 1970."},
    {"monotonic", "", time_monotonic, "Seconds of a clock never set back."},
    {"monotonic_ns", "", time_monotonic_ns, "The same in nanoseconds."},
    {"perf_counter", "", time_monotonic, "Seconds, for measuring."},
    {"perf_counter_ns", "", time_monotonic_ns, "Nanoseconds, for measuring."},
    {"process_time", "", time_process_time, "Processor seconds used."},
    {"process_time_ns", "", time_process_time_ns, "In nanoseconds."},
    {"thread_time", "", time_thread_time, "Processor seconds of the thread."},
    {"thread_time_ns", "", time_thread_time_ns, "In nanoseconds."},
    {"sleep", "seconds, /", time_sleep, "Wait."},
    {"localtime", "seconds=None, /", time_localtime,
     "The nine fields of a moment, local time."},
    {"gmtime", "seconds=None, /", time_gmtime,
     "The nine fields of a moment, UTC."},
    {"mktime", "fields, /", time_mktime, "Seconds since 1970 of local time."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef time_module = {
    .name = "time", .doc = "Clocks and waiting.", .functions = functions};
