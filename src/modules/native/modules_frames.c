// The native half of sys._getframe and tb_frame: what can be seen of frames
// that run. lib/python/_frame.duet makes objects of it.
//
// Invariant: a frame is named by its place on the machine's stack and its code.
// Nothing points into the stack, so that an object may outlive its frame: it
// then keeps what was seen last.
#include "interp/objects/code/code.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/iterators/obj_generator.h"
#include "modules/builtins/builtins.h"
#include "modules/importing/module.h"

static bool is_shown(const Frame *f)
{
    return f->code != NULL && f->code->source != NULL && f->pc != NULL &&
           f->code->word_count > 0 && f->pc >= f->code->words &&
           f->pc <= f->code->words + f->code->word_count;
}

static Value line_of(const Code *code, uint32_t word)
{
    Span span = code_span(code, word);
    return value_from_small(source_place(code->source, span.start).line);
}

// A place on the stack and its code, or None where there is no such frame.
static Value place(Vm *vm, const Frame *f)
{
    if (f == NULL) {
        return VALUE_NONE;
    }
    Value parts[2] = {value_from_small(f - vm->frames),
                      value_from_object(f->code)};
    return value_or_fail(tuple_from(vm, parts, 2));
}

// The next shown frame outwards, `f` included; NULL: none.
static const Frame *outwards(Vm *vm, const Frame *f)
{
    for (; f != NULL && f >= vm->frames; f--) {
        if (is_shown(f)) {
            return f;
        }
    }
    return NULL;
}

// place(depth): `depth` shown frames out from the caller's.
static Value frames_place(Vm *vm, Value *args)
{
    int64_t depth;
    if (!value_to_index(vm, args[0], &depth)) {
        return VALUE_FAIL;
    }
    const Frame *f = outwards(vm, vm->frame);
    while (f != NULL && depth-- > 0) {
        f = outwards(vm, f - 1);
    }
    return place(vm, f);
}

// look(index, code): (line, globals, locals, instruction, place outwards) of
// the frame that stands there with this code, or None: it has ended.
static Value frames_look(Vm *vm, Value *args)
{
    int64_t index;
    if (!value_to_index(vm, args[0], &index)) {
        return VALUE_FAIL;
    }
    if (vm->frame == NULL || index < 0 || index > vm->frame - vm->frames) {
        return VALUE_NONE;
    }
    const Frame *f = &vm->frames[index];
    if (!is_shown(f) || !value_same(value_from_object(f->code), args[1])) {
        return VALUE_NONE;
    }
    uint32_t word = (uint32_t)(f->pc - f->code->words);
    Value locals = builtin_frame_names(vm, f);
    Value out =
        value_failed(locals) ? VALUE_FAIL : place(vm, outwards(vm, f - 1));
    Value parts[5] = {line_of(f->code, word), value_from_object(f->globals),
                      locals, value_from_small(word), out};
    Tuple *tuple = value_failed(out) ? NULL : tuple_from(vm, parts, 5);
    release(vm, locals);
    release(vm, out);
    return value_or_fail(tuple);
}

// passed(traceback): (code, line, instruction, place) of its outermost frame;
// the place is None if that frame has ended.
static Value frames_passed(Vm *vm, Value *args)
{
    const Traceback *trace = value_is_kind(args[0], KIND_TRACEBACK)
                                 ? (Traceback *)value_object(args[0])
                                 : NULL;
    if (trace == NULL || trace->count == 0) {
        return VALUE_NONE;
    }
    const TracebackEntry *entry = &trace->entries[trace->count - 1];
    const Frame *f = vm->frame;
    while (f != NULL && f >= vm->frames && f->code != entry->code) {
        f--;
    }
    Value here = place(vm, f == NULL || f < vm->frames ? NULL : f);
    Value parts[4] = {value_from_object(entry->code),
                      line_of(entry->code, entry->word),
                      value_from_small(entry->word), here};
    Tuple *tuple = value_failed(here) ? NULL : tuple_from(vm, parts, 4);
    release(vm, here);
    return value_or_fail(tuple);
}

// suspended(generator): (code, (line, globals, locals, instruction, None)). One
// that has not run yet stands before its first instruction.
static Value frames_suspended(Vm *vm, Value *args)
{
    Generator *g = (Generator *)value_object(args[0]);
    Code *code = g->function->code;
    bool fresh = g->state == GENERATOR_NEW;
    bool done = g->state == GENERATOR_DONE;
    const Frame f = {.registers = g->registers,
                     .code = code,
                     .globals = g->function->globals,
                     .cells = g->function->cells};
    Dict *none = done ? dict_new(vm) : NULL;
    Value locals = !done ? builtin_frame_names(vm, &f) : value_or_fail(none);
    uint32_t word = g->word > 0 ? g->word - 1 : 0;
    Value line = value_from_small(source_place(code->source, code->start).line);
    Value parts[5] = {fresh ? line : line_of(code, word),
                      value_from_object(f.globals), locals,
                      value_from_small(fresh ? -1 : (int64_t)word), VALUE_NONE};
    Tuple *seen = value_failed(locals) ? NULL : tuple_from(vm, parts, 5);
    release(vm, locals);
    if (seen == NULL) {
        return VALUE_FAIL;
    }
    Value pair[2] = {value_from_object(code), value_from_object(seen)};
    Tuple *result = tuple_from(vm, pair, 2);
    object_release(&vm->ctx, seen);
    return value_or_fail(result);
}

static const NativeDef frames_functions[] = {
    {"look", "index, code, /", frames_look, "What a running frame has."},
    {"passed", "traceback, /", frames_passed,
     "Where the outermost frame of a traceback was."},
    {"place", "depth, /", frames_place, "The place of a running frame."},
    {"suspended", "generator, /", frames_suspended,
     "Where a generator stands."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef frames_module = {
    .name = "frames", .doc = "Frames that run.", .functions = frames_functions};
