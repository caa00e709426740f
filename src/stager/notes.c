// Notes on variables that a block left without a value.
#include "stager/notes.h"

#include <stdio.h>
#include <string.h>

#include "interp/objects/text/obj_str.h"
#include "stager/describe.h"
#include "stager/late_error.h"
#include "stager/loop_carried.h"

// --- whose they are ---

static size_t depth_of(const Vm *vm, const Frame *frame)
{
    return (size_t)(frame - vm->frames);
}

// So many notes there were when the call began that runs in the frame.
static size_t first_of(const Vm *vm, const Trace *trace, const Frame *frame)
{
    size_t depth = depth_of(vm, frame);
    return depth < trace->entered.count ? trace->entered.items[depth] : 0;
}

bool notes_enter(Vm *vm)
{
    Trace *trace = vm->trace;
    size_t depth = depth_of(vm, vm->frame) + 1, count = trace->notes.count;
    bool ok = true;
    while (ok && count > 0 && trace->entered.count <= depth) {
        ok = vec_push(&vm->ctx, &trace->entered, 0);
    }
    if (ok && depth < trace->entered.count) {
        trace->entered.items[depth] = count;
    }
    return ok;
}

// The newest of the trace's first `end` notes on the variable of a call that
// runs in the frame, or, if that is NULL, of any call of the code, or of any
// that is; NULL: none.
static BlockNote *find_before(const Vm *vm, const Trace *trace,
                              const Frame *frame, const Code *code,
                              const char *name, size_t end)
{
    size_t first = frame != NULL ? first_of(vm, trace, frame) : 0;
    for (size_t i = end; i-- > first;) {
        BlockNote *note = &trace->notes.items[i];
        if ((note->code == code || code == NULL) &&
            (frame == NULL || note->frame == frame) &&
            strcmp(note->name, name) == 0) {
            return note;
        }
    }
    return NULL;
}

// The newest one that is not of the side of a block, this one or one around it,
// that has ended while the other is under way.
static BlockNote *find_seen(const Vm *vm, const Trace *trace,
                            const Frame *frame, const Code *code,
                            const char *name, const StagedBlock *block,
                            size_t end)
{
    BlockNote *note = find_before(vm, trace, frame, code, name, end);
    for (; note != NULL && block != NULL; block = block->outer) {
        size_t number = (size_t)(note - trace->notes.items);
        if (block->phase == PHASE_SECOND && number >= block->notes[0] &&
            number < block->notes[1]) {
            note = find_before(vm, trace, frame, code, name, block->notes[0]);
        }
    }
    return note;
}

// The newest of the first `end` notes on a local of the frame that `block`,
// and all around it, do not keep apart; NULL: none.
static const BlockNote *local_before(const Vm *vm, const Frame *frame,
                                     uint32_t reg, const StagedBlock *block,
                                     size_t end)
{
    const Code *code = frame->code;
    return find_seen(vm, vm->trace, frame, code, code->local_names[reg]->text,
                     block, end);
}

// What a block inside of a side, an `elif` for one, has said of why the
// variable is empty there; NULL: nothing.
static const BlockNote *find_told(const Vm *vm, const Frame *frame,
                                  const char *name, Span span)
{
    const BlockNote *note = find_before(vm, vm->trace, frame, frame->code, name,
                                        vm->trace->notes.count);
    bool inside = note != NULL && note->block.start > span.start &&
                  note->block.end <= span.end;
    return inside ? note : NULL;
}

// --- telling ---

// Spans of converted code are those of the user's text.
static uint32_t line_of(const Frame *frame, Span span)
{
    return source_place(frame->code->source, span.start).line;
}

// Whether a statement may begin here: where the text does, or behind the end
// of another or of a head.
static bool is_begin(const Source *source, uint32_t first, uint32_t at)
{
    while (at > first && source->text[at - 1] == ' ') {
        at--;
    }
    return at == first || strchr("\n;:", source->text[at - 1]) != NULL;
}

// The last line in the text on which a statement begins with the word: where a
// variable is assigned, or the function left. 0: none.
static uint32_t line_of_word(const Source *source, Span span, const char *word)
{
    uint32_t size = (uint32_t)strlen(word);
    for (uint32_t at = span.end; size > 0 && at-- > span.start;) {
        if (at + size < span.end &&
            memcmp(source->text + at, word, size) == 0 &&
            strchr(" =,:+-*/", source->text[at + size]) != NULL &&
            is_begin(source, span.start, at)) {
            return source_place(source, at).line;
        }
    }
    return 0;
}

