// What an op is: one descriptor, beside its code, and one row in op_list.h.
//
// Everything else reads the table: names at the prompt and their binding,
// help, graph printer and parser, checker, passes, fusion, GraphDef names, the
// test that walks all ops. An op is pure unless its `access` says otherwise.
#ifndef DUET_OPS_OP_H
#define DUET_OPS_OP_H

#include <string.h>

#include "kernels/emit.h"
#include "ops/structural.h"

// Numbers change whenever the list does; a graph's text has names.
typedef enum OpCode {
#define OP(id, desc) OP_##id,
#include "ops/op_list.h"
#undef OP
    OP_COUNT
} OpCode;

// The member of AttrValue that is set.
typedef enum AttrKind {
    ATTR_NONE, // None, or not given
    ATTR_BOOL,
    ATTR_INT,
    ATTR_FLOAT,
    ATTR_DTYPE,
    ATTR_INTS, // a shape, axes: `ints`
    ATTR_STR,  // `text`
    ATTR_INPUT // given as an int tensor: the operand number `integer`
} AttrKind;

// Attribute values are plain data. In a graph, `ints` and `text` live in its
// arena; in an eager call they are the caller's.
typedef struct AttrValue {
    AttrKind kind;
    uint32_t count; // of ints, or bytes of text
    union {
        bool boolean;
        int64_t integer;
        double number;
        DType dtype;
        const int64_t *ints; // INT64_MIN stands for None (in slices)
        const char *text;
    };
} AttrValue;

static inline AttrValue attr_of_int(int64_t i)
{
    return (AttrValue){.kind = ATTR_INT, .integer = i};
}
static inline AttrValue attr_of_dtype(DType dtype)
{
    return (AttrValue){.kind = ATTR_DTYPE, .dtype = dtype};
}
// The ints are borrowed and must outlive the call.
static inline AttrValue attr_of_ints(const int64_t *ints, uint32_t count)
{
    return (AttrValue){.kind = ATTR_INTS, .count = count, .ints = ints};
}

// The text is borrowed, too.
static inline AttrValue attr_of_text(const char *text)
{
    return (AttrValue){
        .kind = ATTR_STR, .count = (uint32_t)strlen(text), .text = text};
}

enum { OP_MAX_ATTRS = 8, OP_MAX_OUTPUTS = 4 };
#define ATTR_INT_NONE INT64_MIN

typedef enum AttrAccept {
    ATTR_HOST_ONLY,     // a symbolic tensor here is a SymbolicError
    ATTR_HOST_OR_TENSOR // or an int tensor, which becomes an operand
} AttrAccept;

typedef struct AttrDesc {
    const char *name;
    AttrKind kind; // what it holds when given
    AttrAccept accept;
    const char *default_text; // as help shows it ("None"); NULL: required
} AttrDesc;

typedef enum OpFlag {
    OP_ELEMENTWISE = 1 << 2,   // has a body; broadcasts; fusable
    OP_VIEW = 1 << 3,          // the output shares the first input's buffer
    OP_DYNAMIC_SHAPE = 1 << 4, // the kernel makes its outputs itself
    OP_MAY_FAIL = 1 << 5,      // a run-time error that depends on values
    OP_INTERNAL = 1 << 6,      // no name at the prompt
    OP_METHOD = 1 << 7,        // also a method of tensors
    OP_NO_FUNCTION = 1 << 8,   // a method only
    OP_LIST_INPUT = 1 << 9,    // takes one list of tensors (concat, stack)
    OP_CONDITION = 1 << 10,    // the first input is one bool
    OP_LISTS = 1 << 11,        // inputs may be lists of tensors: ops of graphs
    OP_HANDS_ON = 1 << 12,     // the rule takes gradients that are rows
    OP_HALVES = 1 << 13,       // the kernel moves elements of any size, or
                               // sets single ones: float16 is one of many;
                               // composed: of ops that widen, or that draw
    OP_MATHS = 1 << 14,        // ELEMENTWISE, of many steps: a result is
                               // sooner kept than computed again
    OP_OVERWRITES = 1 << 15    // the output is of the first input's type, and
                               // may be that tensor (op_run_over)
} OpFlag;

