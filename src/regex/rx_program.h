// The program that a pattern is compiled to, and what its files share.
//
// Invariant: an instruction that can fail to take a character falls back to
// the newest entry of RegexRun.entries; nothing else jumps backwards without
// having taken a character or counted a turn, so every run ends.
#ifndef DUET_REGEX_RX_PROGRAM_H
#define DUET_REGEX_RX_PROGRAM_H

#include "regex/rx_tree.h"

// Operands: see RxIns. `go` is the next instruction.
typedef enum RxOp {
    RX_OP_MATCH,      // the end of the pattern
    RX_OP_BYTE,       // the byte a
    RX_OP_STRING,     // b bytes from `literals` + a
    RX_OP_SET,        // a member of set a: a text's
    RX_OP_BYTE_SET,   // … a bytes pattern's
    RX_OP_ANY,        // any but a newline
    RX_OP_ALL,        // any
    RX_OP_RUN,        // b to c times what `x` says, as many as will do
    RX_OP_RUN_LAZY,   // … as few as will do
    RX_OP_RUN_KEEP,   // … as many as there are
    RX_OP_JUMP,       // to a
    RX_OP_SPLIT,      // to b; if that fails, to a
    RX_OP_WAY,        // go on; if that fails, to a. At once to a if `first`
                      // excludes the next byte
    RX_OP_MARK,       // marks[a] = here; b: the group that ends here, or 0
    RX_OP_LOOP,       // enter loop a: on to its RX_OP_TURN at b
    RX_OP_TURN,       // loop a: another turn from b, or on
    RX_OP_TURN_LAZY,  // loop a: on, or another turn from b
    RX_OP_LOOK,       // a: its end; b: its number; c: characters to step
                      // back; x: negated
    RX_OP_LOOK_END,   // b: its number; x: negated
    RX_OP_ATOMIC,     // b: its number
    RX_OP_ATOMIC_END, // b: its number
    RX_OP_BACK,       // what group a matched; x: RxFold
    RX_OP_IF,         // on if group a took part, else to b
    RX_OP_PLACE       // x: RxPlace with `first` set if it means lines, a: \w
                      // is Unicode's
} RxOp;

// What a run repeats (RxIns.x).
typedef enum RxRunKind {
    RX_RUN_BYTE,     // the byte a
    RX_RUN_SET,      // set a, of a text
    RX_RUN_BYTE_SET, // set a, of bytes
    RX_RUN_ANY,      // any but a newline
    RX_RUN_ALL
} RxRunKind;

typedef struct RxIns {
    uint8_t op, x;  // RxOp; a small operand
    uint16_t first; // 1 + index of the bytes that may follow; 0: any may
    uint32_t a, b, c;
} RxIns;

// The bytes with which something can begin.
typedef struct RxFirst {
    uint64_t bits[4];
    bool any;     // nothing is known, or it can be the end of the text
    bool accepts; // the pattern may be over here, whatever comes next
} RxFirst;

// What a loop counts. Turns below `min` are not bounded by progress.
typedef struct RxLoopDef {
    uint32_t min, max;
} RxLoopDef;

// Its state while it runs.
typedef struct RxLoop {
    uint64_t count;   // turns begun
    const char *last; // where the last optional turn began; NULL: none has
    size_t height;    // LOOK and ATOMIC: of the entries when it began
} RxLoop;

struct Regex {
    VEC(RxIns) code;
    VEC(RxSet) sets;
    VEC(RxFirst) firsts;
    VEC(RxLoopDef) loops; // lookarounds and atomic groups have one too
    VEC(char) literals;
    VEC(char *) names; // of groups, by number; NULL: none
    uint32_t flags, group_count;
    bool is_text;
    // How a search finds where to try: a literal, or a byte that can begin.
    uint32_t prefix_at, prefix_length; // bytes of `literals`; length 0: none
    RxFirst start;
    bool at_start; // only at the very beginning
    RegexWarning warnings[REGEX_WARNING_MAX];
    size_t warning_count;
};

// What stands behind a place in a tree: `rest`, then, if it is the body of a
// repetition, perhaps that again, then `up`.
typedef struct RxCont {
    const RxNode *rest;
    const RxNode *loop;
    const struct RxCont *up;
} RxCont;

// Fills in the program of a regex whose flags and kind are set. False with the
// fault, or an error pending.
MUST_CHECK bool rx_compile(Ctx *ctx, Regex *regex, const RxSeq *seq,
                           const RxGroupVec *groups, RegexFault *fault);
// The set that a node of one character stands for. The caller frees it.
MUST_CHECK bool rx_first_set(Ctx *ctx, const RxNode *node, bool is_text,
                             RxSet *set);
// The bytes with which the sequence from `node` on, then `up`, can begin.
MUST_CHECK bool rx_first_of(Ctx *ctx, const RxNode *node, const RxCont *up,
                            bool is_text, RxFirst *first);
// The classes and case that hold at a node.
RxSetMode rx_set_mode(uint32_t flags, bool is_text);

#endif