uint32_t notes_line(Vm *vm, const Frame *frame, Value v, const char *word,
                    Span text)
{
    const Source *source = frame->code->source;
    // One that leaked here has its number in the graph of another trace.
    const Trace *trace = vm->trace;
    bool own = value_is_kind(v, KIND_SYMBOLIC) &&
               value_as_symbolic(v)->owner == trace->owner;
    const GraphNode *node =
        own ? graph_value(trace->graph, value_as_symbolic(v)->value)->node
            : NULL;
    // Where it was assigned, or returned, says more than where it was made, if
    // that was elsewhere.
    bool made = node != NULL && node->place.source == source;
    bool here = made && node->place.span.start >= text.start &&
                node->place.span.end <= text.end;
    uint32_t line = here && strcmp(word, "return") != 0
                        ? line_of(frame, node->place.span)
                        : line_of_word(source, text, word);
    return line != 0 || !made ? line : line_of(frame, node->place.span);
}

// A side without text leaves what was there before the block. That of a result
// has one: what lowering put at the function's end, which has the place of the
// whole function and no line.
static uint32_t line_of_side(Vm *vm, const BlockSides *sides, Value v, int side)
{
    const Span whole = sides->block->info->span;
    Span text = sides->block->info->sides[side];
    const Code *code = sides->frame->code;
    if (whole.start == code->span.start) {
        return side == 0 ? 0
                         : notes_line(vm, sides->frame, v, sides->word, whole);
    }
    bool before = text.start == text.end;
    if (!before && text.start < whole.start) {
        return 0;
    }
    uint32_t line = notes_line(
        vm, sides->frame, v, sides->word,
        before ? (Span){sides->frame->code->start, whole.start} : text);
    return line != 0 || before ? line : line_of(sides->frame, text);
}

// "float32[2] (line 5)"; "not set", "None".
static bool side_text(Vm *vm, const BlockSides *sides, Value v, int side,
                      char *room, size_t size)
{
    char what[80];
    if (!describe_value(vm, v, what, sizeof what)) {
        return false;
    }
    uint32_t line = value_unbound(v) ? 0 : line_of_side(vm, sides, v, side);
    if (line == 0) {
        snprintf(room, size, "%s", value_unbound(v) ? "not set" : what);
    } else {
        snprintf(room, size, "%s (line %u)", what, (unsigned)line);
    }
    return true;
}