typedef struct OpDesc OpDesc;

// Shape and dtype rule. Called with what is known: in a trace sizes may be
// unknown. `values[i]` is operand i when it is a known constant, else NULL.
typedef struct InferCall {
    Ctx *ctx;
    const OpDesc *op;
    const AttrValue *attrs;
    const TensorType *inputs;
    Tensor *const *values; // NULL: nothing is known
    // Of an operand that gives sizes and is not known: those that are, others
    // DIM_UNKNOWN. Of unknown rank: nothing.
    Shape sizes;
    uint32_t input_count;
    uint32_t output_count; // set by the rule; 1 when it starts
    DType out_dtypes[OP_MAX_OUTPUTS];
    Shape out_shapes[OP_MAX_OUTPUTS];
    // More than OP_MAX_OUTPUTS (split, unstack): the rest are as the first,
    // but for the size along split_axis when split_sizes is not NULL.
    int split_axis;
    const int64_t *split_sizes;
    int64_t split_rest; // the size that a -1 among them stands for
} InferCall;
typedef bool (*InferFn)(InferCall *call);

// Runs on real tensors. `outputs[i]` exist, of the inferred type, elements
// undefined (unless OP_DYNAMIC_SHAPE or OP_VIEW: NULL, to be made). An output
// may be the same memory as an input of an elementwise op.
typedef struct KernelCall {
    Ctx *ctx;
    const OpDesc *op;
    const AttrValue *attrs;
    Tensor *const *inputs;
    uint32_t input_count;
    uint32_t output_count;
    Tensor **outputs;
} KernelCall;
typedef bool (*KernelFn)(const KernelCall *call);

// Gradient rules and composed ops are written as ops through the Emit that
// they are handed, so that they work eagerly (each emit runs) and in a trace
// (each emit appends). Helpers to write them are in ops/emit_op.h.
typedef struct Emit Emit;
typedef void *EmitValue; // a Tensor or Symbolic, owned by the Emit
struct Emit {
    Ctx *ctx;
    // The one output of op over the inputs; NULL on failure.
    EmitValue (*op)(Emit *emit, OpCode op, const EmitValue *inputs,
                    uint32_t input_count, const AttrValue *attrs);
    TensorType (*type)(Emit *emit, EmitValue value);
    // A constant; takes the count, also on failure. NULL gives NULL.
    EmitValue (*constant)(Emit *emit, Tensor *tensor);
};
// Where the elements of a result stand among those of the operand that it is
// made of: the first of them, and how far on the next is along each axis.
typedef struct OpView {
    int64_t start;
    int64_t steps[SHAPE_MAX_RANK]; // elements; 0: the same one
} OpView;
// Of types whose sizes are all known. False: raised, or not known before a run.
typedef bool (*ViewFn)(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                       TensorType in, TensorType out, OpView *view);

// An op that is nothing but other ops: no graph holds it.
typedef struct ComposeCall {
    Emit *emit;
    const OpDesc *op;
    const AttrValue *attrs;
    const EmitValue *inputs;
    uint32_t input_count;
} ComposeCall;
typedef EmitValue (*ComposeFn)(const ComposeCall *call); // NULL: failed
typedef struct GradCall {
    Emit *emit;
    OpCode code;
    const OpDesc *op;
    const AttrValue *attrs;
    const EmitValue *inputs;
    const EmitValue *outputs;
    const EmitValue *output_grads; // NULL where none flows, not of all
    // By output: of which rows output_grads holds the gradient, NULL: of all.
    // Others than OP_HANDS_ON find NULL alone.
    const EmitValue *output_rows;
    uint32_t input_count, output_count;
    const bool *wanted;     // which inputs' gradients are used
    EmitValue *input_grads; // to be set, NULL at first: no gradient flows
    // To be set where the gradient is zeros but for some rows, which
    // input_grads then holds: their int numbers, one may be there twice.
    EmitValue *input_rows;
} GradCall;
typedef bool (*GradFn)(GradCall *call);

