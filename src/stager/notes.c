// Notes on variables that a block left without a value.
#include "stager/notes.h"

#include <stdio.h>
#include <string.h>

#include "interp/objects/text/obj_str.h"
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
    BlockNote note = {.code = code, .kind = kind};
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

// Notes go with their trace.
void notes_free(Vm *vm, Trace *trace)
{
    for (size_t i = 0; i < trace->notes.count; i++) {
        BlockNote *note = &trace->notes.items[i];
        ctx_free(&vm->ctx, note->name, strlen(note->name) + 1);
        ctx_free(&vm->ctx, note->text, strlen(note->text) + 1);
    }
    vec_free(&vm->ctx, &trace->notes);
}