// Texts are copied: a note outlives the block that it is about.
bool notes_add(Vm *vm, const Frame *frame, const char *name, Span block,
               ErrorKind kind, const char *text)
{
    Ctx *ctx = &vm->ctx;
    BlockNote note = {
        .code = frame->code,
        .frame = frame,
        .block = block,
        .kind = kind,
        .late = {.value = VALUE_UNBOUND, .turned = VALUE_UNBOUND}};
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

// What to do about two values that cannot be one.
static const char *cure_of(ErrorKind kind, Value first, Value second)
{
    if (value_unbound(first) || value_unbound(second)) {
        return "set it on both sides, or before";
    }
    if (kind == ERR_DTYPE && !value_is_str(first) && !value_is_str(second)) {
        return "cast one of them";
    }
    if (value_is_kind(first, KIND_INSTANCE) &&
        value_is_kind(second, KIND_INSTANCE)) {
        return "have one object on both sides, and let them differ in its "
               "attributes";
    }
    return value_same(first, VALUE_NONE) || value_same(second, VALUE_NONE)
               ? "put a tensor of that kind in place of None, with a bool "
                 "beside it if need be"
               : "leave the same kind on both sides";
}

// A loop has no second side: what can be changed is how it begins.
const char *notes_turn_cure(ErrorKind kind, Value before, Value after)
{
    if (value_is_str(before) && value_is_str(after)) {
        return "a loop of the graph carries no texts: append the tensors to a "
               "list, and make the text outside";
    }
    return kind == ERR_DTYPE || value_unbound(before) ||
                   value_is_none(before) || value_is_none(after)
               ? cure_of(kind, before, after)
               : "begin with the kind of value that a turn leaves, or append "
                 "to a list what is to be kept of each turn";
}

bool notes_text(Vm *vm, const BlockSides *sides, const char *name,
                ErrorKind kind, Value first, Value second, char *room,
                size_t size)
{
    // Fixed rooms: a message that is too long is cut, which loses words and
    // nothing else.
    char a[128], b[128];
    if (!side_text(vm, sides, first, 0, a, sizeof a) ||
        !side_text(vm, sides, second, 1, b, sizeof b)) {
        return false;
    }
    const BlockInfo *info = sides->block->info;
    bool returned = strcmp(sides->word, "return") == 0 &&
                    (value_is_none(first) || value_is_none(second));
    const char *cure = returned ? "return a tensor of that kind there, too, "
                                  "with a bool beside it if need be"
                                : cure_of(kind, first, second);
    if (info->flags & BLOCK_IS_GUARD) {
        snprintf(room, size,
                 "%s is %s where no `return`, `break` or `continue` was "
                 "reached before, but %s where one was; %s",
                 name, a, b, cure);
    } else {
        snprintf(room, size,
                 "%s is %s where the condition at line %u is true, but %s "
                 "where it is false; %s",
                 name, a, (unsigned)line_of(sides->frame, info->span), b, cure);
    }
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
    BlockSides sides = {frame, block, result ? "return" : ""};
    if (result) {
        snprintf(name, sizeof name, "the result of %s()",
                 frame->code->name->text);
    } else if (place->hidden) {
        snprintf(name, sizeof name, "the value of the %s", block->info->what);
    } else {
        sides.word = state_name(place, path, sizeof path);
        snprintf(name, sizeof name, "'%.96s'", sides.word);
        const BlockNote *told =
            value_unbound(first) || value_unbound(second)
                ? find_told(vm, frame, sides.word, block->info->span)
                : NULL;
        if (told != NULL && value_unbound(told->late.value)) {
            return true;
        }
    }
    if (!notes_text(vm, &sides, name, kind, first, second, text, sizeof text)) {
        return false;
    }
    if (place->hidden) {
        return raise_false(vm, kind == ERR_UNBOUND_LOCAL ? ERR_TYPE : kind,
                           "%s", text);
    }
    return notes_add(vm, frame, sides.word, block->info->span, kind, text);
}

// A variable of a function around it.
static bool is_captured(const Code *code, const Str *name)
{
    bool found = false;
    for (uint32_t i = 0; i < code->captured_count && !found; i++) {
        found = code->captured_names[i] == name;
    }
    return found;
}

// A variable of the frame's that functions in it have, too.
static bool is_cell(const Frame *frame, const Str *name)
{
    bool found = false;
    for (uint32_t i = 0; i < frame->code->local_count && !found; i++) {
        found = frame->code->local_names[i] == name &&
                value_is_kind(frame->registers[i], KIND_CELL);
    }
    return found;
}

// The newest note is the one that explains the present state. What is shared
// may have been left so by another function.
bool notes_raise(Vm *vm, const Code *code, const Str *name)
{
    const Frame *frame = vm->frame->code == code ? vm->frame : NULL;
    bool captured =
        is_captured(code, name) || (frame != NULL && is_cell(frame, name));
    const BlockNote *note = NULL;
    // A variable of an outer function is one of the trace that called this one.
    for (const Trace *trace = vm->trace; trace != NULL && note == NULL;
         trace = captured ? trace->outer : NULL) {
        note = find_seen(vm, trace, captured ? NULL : frame,
                         captured ? NULL : code, name->text, trace->blocks,
                         trace->notes.count);
    }
    if (note != NULL) {
        vm->trace->gave_up = true;
        raise_error(vm, note->kind, "%s", note->text);
    }
    return note != NULL;
}

// --- late values ---

void notes_give(Vm *vm, LateValue late)
{
    vec_last(&vm->trace->notes).late = late;
}

bool notes_keep(Vm *vm, Frame *frame, const StagedBlock *block,
                const BlockPlace *place, Value first, Value second,
                LateValue late)
{
    Span span = block->info->span;
    const char *name = frame->code->local_names[place->index]->text;
    const BlockNote *told = find_told(vm, frame, name, span);
    if (told == NULL && value_unbound(first) && value_unbound(second)) {
        told = local_before(vm, frame, place->index, block->outer,
                            vm->trace->notes.count);
    }
    bool ok = told != NULL
                  ? notes_add(vm, frame, name, span, told->kind, told->text)
                  : notes_mismatch(vm, frame, block, place, first, second,
                                   ERR_UNBOUND_LOCAL);
    if (ok) {
        notes_give(vm, late);
    } else {
        release(vm, late.value);
        release(vm, late.turned);
    }
    return ok;
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
    bool ok =
        !value_failed(error) &&
        late_error_append(vm, error, value_as_symbolic(late->turned)->value,
                          trace_place(vm));
    release(vm, error);
    object_release_null(&vm->ctx, message);
    return ok;
}

// The late value of the newest note on the variable; NULL: it has none.
static LateValue *find_late(Vm *vm, Frame *frame, uint32_t reg)
{
    BlockNote *note = find_seen(vm, vm->trace, frame, frame->code,
                                frame->code->local_names[reg]->text,
                                vm->trace->blocks, vm->trace->notes.count);
    LateValue *late = note != NULL ? &note->late : NULL;
    return late != NULL && !value_unbound(late->value) && !late->is_left ? late
                                                                         : NULL;
}

static bool is_deleted(const Code *code, uint32_t reg)
{
    bool found = false;
    for (uint32_t word = 0; !found && word < code->word_count;
         word = code_next(code, word)) {
        Ins ins = code->words[word];
        found = INS_OP(ins) == OPCODE_DELETE && INS_A(ins) == reg;
    }
    return found;
}

// A block that is under way assigns the variable: what it is there is not what
// was left before. In a side of an `if` it is that until it is assigned.
static bool is_assigned(const LateValue *late, const StagedBlock *block)
{
    bool found = false, deleted = is_deleted(late->frame->code, late->reg);
    for (; block != NULL && block != late->home && !found;
         block = block->outer) {
        bool stays = block->loop == NULL && !deleted;
        for (uint32_t i = 0; i < block->info->place_count && !found && !stays;
             i++) {
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
    if (late == NULL || late->is_shown ||
        is_assigned(late, vm->trace->blocks)) {
        return 0;
    }
    loop_carried_ask(vm, frame, frame->code->local_names[reg]);
    if (!assert_turned(vm, late)) {
        return -1;
    }
    late->is_shown = true;
    late->shown = vm->trace->blocks;
    value_replace(&vm->ctx, &frame->registers[reg], value_retain(late->value));
    return 1;
}

void notes_leave(Vm *vm, StagedBlock *block)
{
    size_t count = vm->trace->notes.count;
    for (size_t i = first_of(vm, vm->trace, block->frame); i < count; i++) {
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
        late->is_left |= late->home == block;
    }
    block->notes[block->phase == PHASE_FIRST ? 1 : 2] = count;
}

// Its late value, where that can still be read; NULL: none.
static const LateValue *late_of(const BlockNote *note)
{
    return note != NULL && !value_unbound(note->late.value) &&
                   !is_deleted(note->code, note->late.reg)
               ? &note->late
               : NULL;
}

bool notes_around(const Vm *vm, const StagedBlock *block, uint32_t reg,
                  const LateValue **late)
{
    const BlockNote *note =
        local_before(vm, block->frame, reg, block->outer, block->notes[0]);
    *late = late_of(note);
    if (*late != NULL &&
        ((*late)->is_left || is_assigned(*late, block->outer))) {
        *late = NULL;
    }
    return note == NULL || *late != NULL;
}

bool notes_within(const Vm *vm, const StagedBlock *block, uint32_t reg,
                  const LateValue **late)
{
    const BlockNote *note =
        local_before(vm, block->frame, reg, block, vm->trace->notes.count);
    *late = late_of(note);
    if (*late != NULL && (*late)->home != block) {
        *late = NULL;
    }
    return note == NULL || *late != NULL;
}

// Notes of the other side do not count.
bool notes_left(const Vm *vm, const StagedBlock *block, uint32_t reg, int side,
                const LateValue **late, bool *own)
{
    const BlockNote *note =
        local_before(vm, block->frame, reg, NULL, block->notes[side + 1]);
    *own = note != NULL && note >= vm->trace->notes.items + block->notes[side];
    if (!*own) {
        return notes_around(vm, block, reg, late);
    }
    *late = late_of(note);
    if (*late != NULL && (*late)->home != block) {
        *late = NULL;
    }
    return *late != NULL;
}

static void free_note(Vm *vm, const BlockNote *note)
{
    ctx_free(&vm->ctx, note->name, strlen(note->name) + 1);
    ctx_free(&vm->ctx, note->text, strlen(note->text) + 1);
    release(vm, note->late.value);
    release(vm, note->late.turned);
}

void notes_end(Vm *vm, StagedBlock *block)
{
    notes_leave(vm, block);
    for (size_t i = first_of(vm, vm->trace, block->frame);
         i < vm->trace->notes.count; i++) {
        LateValue *late = &vm->trace->notes.items[i].late;
        if (late->home == block && !value_unbound(late->value)) {
            value_replace(&vm->ctx, &late->value, VALUE_UNBOUND);
            value_replace(&vm->ctx, &late->turned, VALUE_UNBOUND);
        }
    }
}

void notes_cut(Vm *vm, size_t count)
{
    Trace *trace = vm->trace;
    while (trace->notes.count > count) {
        BlockNote note = vec_pop(&trace->notes);
        free_note(vm, &note);
    }
}

// Notes go with their trace.
void notes_free(Vm *vm, Trace *trace)
{
    for (size_t i = 0; i < trace->notes.count; i++) {
        free_note(vm, &trace->notes.items[i]);
    }
    vec_free(&vm->ctx, &trace->notes);
    vec_free(&vm->ctx, &trace->entered);
}
