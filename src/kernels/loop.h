// The body of a loop over elements: what is computed for each of them.
//
// A body is straight code over primitives (prim_list.h), each of which gives
// one value; a value is named by its instruction's index. Loads widen what is
// stored: 8- and 16-bit ints to I32, halves to F32, bools to a mask; stores
// narrow. A body
// holds no size and no address, so that one serves all shapes.
//
// Bodies are written through LoopBuild, which merges equal values and folds
// constants as they come. What can not be had (a primitive that a type lacks,
// a body beyond its limits) gives LOOP_NONE, and so does all that is made of
// it: only the end of a chain needs to ask.
#ifndef DUET_KERNELS_LOOP_H
#define DUET_KERNELS_LOOP_H

#include "kernels/prim.h"
#include "kernels/tier.h"

// One primitive. `type` is that of the operands, of SELECT the second's; see
// loop_type for the result's.
typedef struct LoopIns {
    uint8_t op, type;
    uint16_t a, b, c; // values, or what prim_list.h says
} LoopIns;

typedef uint16_t LoopValue;
#define LOOP_NONE UINT16_MAX

// How an operand moves along the loop: by an element, not at all, or around:
// the lanes of a reduction, of which element i takes part in the one of number
// i mod LOOP_LANES. They are loaded, joined with a value and stored.
typedef enum LoopKind { LOOP_DENSE, LOOP_ONE, LOOP_AROUND } LoopKind;

// What is read or written. The address is given with each run.
typedef struct LoopOperand {
    uint8_t stored;  // Elem
    uint8_t kind;    // LoopKind
    uint8_t writes;  // an output
    uint8_t streams; // an output too large for caches: written past them, to
                     // an address that is a multiple of 64
    uint8_t joins;   // lanes: how, a ReduceId
    uint32_t ahead;  // fetched so many bytes before it is read: what comes
                     // next in the caller's order; 0: not
} LoopOperand;

enum {
    LOOP_MAX_INS = 512,
    LOOP_MAX_CONSTS = 128,
    LOOP_MAX_OPERANDS = 12,
    LOOP_LANES = REDUCE_LANES,
    LOOP_MAX_FAULTS = 32
};

// A body in the making, on the C stack, and the finished one: there is no
// other form of it until something keeps bodies.
typedef struct LoopBuild {
    uint16_t ins_count, const_count, operand_count;
    uint8_t fault; // the bit of what can fail now; a later op's is higher
    bool rough;    // float64 that is rounded to float32 in the end (loop_wide)
    LoopIns ins[LOOP_MAX_INS];
    uint64_t consts[LOOP_MAX_CONSTS]; // bits; a float32's are the low ones
    LoopOperand operands[LOOP_MAX_OPERANDS];
    uint16_t table[LOOP_MAX_INS * 2]; // by hash: equal values; 0: none, or + 1
} LoopBuild;

void loop_init(LoopBuild *build);
// The type of what a primitive gives, of operands of this type.
LoopType loop_result(LoopPrim op, LoopType type);
static inline LoopType loop_type(const LoopBuild *build, LoopValue value)
{
    const LoopIns *ins = &build->ins[value];
    return loop_result((LoopPrim)ins->op, (LoopType)ins->type);
}
// A new operand's number; -1 if there are too many.
int loop_operand(LoopBuild *build, Elem stored, LoopKind kind, bool writes);
LoopValue loop_load(LoopBuild *build, int operand);
// The value joined with the lanes of an operand, which are stored. False if
// there is no room, or lanes are of no type that takes it.
MUST_CHECK bool loop_reduce(LoopBuild *build, int lanes, ReduceId id,
                            LoopValue value);
// False if the value is LOOP_NONE, or no type that the operand stores.
MUST_CHECK bool loop_store(LoopBuild *build, int operand, LoopValue value);
// Elements of the mask are in error, of the bit build->fault. LOOP_NONE if the
// value is that, or there is no room.
LoopValue loop_fault(LoopBuild *build, LoopValue mask);
// One primitive of values; what it has no operand for is 0.
LoopValue loop_prim(LoopBuild *build, LoopPrim op, LoopValue x, LoopValue y,
                    LoopValue z);
LoopValue loop_bits(LoopBuild *build, LoopType type, uint64_t bits);
// The number in the type, which must be able to hold it.
LoopValue loop_number(LoopBuild *build, LoopType type, double number);
// Whether the value is a constant, and which.
bool loop_known(const LoopBuild *build, LoopValue value, double *number);
// As an element of this type: the low bits of a narrow int, a rounded half.
LoopValue loop_narrow(LoopBuild *build, LoopValue value, Elem elem);

// Which type a load gives.
LoopType loop_type_of(Elem elem);
static inline size_t elem_size(Elem elem)
{
    static const uint8_t sizes[ELEM_COUNT] = {1, 1, 1, 2, 4, 8, 4, 8, 2, 2};
    return sizes[elem];
}
static inline bool loop_is_float(LoopType type)
{
    return type == LT_F32 || type == LT_F64;
}

// Whether a primitive takes values of the type.
bool loop_has(LoopPrim op, LoopType type);
// One primitive that the type has, bits for bits. `extra` is the instruction's
// b.
uint64_t loop_eval(LoopPrim op, LoopType type, const uint64_t *x,
                   uint16_t extra);
// The whole body for element `index`; data[k] is operand k's first element.
// Returns the bits of its faults.
uint32_t loop_eval_body(const LoopBuild *build, char *const *data,
                        size_t index);
// Whether the primitive is a PRIM_RARE.
bool loop_is_rare(LoopPrim op);
// Which of a, b, c are values.
extern const uint8_t loop_arities[PRIM_COUNT];
static inline int loop_arity(LoopPrim op)
{
    return loop_arities[op];
}
// Whether an instruction does something besides giving a value.
static inline bool loop_acts(const LoopIns *ins)
{
    return ins->op == PRIM_STORE || ins->op == PRIM_FAULT;
}

#endif
