// Notes on variables that a block left without a value.
#include "stager/notes.h"

#include <stdio.h>
#include <string.h>

#include "interp/objects/text/obj_str.h"
#include "stager/late_error.h"
#include "stager/merge.h"

// Spans of converted code are those of the user's text.
static uint32_t line_of(const Frame *frame, Span span)
{
    return source_place(frame->code->source, span.start).line;
}

// Where a side's value was made: its node's line, or the side's first.
static uint32_t line_of_value(Vm *vm, const Frame *frame, Value v, Span side)
{
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        const GraphNode *node =
            graph_value(vm->trace->graph, value_as_symbolic(v)->value)->node;
        if (node != NULL && node->place.source == frame->code->source) {
            return line_of(frame, node->place.span);
        }
    }
    return line_of(frame, side);
}

// "float32[2] (line 5)"; "not set", "None".
static bool side_text(Vm *vm, const Frame *frame, const StagedBlock *block,
                      Value v, int side, char *room, size_t size)
{
    // A side without text, such as an `else` that is not there, has an empty
    // span: there is no line to name.
    char what[80];
    Span span = block->info->sides[side];
    if (!merge_describe(vm, v, what, sizeof what)) {
        return false;
    }
    if (value_unbound(v)) {
        snprintf(room, size, "not set");
    } else if (span.start == span.end) {
        snprintf(room, size, "%s", what);
    } else {
        snprintf(room, size, "%s (line %u)", what,
                 (unsigned)line_of_value(vm, frame, v, span));
    }
    return true;
}

// Texts are copied: a note outlives the block that it is about.
bool notes_add(Vm *vm, const Code *code, const char *name, ErrorKind kind,
               const char *text)
{
    Ctx *ctx = &vm->ctx;
    BlockNote note = {
        .code = code, .kind = kind, .late = {.value = VALUE_UNBOUND}};
    note.name = ctx_alloc(ctx, strlen(name) + 1);
    note.text = ctx_alloc(ctx, strlen(text) + 1);
    bool ok = note.name != NULL && note.text != NULL;
    if (ok) {
        memcpy(note.name, name, strlen(name) + 1);
        memcpy(note.text, text, strlen(text) + 1);
        ok = vec_push(ctx, &vm->trace->notes, note);
    }
    if (!ok) {
        ctx_free(ctx, note.name, strlen(name) + 1);
        ctx_free(ctx, note.text, strlen(text) + 1);
    }
    return ok;
}

bool notes_text(Vm *vm, const Frame *frame, const StagedBlock *block,
                const char *name, Value first, Value second, char *room,
                size_t size)
{
    // Fixed rooms: a message that is too long is cut, which loses words and
    // nothing else.
    char a[128], b[128];
    if (!side_text(vm, frame, block, first, 0, a, sizeof a) ||
        !side_text(vm, frame, block, second, 1, b, sizeof b)) {
        return false;
    }
    snprintf(room, size,
             "%s is %s where the condition at line %u is true, but %s where "
             "it is false",
             name, a, (unsigned)line_of(frame, block->info->span), b);
    return true;
}

// A value that nobody reads is no error: only a hidden one, which is always
// read, is refused at once.
bool notes_mismatch(Vm *vm, Frame *frame, const StagedBlock *block,
                    const BlockPlace *place, Value first, Value second,
                    ErrorKind kind)
{
    char name[128], path[128], text[512];
    // Hidden places are those that lowering made: the function's result has a
    // name of its own, a value of `and` or a ternary has none.
    bool result = place->hidden && place->name != NULL;
    if (result) {
        snprintf(name, sizeof name, "the result of %s()",
                 frame->code->name->text);
    } else if (place->hidden) {
        snprintf(name, sizeof name, "the value of the %s", block->info->what);
    } else {
        snprintf(name, sizeof name, "'%.96s'",
                 state_name(place, path, sizeof path));
    }
    if (!notes_text(vm, frame, block, name, first, second, text, sizeof text)) {
        return false;
    }
    if (place->hidden) {
        return raise_false(vm, kind == ERR_UNBOUND_LOCAL ? ERR_TYPE : kind,
                           "%s", text);
    }
    return notes_add(vm, frame->code, state_name(place, path, sizeof path),
                     kind, text);
}

