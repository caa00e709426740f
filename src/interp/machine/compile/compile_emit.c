// Instructions, labels, constants and the finished Code.
//
// Invariant: a jump's distance is 0 until compile_finish; jumps of 16 bits
// whose target is too far go over a trampoline (op +1; JMP +1; JMP far), which
// works for every fused jump alike.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "interp/machine/compile/compile.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"

// How many words of cache stand behind each instruction; indexed by opcode.
typedef struct OpcodeInfo {
    const char *form;
    uint8_t cache;
} OpcodeInfo;

static const OpcodeInfo opcode_info[] = {
#define OPCODE(id, form, cache, doc) [OPCODE_##id] = {form, cache},
#include "interp/objects/code/opcode_list.h"
#undef OPCODE
};

// The first error is the one that is told.
void compile_error(Compiler *c, Span span, const char *format, ...)
{
    if (c->failed) {
        return;
    }
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->failed = !ctx_fail_at(&c->vm->ctx, ERR_SYNTAX, c->table->source, span,
                             "%s", text);
    c->vm->ctx.error.form = PLACE_CODE;
}

// A failed compiler emits nothing, so callers need not check.
static void emit_word(Compiler *c, Ins word)
{
    if (!c->failed && !vec_push(&c->vm->ctx, &c->words, word)) {
        c->failed = true;
    }
}

// The cache words behind an instruction start as zeroes, which never match.
// Calls out of generators have one instruction, which x tells apart.
void compile_emit_x(Compiler *c, Opcode op, uint32_t x, uint32_t a, uint32_t b,
                    uint32_t extra)
{
    if (c->failed) {
        return;
    }
    if (op >= OPCODE_CALL && op <= OPCODE_CALLX && c->scope->is_generator) {
        x = op - OPCODE_CALL;
        op = OPCODE_CALLFAR;
    }
    // The current span goes along, for tracebacks.
    // In the order of the words, as write_positions needs it.
    InsSpan place = {(uint32_t)c->words.count, c->span};
    if (!vec_push(&c->vm->ctx, &c->spans, place)) {
        c->failed = true;
        return;
    }
    emit_word(c, (Ins)op | (Ins)(x & 0xFF) << 8 | (Ins)(a & 0xFFFF) << 16 |
                     (Ins)(b & 0xFFFF) << 32 | (Ins)(extra & 0xFFFF) << 48);
    for (uint32_t i = 0; i < opcode_info[op].cache; i++) {
        emit_word(c, 0);
    }
}

void compile_emit(Compiler *c, Opcode op, uint32_t a, uint32_t b,
                  uint32_t extra)
{
    compile_emit_x(c, op, 0, a, b, extra);
}

// The distance is filled in when all labels are placed.
void compile_emit_jump_x(Compiler *c, Opcode op, uint32_t x, uint32_t a,
                         uint32_t b, uint32_t label)
{
    // Noted before the jump is emitted: `word` is its own place.
    Fixup fixup = {(uint32_t)c->words.count, label};
    if (!c->failed && !vec_push(&c->vm->ctx, &c->fixups, fixup)) {
        c->failed = true;
    }
    compile_emit_x(c, op, x, a, b, 0);
}

void compile_emit_jump(Compiler *c, Opcode op, uint32_t a, uint32_t b,
                       uint32_t label)
{
    compile_emit_jump_x(c, op, 0, a, b, label);
}

// 0 after a failure, which is harmless: no code is made then.
uint32_t compile_new_label(Compiler *c)
{
    // Jumps may name a label before it is placed.
    Label label = {UINT32_MAX};
    if (c->failed || !vec_push(&c->vm->ctx, &c->labels, label)) {
        c->failed = true;
        return 0;
    }
    return (uint32_t)c->labels.count - 1;
}

void compile_place_label(Compiler *c, uint32_t label)
{
    if (!c->failed) {
        c->labels.items[label].word = (uint32_t)c->words.count;
    }
}

