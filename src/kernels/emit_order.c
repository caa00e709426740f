// In which order instructions are made, for a processor that begins two of them
// in a cycle, each of which takes some cycles: what waits for others comes when
// they are done, and another chain goes on meanwhile. A processor looks ahead
// by itself, but no farther than a hundred instructions that wait.
#include "kernels/emit_regs.h"

#include <string.h>

enum { LATENCY = 4, LATENCY_LONG = 14 };

typedef struct Edge {
    uint16_t user; // reads the value; LOOP_NONE: no more
    uint8_t arg;
} Edge;

typedef struct EmitOrder {
    const LoopBuild *body;
    uint16_t *to, count;           // what is in order so far
    bool same[LOOP_MAX_INS];       // for all elements
    uint8_t missing[LOOP_MAX_INS]; // operands that are not in order yet
    uint16_t users[LOOP_MAX_INS];  // that are not in order yet
    Edge first[LOOP_MAX_INS], next[LOOP_MAX_INS][3]; // its users
    uint32_t height[LOOP_MAX_INS]; // cycles from its start to the end
    uint32_t start[LOOP_MAX_INS];  // when its operands are there
    uint16_t ready[LOOP_MAX_INS], ready_count;
    uint32_t live, most; // values in registers, of each copy
} EmitOrder;

static uint16_t arg_of(const EmitOrder *o, uint16_t i, int k)
{
    const LoopIns *ins = &o->body->ins[i];
    const uint16_t args[3] = {ins->a, ins->b, ins->c};
    return args[k];
}

static int arity_of(const EmitOrder *o, uint16_t i)
{
    return loop_arity((LoopPrim)o->body->ins[i].op);
}

static uint32_t latency_of(const EmitOrder *o, uint16_t i)
{
    uint8_t op = o->body->ins[i].op;
    return op == PRIM_BITS                     ? 0
           : op == PRIM_DIV || op == PRIM_SQRT ? LATENCY_LONG
                                               : LATENCY;
}

static void find_same(EmitOrder *o)
{
    for (uint16_t i = 0; i < o->body->ins_count; i++) {
        const LoopIns *ins = &o->body->ins[i];
        bool same = ins->op == PRIM_LOAD
                        ? o->body->operands[ins->b].kind == LOOP_ONE
                        : !loop_acts(ins);
        for (int k = 0; k < arity_of(o, i); k++) {
            same = same && o->same[arg_of(o, i, k)];
        }
        o->same[i] = same;
    }
}

// Backwards, so that a value's users are known before it.
static void find_users(EmitOrder *o)
{
    for (uint16_t i = o->body->ins_count; i-- > 0;) {
        o->height[i] += latency_of(o, i);
        for (int k = 0; k < arity_of(o, i); k++) {
            uint16_t arg = arg_of(o, i, k);
            if (o->same[arg]) {
                continue;
            }
            o->next[i][k] = o->first[arg];
            o->first[arg] = (Edge){i, (uint8_t)k};
            o->missing[i]++;
            o->users[arg]++;
            if (o->height[arg] < o->height[i]) {
                o->height[arg] = o->height[i];
            }
        }
    }
}

// The next one. Values that die here leave their registers, its own takes one.
static void put_in_order(EmitOrder *o, uint16_t i, uint32_t now)
{
    uint32_t done = now + latency_of(o, i);
    o->to[o->count++] = i;
    o->live += o->users[i] > 0;
    o->most = o->live > o->most ? o->live : o->most;
    for (int k = 0; k < arity_of(o, i); k++) {
        uint16_t arg = arg_of(o, i, k);
        o->live -= !o->same[arg] && --o->users[arg] == 0;
    }
    for (Edge e = o->first[i]; e.user != LOOP_NONE;
         e = o->next[e.user][e.arg]) {
        o->start[e.user] = done > o->start[e.user] ? done : o->start[e.user];
        if (--o->missing[e.user] == 0) {
            o->ready[o->ready_count++] = e.user;
        }
    }
}

// Of those that can start by now the one from which it is farthest to the end;
// else the one that can start first.
static uint16_t take_ready(EmitOrder *o, uint32_t now)
{
    uint16_t best = 0;
    for (uint16_t n = 1; n < o->ready_count; n++) {
        uint16_t i = o->ready[n], j = o->ready[best];
        uint32_t start = o->start[i] > now ? o->start[i] : now;
        uint32_t other = o->start[j] > now ? o->start[j] : now;
        if (start < other || (start == other && o->height[i] > o->height[j])) {
            best = n;
        }
    }
    uint16_t i = o->ready[best];
    o->ready[best] = o->ready[--o->ready_count];
    return i;
}

// What is the same for all elements comes first, as it stands, and then all
// loads: a store may overwrite what they read.
bool emit_order(const LoopBuild *body, uint32_t copies, uint32_t registers,
                uint16_t *to)
{
    EmitOrder o;
    memset(&o, 0, sizeof o);
    memset(o.first, 255, sizeof o.first);
    o.body = body;
    o.to = to;
    find_same(&o);
    find_users(&o);
    for (uint16_t i = 0; i < body->ins_count; i++) {
        if (o.same[i]) {
            put_in_order(&o, i, 0);
        } else if (o.missing[i] == 0 && body->ins[i].op != PRIM_LOAD) {
            o.ready[o.ready_count++] = i; // acts on what is the same
        }
    }
    for (uint16_t i = 0; i < body->ins_count; i++) {
        if (!o.same[i] && body->ins[i].op == PRIM_LOAD) {
            put_in_order(&o, i, 0);
        }
    }
    // TRIED: two begun in a cycle, as processors do: more values live at once.
    for (uint32_t now = 0; o.ready_count > 0; now += copies) {
        uint16_t i = take_ready(&o, now);
        now = o.start[i] > now ? o.start[i] : now;
        put_in_order(&o, i, now);
    }
    return o.most * copies <= registers + registers / 2;
}
