// einsum: sums of products written with index letters.
//
// Operands are joined from left to right: letters that nobody needs any more
// are summed out first, a letter that both have and the rest does not need is
// contracted by a matmul, one that is needed later is a batch axis of it.
#include <stdio.h>
#include <string.h>

#include "ops/emit_op.h"
#include "ops/infer.h"

enum {
    EINSUM_OPERANDS = 16,
    EINSUM_LABELS = 256,
    // Axes that an ellipsis stands for have labels counted from the right, so
    // that those of different operands meet; no letter is as large.
    EINSUM_LAST_DOT = 200
};

// The letter of each axis of an operand.
// In the order of the axes. Small, so it is copied freely.
typedef struct Labels {
    int count;
    uint8_t at[SHAPE_MAX_RANK];
} Labels;

// One call on the stack. `terms` is used up from left to right: what has been
// joined is not looked at again.
typedef struct Einsum {
    const ComposeCall *call;
    Emit *emit;
    uint32_t operands;
    EmitValue values[EINSUM_OPERANDS]; // of known ranks, sizes that fit
    Labels terms[EINSUM_OPERANDS], output;
    int uses[EINSUM_LABELS]; // in how many places of the inputs
    // Where its size is read: the first operand that has it, and the axis.
    uint8_t operand[EINSUM_LABELS], axis[EINSUM_LABELS];
    char who[128]; // errors at run time show the equation as well
} Einsum;

// Every message shows the equation, since letters alone say little.
static bool fail(const Einsum *e, const char *text)
{
    const AttrValue *equation = &e->call->attrs[0];
    return ctx_fail(e->emit->ctx, ERR_OP_VALUE, "einsum '%.*s': %s",
                    (int)equation->count, equation->text, text);
}

// The first axis with this label, -1 if none; at most a handful of axes.
static int find(const Labels *labels, uint8_t label)
{
    for (int i = 0; i < labels->count; i++) {
        if (labels->at[i] == label) {
            return i;
        }
    }
    return -1;
}

// Labels are bounded by the rank that a tensor may have.
static bool add_label(const Einsum *e, Labels *labels, int label)
{
    if (labels->count == SHAPE_MAX_RANK) {
        return fail(e, "too many axes");
    }
    labels->at[labels->count++] = (uint8_t)label;
    return true;
}

// Not isalpha, which asks the locale. Case tells letters apart.
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One term of the equation, up to ',' or '-'. `dots` axes for an ellipsis,
// -1: as many as `rank` leaves.
static bool read_term(const Einsum *e, const char **at, const char *end,
                      int rank, int dots, Labels *labels)
{
    int letters = 0;
    for (const char *p = *at; p < end && *p != ',' && *p != '-'; p++) {
        // Counted ahead, so that the ellipsis knows how many axes are left for
        // it.
        letters += is_letter(*p);
    }
    labels->count = 0;
    for (; *at < end && **at != ',' && **at != '-'; ++*at) {
        if (is_letter(**at)) {
            if (!add_label(e, labels, **at)) {
                return false;
            }
        } else if (end - *at >= 3 && memcmp(*at, "...", 3) == 0) {
            // Too few axes give a negative number: no label, and note_sizes
            // finds it.
            if (dots < 0 && rank == RANK_UNKNOWN) {
                return fail(e, "'...' needs an operand of known rank, as "
                               "spec([None, None], float32) says it");
            }
            int axes = dots >= 0 ? dots : rank - letters;
            // The loop takes the third dot.
            *at += 2;
            for (int k = axes; k > 0; k--) {
                if (!add_label(e, labels, EINSUM_LAST_DOT - k)) {
                    return false;
                }
            }
        } else if (**at != ' ') {
            return fail(e, "letters, '...', ',' and '->' are expected");
        }
    }
    return true;
}

// Later axes move up by one: callers walk from the last axis down.
static void remove_axis(Labels *labels, int axis)
{
    labels->count--;
    memmove(&labels->at[axis], &labels->at[axis + 1],
            (size_t)(labels->count - axis));
}

// Takes an axis of size 1 from an operand that is noted, or is about to be.
static bool drop_axis(Einsum *e, uint32_t number, int axis)
{
    int64_t number_of_axis = axis;
    AttrValue at = attr_of_ints(&number_of_axis, 1);
    e->values[number] = emit_1(e->emit, OP_SQUEEZE, e->values[number], &at);
    remove_axis(&e->terms[number], axis);
    for (int label = 0; label < EINSUM_LABELS; label++) {
        e->axis[label] -= e->uses[label] > 0 && e->operand[label] == number &&
                          e->axis[label] > axis;
    }
    return e->values[number] != NULL;
}