uint32_t compile_label_here(Compiler *c)
{
    uint32_t label = compile_new_label(c);
    compile_place_label(c, label);
    return label;
}

// `start`, `end` and `target` are labels until the code is written.
void compile_add_handler(Compiler *c, uint32_t start, uint32_t end,
                         uint32_t target, Reg depth)
{
    Handler handler = {start, end, target, depth, c->handled};
    if (!c->failed && !vec_push(&c->vm->ctx, &c->handlers, handler)) {
        c->failed = true;
    }
}

// Registers in stack order; the highest one used decides the frame's size.
Reg compile_push_many(Compiler *c, uint32_t count)
{
    Reg first = c->top;
    c->top += count;
    if (c->top > c->register_count) {
        c->register_count = c->top;
        // Operands have 16 bits; some room is left for what instructions add.
        if (c->top > 0xFFF0) {
            compile_error(c, c->span, "too many values in one function");
        }
    }
    return first;
}

Reg compile_push(Compiler *c)
{
    return compile_push_many(c, 1);
}

// Takes the value, on failure too. Never shared: compile_constant_name and
// compile_constant_node look for an equal one first.
uint32_t compile_constant_value(Compiler *c, Value value)
{
    if (c->failed || value_failed(value)) {
        value_release(&c->vm->ctx, value);
        c->failed = true;
        return 0;
    }
    if (!vec_push(&c->vm->ctx, &c->constants, value)) {
        value_release(&c->vm->ctx, value);
        c->failed = true;
        return 0;
    }
    // The index must fit an operand.
    if (c->constants.count > 0xFFFF) {
        compile_error(c, c->span, "too many constants in one function");
    }
    return (uint32_t)c->constants.count - 1;
}

// The constant with this key, made by `make` if it is new. A key is a tag and
// the text as written.
static bool find_constant(Compiler *c, char tag, const char *text,
                          size_t length, char **key, uint32_t *index)
{
    *key = arena_alloc(c->table->arena, length + 2);
    if (*key == NULL) {
        c->failed = true;
        return true;
    }
    // The key lives in the arena as long as the map does.
    (*key)[0] = tag;
    memcpy(*key + 1, text, length);
    uint64_t *found = map_get(&c->constant_map, *key, length + 1);
    if (found != NULL) {
        *index = (uint32_t)*found;
    }
    return found != NULL;
}

// `length` is without the tag, which every key has in front.
static uint32_t keep_constant(Compiler *c, const char *key, size_t length,
                              Value value)
{
    uint32_t index = compile_constant_value(c, value);
    if (!c->failed && !map_put(&c->constant_map, key, length + 1, index)) {
        c->failed = true;
    }
    return index;
}

// Names are interned, so that the machine compares addresses.
uint32_t compile_constant_name(Compiler *c, const char *text, size_t length)
{
    char *key;
    uint32_t index = 0;
    if (c->failed || find_constant(c, 'n', text, length, &key, &index)) {
        return index;
    }
    return keep_constant(c, key, length,
                         value_or_fail(str_intern(c->vm, text, length)));
}

// "__x" in a class becomes "_C__x" (scope_mangle).
uint32_t compile_name_constant(Compiler *c, Text name)
{
    size_t length;
    const char *text = scope_mangle(c->table, c->scope, name, &length);
    if (text == NULL) {
        c->failed = true;
        return 0;
    }
    return compile_constant_name(c, text, length);
}

// Owned. Short strings are interned, as they often serve as keys.
static Value make_constant(Compiler *c, const Node *node)
{
    Text text = node->constant.text;
    switch (node->constant.type) {
    case CONSTANT_NONE: return VALUE_NONE;
    case CONSTANT_FALSE: return VALUE_FALSE;
    case CONSTANT_TRUE: return VALUE_TRUE;
    case CONSTANT_ELLIPSIS: return VALUE_ELLIPSIS;
    // Base 0: the prefix of the literal decides.
    case CONSTANT_INT: return int_parse(c->vm, text.text, text.length, 0);
    case CONSTANT_FLOAT: return float_new(c->vm, node->constant.number);
    case CONSTANT_STR:
        return value_or_fail(text.length < 64
                                 ? str_intern(c->vm, text.text, text.length)
                                 : str_new(c->vm, text.text, text.length));
    case CONSTANT_BYTES:
        return value_or_fail(bytes_new(c->vm, text.text, text.length));
    }
    return VALUE_FAIL;
}