// An eager shortcut for common operands. 1: *output is made; 0: not these,
// nothing happened; -1: failed.
typedef int (*QuickFn)(Ctx *ctx, Tensor *const *inputs, Tensor **output);

// What an elementwise op means, as a loop's body: the result of the operands'
// values. LOOP_NONE if the body has no room for it.
typedef LoopValue (*BodyFn)(LoopBuild *build, const LoopValue *x,
                            const AttrValue *attrs);

typedef enum OpResult {
    RESULT_SAME,  // the operands' dtype
    RESULT_BOOL,  // comparisons, isnan
    RESULT_FLOAT, // the operands' dtype, float64 if they are ints (divide)
    RESULT_CAST   // what attribute 0 names
} OpResult;

// A sum that is divided by the count (OpDesc.ends).
enum { END_MEAN = REDUCE_COUNT + 1 };

// The dtypes of an elementwise op's operands, by class: all are told by a bit
// of DTypeClass.
enum {
    TAKES_BOOL = 1 << DTYPE_CLASS_BOOL,
    TAKES_INTEGER = 1 << DTYPE_CLASS_INT | 1 << DTYPE_CLASS_UINT,
    TAKES_FLOAT = 1 << DTYPE_CLASS_FLOAT,
    TAKES_BITS = TAKES_BOOL | TAKES_INTEGER,
    TAKES_NUMERIC = TAKES_INTEGER | TAKES_FLOAT,
    TAKES_ALL = TAKES_BOOL | TAKES_NUMERIC
};

struct OpDesc {
    const char *name;   // "add"
    const char *params; // "x, y, /": the inputs' names, in order
    const char *doc;    // first line a summary; shapes, dtypes, errors
    uint8_t min_inputs, max_inputs; // 255: any number
    uint8_t attr_count;
    uint8_t output_count; // 0: varies (split), see infer
    uint8_t apart;  // a bit for each input that chooses or counts rather than
                    // takes part: it has no dtype in common with the others
    uint32_t flags; // OpFlag
    const AttrDesc *attrs;
    InferFn infer;          // NULL: structural, typed by payload and blocks
    KernelFn kernel;        // ELEMENTWISE: NULL, or for strings alone; numbers
                            // take the common driver (ops/elementwise.h)
    uint8_t takes;          // ELEMENTWISE: TAKES_…; strings have the kernel
    BodyFn body;            // ELEMENTWISE: what it computes
    const double *known;    // ELEMENTWISE: second operands, if of one element,
    uint8_t known_count;    // that its body sees as constants; one op has them
    OpResult result;        // ELEMENTWISE: dtype of the result
    ErrorKind fault;        // what a fault of the body means, and
    const char *fault_text; // its text after "name: "
    QuickFn quick;          // NULL: every call takes the long way
    ComposeFn compose;      // written as other ops: no kernel, no gradient
    ComposeFn parts;        // of one operand along rows, its kernel's bits as
                            // other ops, which fuse; NULL: it has none
    uint8_t ends;           // a reduction in which a loop can end: 1 + its
                            // ReduceId, or END_MEAN; 0: it is none
    ViewFn view;            // of one that moves elements of its first operand:
                            // loops may read them where they are; or NULL
    GradFn gradient;        // NULL: none is known (ops/grad.h)
    const char *graphdef;   // TensorFlow's op, NULL: the writer has its own way
    uint8_t access[RES_COUNT]; // Access; none: the op is pure
    // Structural ops alone, which only a graph has (ops/structural.h).
    OpPayload payload;
    uint8_t block_count;
    const BlockDesc *blocks;
    bool (*run)(StepCall *call); // NULL: takes no step, or has a kernel
};

extern const OpDesc *const op_table[OP_COUNT];
// Static: valid for ever.
static inline const OpDesc *op_desc(OpCode code)
{
    return op_table[code];
}
// Whether it has an effect itself, beside those of its blocks or its callee.
static inline bool op_has_effect(const OpDesc *op)
{
    const uint8_t *access = op->access;
    return ((access[RES_CONTROL] | access[RES_WORLD] | access[RES_RNG] |
             access[RES_VARIABLE]) &
            ACCESS_CONSUME) != 0;
}
static inline bool op_is_random(const OpDesc *op)
{
    return op->access[RES_RNG] == ACCESS_CONSUME;
}
// Whether the op's blocks are run again and again on a state.
static inline bool op_is_loop(const OpDesc *op)
{
    return op->block_count > 0 && op->blocks[0].params;
}
// -1 if there is no such op.
int op_find(const char *name, size_t length);