static int64_t size_at(const Einsum *e, uint32_t number, int axis)
{
    return emit_type(e->emit, e->values[number]).dims[axis];
}

// Axes of an ellipsis broadcast: one of size 1 beside another size is left out,
// so that the label is that of the others. What is 1 for all stays.
static bool broadcast(Einsum *e, uint32_t number)
{
    const Labels *labels = &e->terms[number];
    bool ok = true;
    for (int axis = labels->count - 1; ok && axis >= 0; axis--) {
        uint8_t label = labels->at[axis];
        if (label <= 'z' || e->uses[label] == 0) {
            continue;
        }
        int64_t own = size_at(e, number, axis);
        int64_t others = size_at(e, e->operand[label], e->axis[label]);
        if (own == 1 && others != 1) {
            ok = drop_axis(e, number, axis);
        } else if (own != 1 && others == 1) {
            for (uint32_t i = 0; ok && i < number; i++) {
                int place = find(&e->terms[i], label);
                ok = place < 0 || drop_axis(e, i, place);
            }
            e->uses[label] = 0;
        }
    }
    return ok;
}

// A letter has one size, which is looked at where the trace does not know it
// yet: both places then know what one of them does.
static bool note_size(Einsum *e, uint32_t number, int axis)
{
    uint8_t label = e->terms[number].at[axis];
    if (e->uses[label]++ == 0) {
        e->operand[label] = (uint8_t)number;
        e->axis[label] = (uint8_t)axis;
        return true;
    }
    EmitValue *own = &e->values[number], *other = &e->values[e->operand[label]];
    int first = e->axis[label];
    *own = emit_same_size(e->emit, e->who, *own, axis, *other, first);
    if (*own != NULL && emit_type(e->emit, *own).dims[axis] != DIM_UNKNOWN) {
        *other = emit_same_size(e->emit, e->who, *other, first, *own, axis);
    }
    return *own != NULL && *other != NULL;
}

// The letters' sizes, as one operand has them.
static bool note_sizes(Einsum *e, uint32_t number)
{
    const Labels *labels = &e->terms[number];
    int rank = emit_type(e->emit, e->values[number]).rank;
    if (rank == RANK_UNKNOWN) {
        // The letters say the rank; the run looks.
        int64_t any[SHAPE_MAX_RANK];
        AttrValue shape = attr_of_ints(any, (uint32_t)labels->count);
        for (int i = 0; i < labels->count; i++) {
            any[i] = DIM_UNKNOWN;
        }
        e->values[number] =
            emit_1(e->emit, OP_ENSURE_SHAPE, e->values[number], &shape);
    } else if (labels->count != rank) {
        return ctx_fail(e->emit->ctx, ERR_SHAPE,
                        "%s: an operand has another rank than its letters say",
                        e->who);
    }
    bool ok = e->values[number] != NULL && broadcast(e, number);
    for (int i = 0; ok && i < labels->count; i++) {
        ok = note_size(e, number, i);
    }
    return ok;
}

// Without "->": the ellipsis, then the letters that occur once, in order.
// Ordered by code, upper case first, as NumPy does.
static bool implicit_output(Einsum *e)
{
    // Ellipsis axes first, in their order, as NumPy puts them.
    for (int label = EINSUM_LAST_DOT - SHAPE_MAX_RANK; label < EINSUM_LAST_DOT;
         label++) {
        if (e->uses[label] > 0 && !add_label(e, &e->output, label)) {
            return false;
        }
    }
    for (int label = 'A'; label <= 'z'; label++) {
        if (e->uses[label] == 1 && !add_label(e, &e->output, label)) {
            return false;
        }
    }
    return true;
}