// -1.5 and the like: one constant, keyed by its bits as the positive ones.
static uint32_t negative_float(Compiler *c, const Node *node)
{
    // The tree itself stays as it is: it may be compiled again, converted.
    Node copy = *node->unary.operand;
    copy.constant.number = -copy.constant.number;
    return compile_constant_node(c, &copy);
}

// Floats are keyed by their bits, so that 0.0 and -0.0, and two spellings of
// one number, are told apart or shared rightly. The tag keeps 1 from "1".
uint32_t compile_constant_node(Compiler *c, const Node *node)
{
    if (node->kind == AST_UNARY) {
        return negative_float(c, node);
    }
    char *key;
    uint32_t index = 0;
    const char *text = node->constant.text.text;
    size_t length = node->constant.text.length;
    if (node->constant.type == CONSTANT_FLOAT) {
        text = (const char *)&node->constant.number;
        length = sizeof node->constant.number;
    }
    if (c->failed || find_constant(c, (char)('0' + node->constant.type),
                                   text == NULL ? "" : text,
                                   text == NULL ? 0 : length, &key, &index)) {
        return index;
    }
    return keep_constant(c, key, text == NULL ? 0 : length,
                         make_constant(c, node));
}

// --- the finished code ---

// Whether the jump at `fixup` needs a trampoline, by the present layout.
static int64_t jump_distance(const Compiler *c, const Fixup *fixup,
                             const uint32_t *moved)
{
    // Distances count from the word behind the jump.
    uint32_t target = c->labels.items[fixup->label].word;
    return (int64_t)moved[target] - (moved[fixup->word] + 1);
}

// The final order of the words; lives in the arena while code is written.
typedef struct WordLayout {
    uint32_t *moved; // the new place of each old word, and of the end
    bool *far;       // of each fixup: it has a trampoline
    uint32_t count;  // words in all
} WordLayout;

// Where each word goes, with the trampolines that are known so far.
static void lay_out(const Compiler *c, WordLayout *layout)
{
    uint32_t shift = 0;
    size_t next = 0;
    for (uint32_t i = 0; i <= c->words.count; i++) {
        // Also of the end, which labels may name.
        layout->moved[i] = i + shift;
        // Fixups are in the order of their words, so one pass finds them.
        if (next < c->fixups.count && c->fixups.items[next].word == i) {
            shift += layout->far[next] ? 2 : 0;
            next++;
        }
    }
    layout->count = (uint32_t)c->words.count + shift;
}

// A trampoline moves what stands behind it and may make another jump far, so
// this goes on until nothing changes.
static void relax(const Compiler *c, WordLayout *layout)
{
    bool changed;
    do {
        changed = false;
        lay_out(c, layout);
        for (size_t i = 0; i < c->fixups.count; i++) {
            const Fixup *fixup = &c->fixups.items[i];
            int64_t distance = jump_distance(c, fixup, layout->moved);
            // JMP alone has 32 bits for its distance.
            bool wide =
                (Opcode)(c->words.items[fixup->word] & 0xFF) == OPCODE_JMP;
            if (!wide && !layout->far[i] &&
                (distance < -32000 || distance > 32000)) {
                // Never taken back, so the loop ends: there are only so many
                // jumps.
                layout->far[i] = changed = true;
            }
        }
    } while (changed);
}

// A JMP has 32 bits of distance, which always suffice.
static Ins wide_jump(int64_t distance)
{
    return (Ins)OPCODE_JMP | (Ins)(uint32_t)(int32_t)distance << 32;
}