// Of an elementwise op: the first input chooses, and is a bool (where).
static inline bool op_chooses(const OpDesc *op)
{
    return (op->apart & 1) != 0;
}
// The op's value in a body, as the dtype that it gives; LOOP_NONE as BodyFn's.
// Its fault is the bit build->fault.
LoopValue op_body(LoopBuild *build, const OpDesc *op, const LoopValue *x,
                  const AttrValue *attrs, DType result);
// The kernel of an elementwise op for operands of this dtype (where's second
// one), with those of one element as bits of `ones`: operands in order, then
// the output. NULL with ERR_MEMORY pending. Needs kernel_state(ctx) to exist,
// which keeps it.
MUST_CHECK const LoopKernel *op_kernel_new(Ctx *ctx, OpCode code, DType dtype,
                                           DType result, const AttrValue *attrs,
                                           unsigned ones);
// The same with op->known[known] as the second operand, which is not read.
MUST_CHECK const LoopKernel *op_kernel_known(Ctx *ctx, OpCode code, DType dtype,
                                             int known);
// Which of op->known a tensor of one element is, -1: none.
int op_known(const OpDesc *op, const Tensor *second);
MUST_CHECK static inline const LoopKernel *op_kernel(Ctx *ctx, OpCode code,
                                                     DType dtype, DType result,
                                                     const AttrValue *attrs,
                                                     unsigned ones)
{
    // Casts have a row for each dtype that they give.
    size_t row = code == OP_CAST ? OP_COUNT + (size_t)result : code;
    KernelTable *table = ctx->kernels->table;
    const LoopKernel *kernel =
        table == NULL ? NULL : *kernel_entry(table, row, (Elem)dtype, ones);
    return LIKELY(kernel != NULL)
               ? kernel
               : op_kernel_new(ctx, code, dtype, result, attrs, ones);
}
// Raises what a fault means: "floor_divide: division by zero".
bool op_fault(Ctx *ctx, const OpDesc *op);

// Runs the kernel of an op that is not elementwise. Without OP_HALVES it knows
// no halves: those are converted, and it computes in float32 (halves.c).
MUST_CHECK bool op_compute(const KernelCall *call);
// Checks arity, runs the shape rule; errors name op, shapes and dtypes.
MUST_CHECK bool op_infer(InferCall *call);
// The inferred type of output `index` (below output_count).
void op_output_type(const InferCall *call, uint32_t index, DType *dtype,
                    Shape *shape);
// As op_run, for an op that overwrites: its output is the first input, which
// nobody else holds. What is left of that after a failure is unknown.
MUST_CHECK bool op_run_over(Ctx *ctx, OpCode code, Tensor *const *inputs,
                            uint32_t input_count, const AttrValue *attrs);
// Infers, allocates the outputs (count 1 each) and runs the kernel: an eager
// op. On failure no output is left. `outputs` has room for OP_MAX_OUTPUTS, or
// for the number that the op's attribute gives (split, unstack).
MUST_CHECK bool op_run(Ctx *ctx, OpCode code, Tensor *const *inputs,
                       uint32_t input_count, const AttrValue *attrs,
                       Tensor **outputs, uint32_t *output_count);
// By value; floats by their bits, so that a NaN equals itself and the zeros
// differ.
bool attr_equal(const AttrValue *a, const AttrValue *b);
// Whether it is this text. False of what was left out.
bool attr_is(const AttrValue *attr, const char *text);
// Equal values have equal hashes; for tables in memory, never stored.
uint64_t attr_hash(const AttrValue *attr);
// "axis=0", as the graph's text has it: the value only, "(0, 1)", "'x'".
void attr_print(StrBuf *out, const AttrValue *attr);

#endif
