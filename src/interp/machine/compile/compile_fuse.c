// The last look at the words of a code: operands that are read for the last
// time, and results that only the next instruction reads.
//
// What is noted are flags in the field x (code.h). They change nothing of what
// an instruction means: a machine that ignored them would give the same
// results, only slower. A jump into the midst of a chain is harmless, since
// the flags of the producer count, and whoever jumps has not run it.
#include "interp/machine/compile/compile.h"

// Which operands an instruction empties if they are temporaries, in the order
// of INS_DROP_FIRST and INS_DROP_SECOND; '-': none.
typedef struct DropRule {
    uint8_t op;
    bool writes;     // A is the target: an operand in the same register is
                     // replaced, not emptied
    char operand[2]; // 'a', 'b' or 'c'
} DropRule;

static const DropRule drop_rules[] = {
    {OPCODE_GETATTR, true, {'b', '-'}},
    {OPCODE_SETATTR, false, {'b', 'a'}},
    {OPCODE_LOADM, false, {'b', '-'}},
    {OPCODE_GETITEM, true, {'b', 'c'}},
    {OPCODE_GETITEMI, true, {'b', '-'}},
    {OPCODE_SETITEM, false, {'c', 'a'}},
    {OPCODE_COMPARE, true, {'b', 'c'}},
    {OPCODE_JIS, false, {'a', 'b'}},
    {OPCODE_JNIS, false, {'a', 'b'}},
    {OPCODE_JTRUE, false, {'a', '-'}},
    {OPCODE_JFALSE, false, {'a', '-'}},
    {OPCODE_JTRUE_KEEP, false, {'a', '-'}},
    {OPCODE_JFALSE_KEEP, false, {'a', '-'}},
    {OPCODE_APPEND, false, {'b', '-'}},
    {OPCODE_SETG, false, {'a', '-'}},
    {OPCODE_SETCELL, false, {'b', '-'}},
    {OPCODE_SETCAP, false, {'a', '-'}},
    {OPCODE_UNPACK, false, {'a', '-'}},
};
enum { DROP_RULE_COUNT = sizeof drop_rules / sizeof drop_rules[0] };

// How an instruction may take part in a chain of floats: whether it hands its
// result A on, and what it takes: 'b' or 'c' one register, 'd' B or C, 'j' A
// or B, '-' none.
typedef struct ChainRule {
    uint8_t op;
    bool gives;
    char takes;
} ChainRule;

static const ChainRule chain_rules[] = {
    {OPCODE_ADD, true, 'd'},      {OPCODE_SUB, true, 'd'},
    {OPCODE_MUL, true, 'd'},      {OPCODE_TRUEDIV, true, 'd'},
    {OPCODE_ADDI, true, 'b'},     {OPCODE_SUBI, true, 'b'},
    {OPCODE_MULI, true, 'b'},     {OPCODE_ADDK, true, 'b'},
    {OPCODE_SUBK, true, 'b'},     {OPCODE_MULK, true, 'b'},
    {OPCODE_TRUEDIVK, true, 'b'}, {OPCODE_KADD, true, 'c'},
    {OPCODE_KSUB, true, 'c'},     {OPCODE_KMUL, true, 'c'},
    {OPCODE_KTRUEDIV, true, 'c'}, {OPCODE_GETITEM, true, '-'},
    {OPCODE_GETITEMI, true, '-'}, {OPCODE_JLT, false, 'j'},
    {OPCODE_JLE, false, 'j'},     {OPCODE_JGT, false, 'j'},
    {OPCODE_JGE, false, 'j'},     {OPCODE_JNLT, false, 'j'},
    {OPCODE_JNLE, false, 'j'},    {OPCODE_JNGT, false, 'j'},
    {OPCODE_JNGE, false, 'j'},
};
enum { CHAIN_RULE_COUNT = sizeof chain_rules / sizeof chain_rules[0] };

// NULL: none of its operands is emptied by a flag: it has no fast half that
// would, or reads numbers alone.
static const DropRule *drop_rule(Opcode op)
{
    for (uint32_t i = 0; i < DROP_RULE_COUNT; i++) {
        if (drop_rules[i].op == op) {
            return &drop_rules[i];
        }
    }
    return NULL;
}