static void write_words(const Compiler *c, const WordLayout *layout, Ins *out)
{
    for (uint32_t i = 0; i < c->words.count; i++) {
        out[layout->moved[i]] = c->words.items[i];
    }
    for (size_t i = 0; i < c->fixups.count; i++) {
        const Fixup *fixup = &c->fixups.items[i];
        // The distance is 0 there, by the invariant, so that OR sets it.
        Ins *ins = &out[layout->moved[fixup->word]];
        int64_t distance = jump_distance(c, fixup, layout->moved);
        if ((Opcode)(*ins & 0xFF) == OPCODE_JMP) {
            *ins |= (Ins)(uint32_t)(int32_t)distance << 32;
        } else if (layout->far[i]) {
            // Taken, the jump goes over the next word to the far one; not
            // taken, that word goes over both.
            ins[0] |= (Ins)1 << 48;
            ins[1] = wide_jump(1);
            ins[2] = wide_jump(distance - 2);
        } else {
            *ins |= (Ins)(uint16_t)(int16_t)distance << 48;
        }
    }
}

static bool fuse_words(const Compiler *c, const WordLayout *layout, Code *code)
{
    size_t count = c->spans.count;
    uint32_t *starts = arena_new_array(c->table->arena, uint32_t, count + 1);
    for (size_t i = 0; starts != NULL && i < count; i++) {
        starts[i] = layout->moved[c->spans.items[i].word];
    }
    if (starts != NULL) {
        code_fuse(code->words, starts, count, c->local_count);
    }
    return starts != NULL;
}

// Zigzag and seven bits a byte.
static size_t put_number(uint8_t *out, int64_t number)
{
    uint64_t bits = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
    size_t size = 0;
    do {
        out[size++] = (uint8_t)((bits & 127) | (bits > 127 ? 128 : 0));
        bits >>= 7;
    } while (bits != 0);
    return size;
}

// Three small numbers an instruction: words, start, length.
static bool write_positions(Compiler *c, const WordLayout *layout, Code *code)
{
    VEC(uint8_t) bytes = {0};
    // Steps from one instruction to the next are small, so most take one byte.
    InsSpan last = {0, {0, 0}};
    bool ok = true;
    for (size_t i = 0; ok && i < c->spans.count; i++) {
        InsSpan here = c->spans.items[i];
        here.word = layout->moved[here.word];
        // Three numbers of at most ten bytes each.
        // Once for all three, so that they can be written without tests.
        ok = vec_reserve(&c->vm->ctx, &bytes, 32);
        if (ok) {
            uint8_t *out = bytes.items + bytes.count;
            size_t size = put_number(out, (int64_t)here.word - last.word);
            size += put_number(out + size,
                               (int64_t)here.span.start - last.span.start);
            size += put_number(out + size,
                               (int64_t)here.span.end - here.span.start);
            bytes.count += size;
        }
        last = here;
    }
    if (ok && bytes.count > 0) {
        code->positions = ctx_alloc(&c->vm->ctx, bytes.count);
        ok = code->positions != NULL;
        if (ok) {
            memcpy(code->positions, bytes.items, bytes.count);
            code->position_size = (uint32_t)bytes.count;
        }
    }
    vec_free(&c->vm->ctx, &bytes);
    return ok;
}

static bool write_handlers(Compiler *c, const WordLayout *layout, Code *code)
{
    size_t count = c->handlers.count;
    if (count == 0) {
        return true;
    }
    code->handlers = ctx_alloc(&c->vm->ctx, count * sizeof(Handler));
    if (code->handlers == NULL) {
        return false;
    }
    code->handler_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        Handler handler = c->handlers.items[i];
        const Label *labels = c->labels.items;
        handler.start = layout->moved[labels[handler.start].word];
        handler.end = layout->moved[labels[handler.end].word];
        handler.target = layout->moved[labels[handler.target].word];
        code->handlers[i] = handler;
    }
    return true;
}

