// libFuzzer target: any bytes for a function of tests/fuzz/probes.duet, which
// the environment names: PROBE=regex PROBES=…/probes.duet ./fuzz_probe samples
//
// A probe hands its bytes to natives and catches the errors that these may
// raise; whatever else comes out of it is a fault of ours and ends the run.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"
#include "modules/world.h"

enum {
    TEXT_MOST = 1 << 16, // bytes of the file of probes
    SECONDS = 2          // of processor time until an input is broken off
};

// libFuzzer leaves no other place for what lasts from input to input.
static struct {
    Vm *vm;
    Dict *globals;
    Value probe;
} state;

static void give_up(const char *why)
{
    fprintf(stderr, "fuzz_probe: %s\n", why);
    abort();
}

// As Ctrl-C: what backtracks for ever must be able to stop.
static void break_off(int number)
{
    (void)number;
    ctx_interrupt(&state.vm->ctx, INTERRUPT_SIGNAL);
}

// The pending error as a traceback on standard error.
static void show_error(void)
{
    Value error = raise_take(state.vm);
    StrBuf text;
    strbuf_init(&text, &state.vm->ctx);
    if (raise_print_traceback(state.vm, error, INT64_MIN, &text)) {
        fputs(strbuf_text(&text), stderr);
    }
    give_up("the probe failed");
}

// Runs the file of probes and finds the one that is asked for.
static void open_state(void)
{
    static char text[TEXT_MOST];
    const char *path = getenv("PROBES"), *name = getenv("PROBE");
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    if (file == NULL || name == NULL) {
        give_up("PROBES names no file, or PROBE no function of it");
    }
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    state.vm = vm_new(0);
    state.globals = state.vm == NULL ? NULL : vm_main_module(state.vm, path);
    if (state.globals == NULL) {
        give_up("no memory");
    }
    Source *source = source_new(&state.vm->ctx, path, text, length);
    if (source == NULL ||
        value_failed(vm_run_source(state.vm, source, RUN_MODULE, state.globals,
                                   VALUE_UNBOUND))) {
        show_error();
    }
    Str *key = str_from(state.vm, name);
    const DictEntry *entry =
        key == NULL ? NULL : dict_find_simple(state.globals, str_value(key));
    if (entry == NULL) {
        give_up("there is no such probe");
    }
    state.probe = value_retain(entry->value);
    object_release(&state.vm->ctx, key);
    signal(SIGVTALRM, break_off);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (state.vm == NULL) {
        open_state();
    }
    Bytes *bytes = bytes_new(state.vm, (const char *)data, size);
    if (bytes == NULL) {
        give_up("no memory");
    }
    Value argument = value_from_object(bytes);
    struct itimerval timer = {.it_value = {SECONDS, 0}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
    Value result = vm_call(state.vm, state.probe, &argument, 1);
    timer.it_value.tv_sec = 0;
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
    ctx_interrupt_clear(&state.vm->ctx, INTERRUPT_SIGNAL);
    object_release(&state.vm->ctx, bytes);
    if (value_failed(result) && !raise_matches(state.vm, ERR_INTERRUPT)) {
        show_error();
    }
    if (value_failed(result)) {
        raise_clear(state.vm);
    } else {
        value_release(&state.vm->ctx, result);
    }
    return 0;
}
