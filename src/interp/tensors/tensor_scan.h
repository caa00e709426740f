// What a nested list is as a tensor: its shape, and the kind of its leaves.
// The first of two walks; tensor_convert.c fills the tensor in the second.
//
// Both stop at SHAPE_MAX_RANK, which also ends cyclic lists. Neither runs code
// of the program, so lists cannot change between them.
#ifndef DUET_INTERP_TENSORS_TENSOR_SCAN_H
#define DUET_INTERP_TENSORS_TENSOR_SCAN_H

#include "interp/tensors/obj_tensor.h"

// What the leaves are, widest last; STRING and TENSOR mix with nothing else.
typedef enum LeafKind {
    LEAF_NONE, // an empty list says nothing; not a leaf that a tensor can hold
    LEAF_BOOL,
    LEAF_INT,  // fits int32
    LEAF_LONG, // fits int64 only, or not even that
    LEAF_FLOAT,
    LEAF_STRING, // a str or bytes
    LEAF_TENSOR  // some leaf is a tensor: packed by the op `stack`
} LeafKind;

// What the first walk finds out; dims are DIM_UNKNOWN until a list of that
// depth has been seen.
typedef struct TensorScan {
    const char *who; // for error texts
    LeafKind kind;
    Shape shape;
    bool seen_leaf; // the rank is settled
    bool objects;   // some leaf has __tensor__ and is not looked into yet
    DType tensor;   // of the first tensor among the leaves, or DT_NONE
} TensorScan;

// Whether a walk goes into `v`: lists and tuples, subclasses too; other
// iterables are no tensors.
bool tensor_scan_nests(Value v);
// The items of such a value. Borrowed, and valid as long as no code of the
// program runs.
size_t tensor_scan_items(Value v, const Value **items);
// LEAF_NONE: not a leaf that a tensor can hold.
LeafKind tensor_scan_kind(Value v);
// Walks over `v`. False: it is ragged, too deep, mixed, or holds what no tensor
// can; `who` opens the text of the error.
MUST_CHECK bool tensor_scan(Vm *vm, TensorScan *scan, const char *who, Value v);
// Where nothing asks for a dtype. Without any leaf, as in [], it is float32.
DType tensor_scan_dtype(LeafKind kind);
// Numbers may only go up: bool < int < float; text stays text.
bool tensor_scan_fits(LeafKind kind, DType dtype);

#endif
