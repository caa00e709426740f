// Tensors as values of the language: symbolic ones, Variables, dtypes, specs.
//
// Tensor itself is ops/tensor.h. An *operand* is whatever a tensor operation
// takes without conversion: a Tensor, a Symbolic or a Variable. All functions
// borrow their arguments and return owned references; NULL, false, -1 or
// VALUE_FAIL come with an error pending.
#ifndef DUET_INTERP_TENSORS_OBJ_TENSOR_H
#define DUET_INTERP_TENSORS_OBJ_TENSOR_H

#include "interp/hooks/tracing.h"
#include "interp/objects/text/obj_str.h"
#include "ops/op.h"
#include "ops/variable.h"

// A flag of Tensor heads: made from a host number for one operation. In a
// trace the result of such ones and of weak numbers is weak.
enum { TENSOR_LITERAL = OBJECT_FLAG_KIND };

// A tensor that will exist when the graph runs. Made by the stager alone.
typedef struct Symbolic {
    Object head;
    Object *owner;       // the trace that made it, counted
    uint32_t value;      // its number in the owner's graph
    uint32_t first;      // the number before more was known; tapes go by it
    uint8_t dtype;       // DType
    int8_t rank;         // RANK_UNKNOWN: any
    bool weak;           // was a host number: gives way to a tensor's dtype
    bool text;           // was a host text: whoever gets it gets a str
    bool mixed;          // was a host number or text on some way
    const int64_t *dims; // in the graph's arena, which the owner keeps
    Str *name;           // parameter or op, counted: how it prints
} Symbolic;

// spec(shape, dtype): what a signature asks of an argument.
typedef struct Spec {
    Object head;
    DType dtype;
    int rank;       // RANK_UNKNOWN: any
    Str *name;      // counted, NULL: none
    int64_t dims[]; // DIM_UNKNOWN: any size; none if the rank is unknown
} Spec;

// Mutable state. The cell's tensor fixes dtype and shape, unless a library has
// declared that some sizes, or the rank, may change.
//
// In a trace a stand-in takes the place of each argument that is a Variable:
// what the function does to its argument is then told apart from what it does
// to the same Variable met by another way, which other calls do not share. For
// all else, and when its trace is over, it is the Variable that it stands for.
typedef struct Variable {
    Object head;
    VariableCell cell;        // see variable_cell
    Spec *declared;           // counted; NULL: the cell's value says it
    TensorType declared_type; // of it; the cell points here
    Str *name;                // counted, NULL: none was given
    bool trainable;           // a Tape watches it by itself
    bool argument;            // a stand-in whose trace runs
    bool alias;               // another object that has the same state
    uint8_t looked; // of a stand-in: what its trace asked for, LOOKS_AT
    uint32_t place; // of a stand-in: its number among the trace's arguments
    struct Variable *stands_for; // counted; NULL: for itself
} Variable;

typedef struct DTypeObject {
    Object head;
    DType dtype;
} DTypeObject;

// TypeDefs: one row each in type_list.h.
extern const TypeDef tensor_type_def, symbolic_type_def, variable_type_def,
    dtype_type_def, spec_type_def;

ALWAYS_INLINE bool value_is_tensor(Value v)
{
    return value_is_kind(v, KIND_TENSOR);
}
ALWAYS_INLINE Tensor *value_as_tensor(Value v)
{
    return (Tensor *)value_object(v);
}
ALWAYS_INLINE Symbolic *value_as_symbolic(Value v)
{
    return (Symbolic *)value_object(v);
}
ALWAYS_INLINE Variable *value_as_variable(Value v)
{
    return (Variable *)value_object(v);
}
// Whether it was a number of the host, which gives way to a tensor's dtype.
ALWAYS_INLINE bool symbolic_is_weak(Value v)
{
    return value_is_kind(v, KIND_SYMBOLIC) && value_as_symbolic(v)->weak;
}
// Whether it was a number or text of the host, if not on all ways.
ALWAYS_INLINE bool symbolic_is_host(Value v)
{
    return value_is_kind(v, KIND_SYMBOLIC) &&
           (value_as_symbolic(v)->weak || value_as_symbolic(v)->text ||
            value_as_symbolic(v)->mixed);
}
// What was a bool of the host, as the int that it counts as; else the value
// itself. Owned.
Value symbolic_counted(Vm *vm, Value v);
// Whether it stands for texts of the host, of which a tensor chooses.
ALWAYS_INLINE bool symbolic_is_text(Value v)
{
    return value_is_kind(v, KIND_SYMBOLIC) && value_as_symbolic(v)->text;
}
ALWAYS_INLINE bool value_is_text(Value v)
{
    return value_is_str(v) || symbolic_is_text(v);
}
// What is known of an operand; dims are borrowed from it.
TensorType operand_type(Value operand);
// The same where it is used: outside of traces a Variable is its value.
TensorType operand_type_now(Vm *vm, Value operand);

// A tensor of ops belongs to the language once its head names the type: every
// result of op_run passes here. Takes the count.
Value tensor_adopt(Vm *vm, Tensor *tensor);

MUST_CHECK DTypeObject *dtype_new(Vm *vm, DType dtype);
// A dtype, one of bool, int, float, str, or a dtype's name. ERR_TYPE.
MUST_CHECK bool dtype_from_value(Vm *vm, Value v, DType *dtype);
// A tuple with None for unknown sizes; None if the rank is unknown.
Value shape_to_value(Vm *vm, int rank, const int64_t *dims);
// Retains the name, which may be NULL.
MUST_CHECK Spec *spec_new(Vm *vm, TensorType type, Str *name);
static inline TensorType spec_type(const Spec *spec)
{
    return (TensorType){spec->dtype, spec->rank, spec->dims};
}