// The newest note is the one that explains the present state.
bool notes_raise(Vm *vm, const Code *code, const Str *name)
{
    for (size_t i = vm->trace->notes.count; i-- > 0;) {
        const BlockNote *note = &vm->trace->notes.items[i];
        if (note->code == code && strcmp(note->name, name->text) == 0) {
            raise_error(vm, note->kind, "%s", note->text);
            return true;
        }
    }
    return false;
}

// --- late values ---

void notes_give(Vm *vm, LateValue late)
{
    vec_last(&vm->trace->notes).late = late;
}

// The error of eager code, if no turn was made.
static bool assert_turned(Vm *vm, const LateValue *late)
{
    char text[200];
    snprintf(text, sizeof text,
             "cannot access local variable '%.100s' where it is not "
             "associated with a value",
             late->frame->code->local_names[late->reg]->text);
    Str *message = str_from(vm, text);
    Value argument = message != NULL ? value_from_object(message) : VALUE_FAIL;
    Value cls = value_from_object(vm->error_types[ERR_UNBOUND_LOCAL]);
    Value error = message != NULL ? vm_call(vm, cls, &argument, 1) : VALUE_FAIL;
    bool ok = !value_failed(error) &&
              late_error_append(vm, error, late->turned, trace_place(vm));
    release(vm, value_failed(error) ? VALUE_NONE : error);
    object_release_null(&vm->ctx, message);
    return ok;
}

// The late value of the newest note on the variable; NULL: it has none.
static LateValue *find_late(Vm *vm, Frame *frame, uint32_t reg)
{
    const char *name = frame->code->local_names[reg]->text;
    for (size_t i = vm->trace->notes.count; i-- > 0;) {
        BlockNote *note = &vm->trace->notes.items[i];
        if (note->code == frame->code && strcmp(note->name, name) == 0) {
            LateValue *late = &note->late;
            return !value_unbound(late->value) && late->frame == frame ? late
                                                                       : NULL;
        }
    }
    return NULL;
}

bool notes_has_late(Vm *vm, Frame *frame, uint32_t reg)
{
    return find_late(vm, frame, reg) != NULL;
}

// A block that is under way assigns the variable: what it is there is not what
// the loop left.
static bool is_assigned(Vm *vm, const LateValue *late)
{
    bool found = false;
    const StagedBlock *block = vm->trace->blocks;
    for (; block != NULL && block != late->home && !found;
         block = block->outer) {
        for (uint32_t i = 0; i < block->info->place_count && !found; i++) {
            const BlockPlace *place = &block->info->places[i];
            found = block->frame == late->frame && place->kind == STATE_LOCAL &&
                    place->step_count == 0 && place->index == late->reg;
        }
    }
    return found;
}

int notes_late(Vm *vm, Frame *frame, uint32_t reg)
{
    LateValue *late = find_late(vm, frame, reg);
    if (late == NULL || late->is_shown || is_assigned(vm, late)) {
        return 0;
    }
    if (!assert_turned(vm, late)) {
        return -1;
    }
    late->is_shown = true;
    late->shown = vm->trace->blocks;
    value_replace(&vm->ctx, &frame->registers[reg], value_retain(late->value));
    return 1;
}

void notes_leave(Vm *vm, const StagedBlock *block)
{
    for (size_t i = 0; i < vm->trace->notes.count; i++) {
        LateValue *late = &vm->trace->notes.items[i].late;
        if (value_unbound(late->value)) {
            continue;
        }
        if (late->is_shown && late->shown == block) {
            Value *place = &late->frame->registers[late->reg];
            if (value_same(*place, late->value)) {
                value_replace(&vm->ctx, place, VALUE_UNBOUND);
            }
            late->is_shown = false;
        }
        if (late->home == block) {
            value_replace(&vm->ctx, &late->value, VALUE_UNBOUND);
        }
    }
}

// Notes go with their trace.
void notes_free(Vm *vm, Trace *trace)
{
    for (size_t i = 0; i < trace->notes.count; i++) {
        BlockNote *note = &trace->notes.items[i];
        ctx_free(&vm->ctx, note->name, strlen(note->name) + 1);
        ctx_free(&vm->ctx, note->text, strlen(note->text) + 1);
        release(vm, note->late.value);
    }
    vec_free(&vm->ctx, &trace->notes);
}