// The output's ellipsis stands for as many axes as the longest one among the
// inputs.
static bool read_output(Einsum *e, const char *at, const char *end)
{
    int dots = 0;
    if (end - at < 2 || at[1] != '>') {
        return at == end ? implicit_output(e) : fail(e, "'->' is expected");
    }
    at += 2;
    for (int label = 0; label < EINSUM_LAST_DOT; label++) {
        // Labels beyond the letters are those of ellipses.
        dots += label > 'z' && e->uses[label] > 0;
    }
    if (!read_term(e, &at, end, 0, dots, &e->output)) {
        return false;
    }
    for (int i = 0; i < e->output.count; i++) {
        if (e->uses[e->output.at[i]] == 0 ||
            find(&e->output, e->output.at[i]) != i) {
            return fail(e, "an output letter is twice there or in no operand");
        }
    }
    return at == end || fail(e, "nothing may follow the output");
}

// Terms and operands must pair off; sizes are noted as terms are read.
static bool read_equation(Einsum *e)
{
    const AttrValue *equation = &e->call->attrs[0];
    const char *at = equation->text, *end = at + equation->count;
    snprintf(e->who, sizeof e->who, "einsum '%.*s'", (int)equation->count,
             equation->text);
    for (uint32_t i = 0; i < e->operands; i++) {
        e->values[i] = e->call->inputs[i];
        TensorType type = emit_type(e->emit, e->values[i]);
        if (i > 0 && (at == end || *at++ != ',')) {
            return fail(e, "more operands than terms");
        }
        if (!read_term(e, &at, end, type.rank, -1, &e->terms[i]) ||
            !note_sizes(e, i)) {
            return false;
        }
    }
    if (at < end && *at == ',') {
        return fail(e, "more terms than operands");
    }
    return read_output(e, at, end);
}

// True if the output or an operand from `next` on has this letter.
static bool is_needed(const Einsum *e, uint8_t label, uint32_t next)
{
    bool needed = find(&e->output, label) >= 0;
    for (uint32_t i = next; !needed && i < e->operands; i++) {
        needed = find(&e->terms[i], label) >= 0;
    }
    return needed;
}

static EmitSize size_of(const Einsum *e, uint8_t label)
{
    return emit_size(e->emit, e->values[e->operand[label]], e->axis[label]);
}

// The places along an axis of open size, which broadcast over the others.
static EmitValue places_along(Emit *emit, int rank, int axis, EmitSize size)
{
    EmitValue bounds[3] = {emit_number(emit, DT_INT32, 0), size.open,
                           emit_number(emit, DT_INT32, 1)};
    int64_t dims[SHAPE_MAX_RANK];
    if (bounds[0] == NULL || bounds[1] == NULL || bounds[2] == NULL) {
        return NULL;
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = i == axis ? -1 : 1;
    }
    return emit_reshape(emit, emit->op(emit, OP_ARANGE, bounds, 3, NULL), rank,
                        dims);
}

// A mask, True where the places along the axes i and k are equal.
static EmitValue diagonal_mask(Emit *emit, int rank, int i, int k,
                               EmitSize size)
{
    int64_t n = size.number;
    if (n == DIM_UNKNOWN) {
        return emit_2(emit, OP_EQUAL, places_along(emit, rank, i, size),
                      places_along(emit, rank, k, size));
    }
    int64_t dims[SHAPE_MAX_RANK];
    for (int axis = 0; axis < rank; axis++) {
        dims[axis] = axis == i || axis == k ? n : 1;
    }
    Tensor *mask = tensor_new(emit->ctx, DT_BOOL, rank, dims);
    for (int64_t at = 0; mask != NULL && at < mask->count; at++) {
        // i < k, and all other sizes are 1: at / n is the place along i.
        ((uint8_t *)mask->data)[at] = at / n == at % n;
        if (!ctx_poll_at(emit->ctx, (size_t)at)) {
            object_release(emit->ctx, mask);
            mask = NULL;
        }
    }
    return emit->constant(emit, mask);
}

// Takes the diagonal where a letter stands twice in one term.
// By a mask and a sum, since no op takes diagonals; exact, because all else
// that is added is 0.
static EmitValue take_diagonals(Einsum *e, EmitValue x, Labels *labels)
{
    for (int k = labels->count - 1; k > 0; k--) {
        int i = find(labels, labels->at[k]);
        if (i == k || x == NULL) {
            continue;
        }
        DType dtype = emit_type(e->emit, x).dtype;
        EmitValue mask = diagonal_mask(e->emit, labels->count, i, k,
                                       size_of(e, labels->at[k]));
        EmitValue only =
            emit_3(e->emit, OP_WHERE, mask, x, emit_number(e->emit, dtype, 0));
        x = emit_reduce(e->emit, OP_SUM, only, (uint32_t)1 << k, false);
        remove_axis(labels, k);
    }
    return x;
}