// The blocks of converted code: their labels become words, and the code owns
// them.
static bool write_blocks(Compiler *c, const WordLayout *layout, Code *code)
{
    size_t count = c->blocks.count;
    if (count == 0) {
        return true;
    }
    code->blocks = ctx_alloc(&c->vm->ctx, count * sizeof *code->blocks);
    if (code->blocks == NULL) {
        return false;
    }
    const Label *labels = c->labels.items;
    for (size_t i = 0; i < count; i++) {
        BlockInfo *info = &code->blocks[i];
        *info = c->blocks.items[i];
        info->start = layout->moved[labels[info->start].word];
        info->body_target = layout->moved[labels[info->body_target].word];
        info->else_target = layout->moved[labels[info->else_target].word];
        info->end_target = layout->moved[labels[info->end_target].word];
        info->join_target = layout->moved[labels[info->join_target].word];
    }
    code->block_count = (uint32_t)count;
    // So that compiler_free leaves alone what the code owns now.
    c->blocks.count = 0;
    return true;
}

// The references move from the compiler to the code, as do those of the blocks
// above.
static bool write_constants(Compiler *c, Code *code)
{
    if (c->constants.count > 0) {
        size_t size = c->constants.count * sizeof(Value);
        code->constants = ctx_alloc(&c->vm->ctx, size);
        if (code->constants == NULL) {
            return false;
        }
        memcpy(code->constants, c->constants.items, size);
        code->constant_count = (uint32_t)c->constants.count;
        c->constants.count = 0; // their counts went along
    }
    return true;
}

// False: `code` is half filled and must be released; code_destroy knows what it
// owns.
static bool write_all(Compiler *c, Code *code)
{
    Arena *arena = c->table->arena;
    WordLayout layout = {
        .moved = arena_new_array(arena, uint32_t, c->words.count + 1),
        .far = arena_new_array(arena, bool, c->fixups.count + 1)};
    if (layout.moved == NULL || layout.far == NULL) {
        return false;
    }
    relax(c, &layout);
    code->words = ctx_alloc(&c->vm->ctx, layout.count * sizeof(Ins));
    if (code->words == NULL) {
        return false;
    }
    code->word_count = layout.count;
    write_words(c, &layout, code->words);
    code->register_count = c->register_count + 1;
    code->local_count = c->local_count;
    // A step over a million instructions takes some 50 ms, so it is enough to
    // look for Ctrl-C between the steps.
    return ctx_poll(&c->vm->ctx) && fuse_words(c, &layout, code) &&
           ctx_poll(&c->vm->ctx) && write_positions(c, &layout, code) &&
           write_handlers(c, &layout, code) && write_blocks(c, &layout, code) &&
           write_constants(c, code);
}

Code *compile_finish(Compiler *c)
{
    if (c->failed) {
        return NULL;
    }
    Code *code = code_new(c->vm, c->table->source);
    if (code != NULL && !write_all(c, code)) {
        object_release(&c->vm->ctx, code);
        code = NULL;
    }
    return code;
}

// Frees what compile_finish did not hand over; after a success that is only the
// lists themselves.
void compiler_free(Compiler *c)
{
    Ctx *ctx = &c->vm->ctx;
    for (size_t i = 0; i < c->constants.count; i++) {
        value_release(ctx, c->constants.items[i]);
    }
    for (size_t i = 0; i < c->blocks.count; i++) {
        block_info_free(c->vm, &c->blocks.items[i]);
    }
    vec_free(ctx, &c->constants);
    vec_free(ctx, &c->bound);
    vec_free(ctx, &c->blocks);
    vec_free(ctx, &c->words);
    vec_free(ctx, &c->labels);
    vec_free(ctx, &c->fixups);
    vec_free(ctx, &c->spans);
    vec_free(ctx, &c->handlers);
    map_free(&c->constant_map);
}
