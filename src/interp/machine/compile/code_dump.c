// Code as text, for DUET_DUMP=code: one instruction a line, the forms of
// opcode_list.h telling how each operand is read.
//
//     12  JLTI      n, 2, ->15            # 2:8
#include "interp/core/memory.h"
#include "interp/machine/compile/compile.h"
#include "interp/objects/code/code.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

enum { DUMP_TEXT_MOST = 40 }; // bytes of a constant that are shown

// A row of opcode_list.h as the listing needs it.
typedef struct OpcodeText {
    const char *name;
    const char *form; // a letter each for A, B and C
    uint32_t cache;   // words behind the instruction
} OpcodeText;

static const OpcodeText opcode_texts[] = {
#define OPCODE(id, form, cache, doc) [OPCODE_##id] = {#id, form, cache},
#include "interp/objects/code/opcode_list.h"
#undef OPCODE
};

// Locals go by name; temporaries have none.
static void add_register(StrBuf *out, const Code *code, uint32_t reg)
{
    if (reg < code->local_count && code->local_names[reg] != NULL) {
        strbuf_puts(out, code->local_names[reg]->text);
    } else {
        strbuf_printf(out, "r%u", (unsigned)reg);
    }
}

// A constant's repr, cut short; objects without a useful one show their kind.
static bool add_constant(Vm *vm, StrBuf *out, const Code *code, uint32_t index)
{
    Value v = code->constants[index];
    if (value_is_kind(v, KIND_CODE)) {
        strbuf_printf(out, "<code %s>",
                      ((const Code *)value_object(v))->qualname->text);
        return true;
    }
    Str *text = value_repr(vm, v);
    if (text == NULL) {
        return false;
    }
    // Bytes are counted, so a character may be cut in two.
    bool cut = text->length > DUMP_TEXT_MOST;
    strbuf_add(out, text->text, cut ? DUMP_TEXT_MOST : text->length);
    strbuf_puts(out, cut ? "..." : "");
    object_release(&vm->ctx, text);
    return true;
}

static bool add_operand(Vm *vm, StrBuf *out, const Code *code, char form,
                        uint32_t bits, uint32_t next)
{
    switch (form) {
    case 'r': add_register(out, code, bits & 0xFFFF); return true;
    case 'k': return add_constant(vm, out, code, bits & 0xFFFF);
    case 'n':
        strbuf_puts(out, value_as_str(code->constants[bits & 0xFFFF])->text);
        return true;
    case 'i': strbuf_printf(out, "%d", (int16_t)bits); return true;
    case 'u': strbuf_printf(out, "%u", (unsigned)(bits & 0xFFFF)); return true;
    // Distances count from the word behind the instruction; 16 bits, signed.
    case 'j':
        strbuf_printf(out, "->%d", (int)next + (int16_t)bits);
        return true;
    default: strbuf_printf(out, "->%d", (int)next + (int32_t)bits); return true;
    }
}

// False with an error pending: a constant's repr may fail. Operand i stands in
// bits 16 + 16 * i; 16 more are read for a long jump.
static bool add_instruction(Vm *vm, StrBuf *out, const Code *code,
                            uint32_t word)
{
    Ins ins = code->words[word];
    const OpcodeText *op = &opcode_texts[INS_OP(ins)];
    uint32_t next = word + 1;
    size_t start = out->length;
    strbuf_printf(out, "%5u  %-10s", (unsigned)word, op->name);
    // '-' stands for an operand that the instruction does not have.
    for (int i = 0; op->form[i] != '\0'; i++) {
        if (op->form[i] != '-') {
            strbuf_puts(out, i == 0 || op->form[i - 1] == '-' ? " " : ", ");
            if (!add_operand(vm, out, code, op->form[i],
                             (uint32_t)(ins >> (16 + 16 * i)), next)) {
                return false;
            }
        }
    }
    // The flags are for the machine: they say nothing that is not seen.
    unsigned x = INS_X(ins) & (code_has_flags((Opcode)INS_OP(ins)) ? 15 : 255);
    if (x != 0) {
        strbuf_printf(out, "  x=%u", x);
    }
    size_t width = out->length - start;
    strbuf_pad(out, ' ', width < 44 ? 44 - width : 1);
    // `next`, as code_span wants the word behind the instruction.
    Place place = source_place(code->source, code_span(code, next).start);
    strbuf_printf(out, "# %u:%u\n", (unsigned)place.line,
                  (unsigned)place.column);
    return true;
}

// Depth first: each inner code follows the one whose constant it is. Cache
// words behind an instruction are skipped.
bool code_dump(Vm *vm, const Code *code, StrBuf *out)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = true;
    strbuf_printf(out, "%s: %u registers, %u locals\n", code->qualname->text,
                  (unsigned)code->register_count, (unsigned)code->local_count);
    for (uint32_t word = 0; ok && word < code->word_count;) {
        ok = add_instruction(vm, out, code, word);
        // Inline caches stand behind their instruction.
        word += 1 + opcode_texts[INS_OP(code->words[word])].cache;
    }
    for (uint32_t i = 0; i < code->handler_count; i++) {
        // Each protected range, and where an exception in it goes on.
        const Handler *handler = &code->handlers[i];
        strbuf_printf(out, "       %u..%u raised: ->%u, r%u\n",
                      (unsigned)handler->start, (unsigned)handler->end,
                      (unsigned)handler->target, (unsigned)handler->depth);
    }
    for (uint32_t i = 0; ok && i < code->constant_count; i++) {
        // Functions inside are constants of the code around.
        if (value_is_kind(code->constants[i], KIND_CODE)) {
            strbuf_putc(out, '\n');
            ok = code_dump(vm, (const Code *)value_object(code->constants[i]),
                           out);
        }
    }
    ctx_leave(&vm->ctx);
    return ok;
}
