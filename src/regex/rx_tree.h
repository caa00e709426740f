// A pattern as a tree, between parser and compiler. Nodes live in the
// parser's arena.
//
// Flags are settled while parsing: each node keeps those that hold where it
// stands, so that nothing below need know of `(?i:…)`.
#ifndef DUET_REGEX_RX_TREE_H
#define DUET_REGEX_RX_TREE_H

#include "base/arena.h"
#include "base/vec.h"
#include "regex/rx_set.h"

typedef enum RxNodeKind {
    RX_NODE_CHAR,   // the character `c`
    RX_NODE_SET,    // one of `items`, or none of them
    RX_NODE_ANY,    // .
    RX_NODE_AT,     // a place: ^ $ \b …
    RX_NODE_BRANCH, // one of several ways, in their order
    RX_NODE_GROUP,  // parentheses, capturing if `group` is not 0
    RX_NODE_REPEAT, // a body several times
    RX_NODE_LOOK,   // lookahead and lookbehind
    RX_NODE_ATOMIC, // (?>…)
    RX_NODE_BACK,   // what a group matched, again
    RX_NODE_IF      // (?(1)yes|no)
} RxNodeKind;

// The places that take no character.
typedef enum RxPlace {
    RX_PLACE_LINE_START, // ^
    RX_PLACE_LINE_END,   // $
    RX_PLACE_START,      // \A
    RX_PLACE_END,        // \Z
    RX_PLACE_BOUNDARY,   // \b
    RX_PLACE_INSIDE      // \B
} RxPlace;

typedef enum RxGreed { RX_GREEDY, RX_LAZY, RX_POSSESSIVE } RxGreed;

#define RX_MANY 0xFFFFFFFFu // no upper limit of a repetition, or of a width

typedef struct RxNode RxNode;

// Nodes one behind the other.
typedef struct RxSeq {
    RxNode *first, *last;
} RxSeq;

struct RxNode {
    RxNodeKind kind;
    uint32_t flags;    // RegexFlag, as they hold here
    RxNode *next;      // in its sequence
    RxSeq body;        // of GROUP, REPEAT, LOOK, ATOMIC; the `yes` of IF
    RxSeq other;       // the `no` of IF
    RxSeq *ways;       // of BRANCH
    size_t count;      // of ways, of items
    RxItem *items;     // of SET
    uint32_t c;        // CHAR
    uint32_t group;    // GROUP (0: none), BACK, IF
    uint32_t min, max; // REPEAT
    uint32_t width;    // LOOK: characters to step back, set by the compiler
    uint8_t greed;     // REPEAT: RxGreed
    uint8_t place;     // AT: RxPlace
    bool negated;      // SET, LOOK
    bool behind;       // LOOK
    bool has_else;     // IF
};

// How many characters a sequence takes, at least and at most.
typedef struct RxWidth {
    uint64_t low, high;
} RxWidth;

typedef struct RxGroup {
    char *name;    // UTF-8, NULL: none; the arena's
    RxWidth width; // once closed
    bool closed;
} RxGroup;

typedef VEC(RxGroup) RxGroupVec;

// The width of a sequence, saturating at RX_MANY; `groups` is for back
// references.
RxWidth rx_tree_width(const RxSeq *seq, const RxGroupVec *groups);
// A repetition of exactly one character (never a group that captures): that
// one's node, else NULL.
const RxNode *rx_tree_single(const RxSeq *seq);

#endif
