// With which bytes a part of a pattern can begin: lets the matcher skip ways
// that cannot lead anywhere, and runs give nothing back for which there is no
// use. Every answer may name too many bytes, never too few.
#include <string.h>

#include "base/utf8.h"
#include "regex/rx_program.h"

// Nodes looked at before the answer is "any": long chains of optional parts
// behind each other would cost quadratic time otherwise.
enum { FIRST_BUDGET = 48 };

// One question at work. `first` only grows, so the order of the parts does not
// matter.
typedef struct FirstWalk {
    Ctx *ctx;
    bool is_text;
    bool placed; // a place or lookaround stood on the way here
    int budget;
    RxFirst *first;
} FirstWalk;

// Characters of a set that is one character without regard to case, too.
RxSetMode rx_set_mode(uint32_t flags, bool is_text)
{
    bool unicode = is_text && (flags & REGEX_UNICODE) != 0;
    RxFold fold = !(flags & REGEX_IGNORECASE) ? RX_FOLD_NONE
                  : unicode                   ? RX_FOLD_UNICODE
                                              : RX_FOLD_ASCII;
    return (RxSetMode){.fold = fold, .unicode = unicode, .is_text = is_text};
}

// Also what the compiler uses, so that both agree on every character.
// The caller frees the set with rx_set_free, also on failure.
bool rx_first_set(Ctx *ctx, const RxNode *node, bool is_text, RxSet *set)
{
    RxSetMode mode = rx_set_mode(node->flags, is_text);
    RxItem item = {.low = node->c, .high = node->c};
    switch (node->kind) {
    case RX_NODE_CHAR: return rx_set_make(ctx, set, &item, 1, false, mode);
    case RX_NODE_SET:
        return rx_set_make(ctx, set, node->items, node->count, node->negated,
                           mode);
    default: // ANY
        item.low = item.high = '\n';
        return rx_set_make(ctx, set, &item, (node->flags & REGEX_DOTALL) == 0,
                           true, mode);
    }
}

static bool walk(FirstWalk *w, const RxNode *node, const RxCont *up);

// The union of what can begin here. A plain ASCII letter, by far the most
// frequent, needs no set.
// False: no memory.
static bool add_set(FirstWalk *w, const RxNode *node)
{
    if (node->kind == RX_NODE_CHAR && node->c < 0x80 &&
        !(node->flags & REGEX_IGNORECASE)) {
        rx_set_add_bit(w->first->bits, (unsigned char)node->c);
        return true;
    }
    RxSet set;
    bool ok = rx_first_set(w->ctx, node, w->is_text, &set);
    for (int i = 0; ok && i < 4; i++) {
        w->first->bits[i] |= set.bits[i];
    }
    rx_set_free(w->ctx, &set);
    return ok;
}

// Behind the end of a sequence. An end that was reached past a place cannot be
// counted on: the place may have refused.
// Behind the body of a loop comes the body again, or what stands behind the
// loop: both count.
static bool walk_up(FirstWalk *w, const RxCont *up)
{
    if (up == NULL) {
        w->first->accepts = true;
        w->first->any |= w->placed;
        return true;
    }
    RxCont outer = {.rest = up->rest, .up = up->up};
    if (up->loop != NULL && !walk(w, up->loop->body.first, &outer)) {
        return false;
    }
    return walk(w, up->rest, up->up);
}

// Any of the ways may be taken.
static bool walk_branch(FirstWalk *w, const RxNode *node, const RxCont *rest)
{
    for (size_t i = 0; i < node->count; i++) {
        if (!walk(w, node->ways[i].first, rest)) {
            return false;
        }
    }
    return true;
}

// The sequence from `node` on.
// False: no memory. No guard of the C stack: the budget bounds the depth.
static bool walk(FirstWalk *w, const RxNode *node, const RxCont *up)
{
    // Once all bytes are possible, nothing more can be learnt.
    if (--w->budget < 0 || w->first->any) {
        w->first->any = true;
        return true;
    }
    if (node == NULL) {
        return walk_up(w, up);
    }
    RxCont rest = {.rest = node->next, .up = up};
    switch (node->kind) {
    case RX_NODE_CHAR:
    case RX_NODE_SET:
    case RX_NODE_ANY: return add_set(w, node);
    case RX_NODE_GROUP:
    case RX_NODE_ATOMIC: return walk(w, node->body.first, &rest);
    case RX_NODE_BRANCH: return walk_branch(w, node, &rest);
    case RX_NODE_REPEAT:
        // The body may come, and if it need not, what follows may come too.
        if (node->max > 0 && !walk(w, node->body.first, &rest)) {
            return false;
        }
        return node->min > 0 || walk(w, node->next, up);
    case RX_NODE_AT:
        // What a place wants is not known, so its end proves nothing.
        w->placed = true;
        return walk(w, node->next, up);
    default: // lookaround, references, conditions: no knowledge
        w->first->any = true;
        return true;
    }
}

// `up` NULL: nothing follows, and the pattern may accept.
bool rx_first_of(Ctx *ctx, const RxNode *node, const RxCont *up, bool is_text,
                 RxFirst *first)
{
    *first = (RxFirst){.any = false};
    FirstWalk w = {
        .ctx = ctx, .is_text = is_text, .budget = FIRST_BUDGET, .first = first};
    return walk(&w, node, up);
}