// Sums out the letters that neither `other` nor what comes later needs.
static EmitValue sum_unneeded(Einsum *e, EmitValue x, Labels *labels,
                              const Labels *other, uint32_t next)
{
    uint32_t mask = 0;
    for (int i = labels->count - 1; i >= 0; i--) {
        uint8_t label = labels->at[i];
        if (!is_needed(e, label, next) &&
            (other == NULL || find(other, label) < 0)) {
            // Bits are x's axes as they were; labels shrink from the end, so i
            // holds.
            mask |= (uint32_t)1 << i;
            remove_axis(labels, i);
        }
    }
    return emit_reduce(e->emit, OP_SUM, x, mask, false);
}

// The caller has seen to it that both fit.
static void add_all(Labels *to, const Labels *from)
{
    for (int i = 0; i < from->count; i++) {
        to->at[to->count++] = from->at[i];
    }
}

// 1 for no labels: an empty group becomes an axis of one.
static EmitSize group_size(const Einsum *e, const Labels *labels)
{
    EmitSize size = emit_number_size(1);
    for (int i = 0; i < labels->count; i++) {
        size = emit_times(e->emit, size, size_of(e, labels->at[i]));
    }
    return size;
}

// x in the order of `wanted`.
static EmitValue in_order(Einsum *e, EmitValue x, const Labels *labels,
                          const Labels *wanted)
{
    int64_t axes[SHAPE_MAX_RANK];
    for (int i = 0; i < wanted->count; i++) {
        axes[i] = find(labels, wanted->at[i]);
    }
    return emit_permute(e->emit, x, wanted->count, axes);
}

// x as (batch …, rows, columns).
static EmitValue as_matrices(Einsum *e, EmitValue x, const Labels *labels,
                             const Labels *batch, const Labels *rows,
                             const Labels *columns)
{
    Labels order = *batch;
    add_all(&order, rows);
    add_all(&order, columns);
    x = in_order(e, x, labels, &order);
    if (rows->count == 1 && columns->count == 1) {
        return x;
    }
    EmitSize sizes[SHAPE_MAX_RANK];
    for (int i = 0; i < batch->count; i++) {
        sizes[i] = size_of(e, batch->at[i]);
    }
    sizes[batch->count] = group_size(e, rows);
    sizes[batch->count + 1] = group_size(e, columns);
    return emit_reshape_to(e->emit, x, batch->count + 2, sizes);
}

// x with axes of size 1 for the letters of `wanted` that it lacks; those it has
// stand in the same order.
static EmitValue with_ones(const Einsum *e, EmitValue x, const Labels *labels,
                           const Labels *wanted)
{
    EmitSize sizes[SHAPE_MAX_RANK];
    for (int i = 0; i < wanted->count; i++) {
        bool has = find(labels, wanted->at[i]) >= 0;
        sizes[i] = has ? size_of(e, wanted->at[i]) : emit_number_size(1);
    }
    return labels->count == wanted->count
               ? x
               : emit_reshape_to(e->emit, x, wanted->count, sizes);
}

// Where a matmul would make an element of each matrix, or take one step for
// each element: products that broadcast, and a sum.
static EmitValue join_elements(Einsum *e, EmitValue x, Labels *labels,
                               EmitValue y, const Labels *own,
                               const Labels *right)
{
    Labels order = *labels, others = {0};
    add_all(&order, right);
    for (int i = 0; i < order.count; i++) {
        if (find(own, order.at[i]) >= 0) {
            others.at[others.count++] = order.at[i];
        }
    }
    x = with_ones(e, x, labels, &order);
    y = with_ones(e, in_order(e, y, own, &others), &others, &order);
    *labels = order;
    return emit_2(e->emit, OP_MULTIPLY, x, y);
}

// Halves are rounded once by a matmul, and other dtypes are its to refuse.
static bool adds_alike(const Einsum *e, EmitValue x, EmitValue y)
{
    DType a = emit_type(e->emit, x).dtype, b = emit_type(e->emit, y).dtype;
    return a == b && (a == DT_FLOAT32 || a == DT_FLOAT64 || a == DT_INT32 ||
                      a == DT_INT64);
}