// NULL: it neither gives nor takes a number. Rows are few and a code is marked
// once, so that a search will do.
static const ChainRule *chain_rule(Opcode op)
{
    for (uint32_t i = 0; i < CHAIN_RULE_COUNT; i++) {
        if (chain_rules[i].op == op) {
            return &chain_rules[i];
        }
    }
    return NULL;
}

// For the disassembler: x of FORMAT and its like uses all eight bits.
bool code_has_flags(Opcode op)
{
    return drop_rule(op) != NULL || chain_rule(op) != NULL;
}

static Ins with_flags(Ins word, uint32_t flags)
{
    return word | (Ins)flags << 8;
}

static uint32_t operand_register(Ins word, char letter)
{
    switch (letter) {
    case 'a': return INS_A(word);
    case 'b': return INS_B(word);
    case 'c': return INS_C(word);
    default: return UINT32_MAX;
    }
}

// A register that is named twice is emptied once.
static Ins mark_drops(Ins word, uint32_t local_count)
{
    const DropRule *rule = drop_rule((Opcode)INS_OP(word));
    if (rule == NULL) {
        return word;
    }
    // UINT32_MAX is no register and equals no target, but is above all locals.
    uint32_t first = operand_register(word, rule->operand[0]);
    uint32_t second = operand_register(word, rule->operand[1]);
    uint32_t target = rule->writes ? INS_A(word) : UINT32_MAX;
    if (first >= local_count && first != target) {
        word = with_flags(word, INS_DROP_FIRST);
    }
    if (second != UINT32_MAX && second >= local_count && second != target &&
        second != first) {
        word = with_flags(word, INS_DROP_SECOND);
    }
    return word;
}

// The flags of the consumer of register `given`, -1: it does not take it, or
// as both operands.
static int32_t chained_flags(Ins word, char takes, uint32_t given)
{
    if (takes == '-') {
        return -1;
    }
    bool pair = takes == 'd' || takes == 'j';
    char one = takes == 'd' ? 'b' : takes == 'j' ? 'a' : takes;
    bool first = operand_register(word, one) == given;
    bool second =
        pair && operand_register(word, takes == 'd' ? 'c' : 'b') == given;
    if (first == second) {
        return -1;
    }
    return second ? INS_CHAINED : 0;
}

// Instructions with cache words are in no rule, so both words are neighbours.
static void mark_chain(Ins *words, uint32_t local_count)
{
    const ChainRule *from = chain_rule((Opcode)INS_OP(words[0]));
    const ChainRule *to = chain_rule((Opcode)INS_OP(words[1]));
    uint32_t given = INS_A(words[0]);
    if (from == NULL || to == NULL || !from->gives || given < local_count) {
        return;
    }
    // A temporary is read once, so that nobody misses it in its register.
    int32_t flags = chained_flags(words[1], to->takes, given);
    if (flags >= 0) {
        words[0] = with_flags(words[0], INS_CHAIN);
        words[1] = with_flags(words[1], (uint32_t)flags);
    }
}

// An item of an item, as in a[i][j]. The container must outlive the borrowed
// item, so it may not be a temporary that the first instruction empties.
static void mark_item(Ins *words, uint32_t local_count)
{
    Opcode from = (Opcode)INS_OP(words[0]), to = (Opcode)INS_OP(words[1]);
    if ((from != OPCODE_GETITEM && from != OPCODE_GETITEMI) ||
        INS_A(words[0]) < local_count || INS_B(words[0]) >= local_count ||
        INS_B(words[1]) != INS_A(words[0])) {
        return;
    }
    if (to == OPCODE_GETITEMI) {
        words[0] = with_flags(words[0], INS_ITEM_I);
    } else if (to == OPCODE_GETITEM && from == OPCODE_GETITEM &&
               INS_C(words[1]) != INS_A(words[0])) {
        words[0] = with_flags(words[0], INS_ITEM);
    }
}

// In order: a chain may go on from its consumer, whose flags are added to.
void code_fuse(Ins *words, const uint32_t *starts, size_t count,
               uint32_t local_count)
{
    for (size_t i = 0; i < count; i++) {
        Ins *word = &words[starts[i]];
        *word = mark_drops(*word, local_count);
        if (i + 1 < count && starts[i + 1] == starts[i] + 1) {
            mark_chain(word, local_count);
            mark_item(word, local_count);
        }
    }
}