// What host code may ask of a Variable that other Variables of its type answer
// otherwise: a trace that has asked an argument serves those that answer alike.
enum { LOOKS_AT_NAME = 1, LOOKS_AT_IDENTITY = 2 };
// Notes that it was asked, for all stand-ins on the way to the Variable itself,
// which it returns, borrowed.
Variable *variable_look(Variable *variable, uint8_t looks);
// The object that the program means, borrowed: of a stand-in the Variable, at
// which the trace has then looked.
Value value_meant(Value v);
// Which Variable it is: an argument of a trace that runs, or one of its own.
static inline Variable *variable_identity(Variable *variable)
{
    while (variable->stands_for != NULL && !variable->argument) {
        variable = variable->stands_for;
    }
    return variable;
}
// Nothing of its own but its state, name and flag, which is always so unless
// its class is the program's: no attributes and nothing in __slots__.
bool variable_is_bare(Variable *variable);
// Its state, which it has in common with what it stands for.
static inline VariableCell *variable_cell(Variable *variable)
{
    while (variable->stands_for != NULL) {
        variable = variable->stands_for;
    }
    return &variable->cell;
}
// A stand-in for argument `place` of a trace; the caller ends it by clearing
// `argument`.
MUST_CHECK Variable *variable_stand_in(Vm *vm, Variable *variable,
                                       uint32_t place);
// A Variable with the value, name and flag of v, another. Owned.
MUST_CHECK Value variable_copy(Vm *vm, Value v);
// The value now: a snapshot, in a trace a symbolic read.
Value variable_read(Vm *vm, Variable *variable);

// Operators, tensor_operators.c. One operand at least is a tensor's kind.
Value tensor_binary(Vm *vm, BinaryOp op, Value a, Value b);
Value tensor_binary_last(Vm *vm, BinaryOp op, Value a, Value b, unsigned last);
// Slots that Tensor and Variable share; a Variable is read first.
Value tensor_compare(Vm *vm, CompareOp op, Value a, Value b);
Value tensor_unary(Vm *vm, UnaryOp op, Value self);
int tensor_truth(Vm *vm, Value self);
// "<x: float32[2, 3]>", or as a library prints it. Owned; NULL: failed.
Str *symbolic_words(Vm *vm, Value symbolic);
// The result of a slot that gives a text, which it takes (NULL: failed): the
// trace that runs is told of it.
Value tensor_worded(Vm *vm, Value self, Str *text, TextWay way, Str *spec);
// Slots of tensors that Variables share, obj_tensor.c.
Value tensor_format(Vm *vm, Value self, Str *spec);
Value tensor_index_slot(Vm *vm, Value self);
Value tensor_to_int(Vm *vm, Value self);
Value tensor_to_float(Vm *vm, Value self);
// int(v), float(v), bool(v) inside a trace, tensor_cast.c: a cast to a scalar
// of the kind that the type names.
Value tensor_traced_cast(Vm *vm, Value v, const Type *to);
// The size of a symbolic tensor along an axis as a number, a tensor where it is
// unknown; UNBOUND: there is no such axis.
Value tensor_traced_size(Vm *vm, Value symbolic, int axis);
// x.shape, x.size and x.ndim with tensors for what is unknown; of a shape the
// rank is known.
Value tensor_traced_shape(Vm *vm, Value symbolic);
Value tensor_traced_count(Vm *vm, Value symbolic);
Value tensor_traced_rank(Vm *vm, Value symbolic);
// len(v) inside a trace where the size is unknown; UNBOUND: it is known.
Value tensor_traced_length(Vm *vm, Value v);
// Indexing, tensor_index.c.
Value tensor_get_item(Vm *vm, Value self, Value key);
int64_t tensor_length(Vm *vm, Value self);
Value tensor_iter(Vm *vm, Value self);
// Attributes and methods that the three kinds share, tensor_members.c.
extern const MemberDef tensor_members[];
extern const NativeDef tensor_methods[];
// Whether a symbolic tensor is used where its trace does not run: then its
// LeakError is pending. `who` asks for a value.
MUST_CHECK bool symbolic_leaked(Vm *vm, const char *who, Value symbolic);
// Host code asks for what a symbolic tensor has not: raises what says so.
void symbolic_refuse(Vm *vm, HostNeed need, Value symbolic);
// The host is told a size: in a trace it must stay so.
MUST_CHECK bool tensor_sized(Vm *vm, Value operand, int axis);
// What builds nodes by the operand's known sizes says so: the trace must not
// make them unknown behind its back (TOLD_RULE).
void tensor_shapes(Vm *vm, Value operand);
Value tensor_member_shape(Vm *vm, Value self);
Value tensor_member_dtype(Vm *vm, Value self);
Value tensor_member_ndim(Vm *vm, Value self);
Value tensor_member_size(Vm *vm, Value self);
Value tensor_member_transposed(Vm *vm, Value self);
// Rows of a MemberDef table: Variable has more of its own.
#define TENSOR_MEMBERS                                                         \
    {"shape", tensor_member_shape, NULL,                                       \
     "A tuple of sizes, tensors where a trace does not know one."},            \
        {"dtype", tensor_member_dtype, NULL, "The type of the elements."},     \
        {"ndim", tensor_member_ndim, NULL, "The number of axes."},             \
        {"size", tensor_member_size, NULL, "The number of elements."},         \
    {                                                                          \
        "T", tensor_member_transposed, NULL, "The transpose of a matrix."      \
    }

#endif