// Joins `x` (of `labels`, which become the result's) with operand `number`.
static EmitValue join(Einsum *e, EmitValue x, Labels *labels, uint32_t number)
{
    Labels *own = &e->terms[number];
    EmitValue y = take_diagonals(e, e->values[number], own);
    x = sum_unneeded(e, x, labels, own, number + 1);
    y = sum_unneeded(e, y, own, labels, number + 1);
    // Each label goes into exactly one of the four groups.
    Labels batch = {0}, summed = {0}, left = {0}, right = {0};
    for (int i = 0; i < labels->count; i++) {
        uint8_t label = labels->at[i];
        // By now a letter that both have is either needed later (batch) or not
        // (summed); what only one of them has is kept.
        bool both = find(own, label) >= 0;
        Labels *to = !both                             ? &left
                     : is_needed(e, label, number + 1) ? &batch
                                                       : &summed;
        to->at[to->count++] = label;
    }
    for (int i = 0; i < own->count; i++) {
        if (find(labels, own->at[i]) < 0) {
            right.at[right.count++] = own->at[i];
        }
    }
    if (batch.count + left.count + right.count > SHAPE_MAX_RANK - 2) {
        (void)fail(e, "rank too high");
        return NULL;
    }
    bool alone = left.count == 0 && right.count == 0;
    // Of vectors of floats a matmul is the sum of products, in one pass.
    bool dot = alone && batch.count == 0 && summed.count > 0 && x != NULL &&
               dtype_is_float(emit_type(e->emit, x).dtype);
    if (x != NULL && y != NULL && (alone || summed.count == 0) && !dot &&
        adds_alike(e, x, y)) {
        x = join_elements(e, x, labels, y, own, &right);
        return sum_unneeded(e, x, labels, NULL, number + 1);
    }
    x = as_matrices(e, x, labels, &batch, &left, &summed);
    y = as_matrices(e, y, own, &batch, &summed, &right);
    if (dot) {
        int64_t all = -1;
        x = emit_reshape(e->emit, x, 1, &all);
        y = emit_reshape(e->emit, y, 1, &all);
    }
    EmitValue product = emit_2(e->emit, OP_MATMUL, x, y);
    // The order in which matmul gives the axes.
    *labels = batch;
    add_all(labels, &left);
    add_all(labels, &right);
    if (left.count == 1 && right.count == 1) {
        return product;
    }
    EmitSize sizes[SHAPE_MAX_RANK];
    for (int i = 0; i < labels->count; i++) {
        sizes[i] = size_of(e, labels->at[i]);
    }
    return emit_reshape_to(e->emit, product, labels->count, sizes);
}

// Strictly from left to right: no search for the cheapest order, so that the
// order of additions is the equation's.
static EmitValue compose_einsum(const ComposeCall *call)
{
    Einsum e = {
        .call = call, .emit = call->emit, .operands = call->input_count};
    if (e.operands > EINSUM_OPERANDS) {
        return ctx_fail_null(e.emit->ctx, ERR_OP_VALUE,
                             "einsum: more than %d operands", EINSUM_OPERANDS);
    }
    if (!read_equation(&e)) {
        return NULL;
    }
    Labels labels = e.terms[0];
    EmitValue x = take_diagonals(&e, e.values[0], &labels);
    for (uint32_t i = 1; x != NULL && i < e.operands; i++) {
        x = join(&e, x, &labels, i);
    }
    x = sum_unneeded(&e, x, &labels, NULL, e.operands);
    return x == NULL ? NULL : in_order(&e, x, &labels, &e.output);
}

// A host string: the graph is built from it.
static const AttrDesc einsum_attrs[] = {
    {"equation", ATTR_STR, ATTR_HOST_ONLY, NULL},
};
// Composed: a graph holds the products and sums that it is made of.
const OpDesc op_einsum = {
    .name = "einsum",
    .params = "arrays, /",
    .doc = "Sums of products by index letters, as in 'ij,jk->ik': a letter\n"
           "that the output lacks is summed over. '...' stands for the axes\n"
           "that have no letter.",
    .min_inputs = 1,
    .max_inputs = EINSUM_OPERANDS,
    .output_count = 1,
    .flags = OP_LIST_INPUT | OP_NO_FUNCTION, // see tensor_functions.c
    .attrs = einsum_attrs,
    .attr_count = 1,
    .infer = infer_composed,
    .compose = compose_einsum,
};
