// The namespace `strings`: ops on string tensors, whose elements are bytes.
//
// Lengths count bytes and case is that of ASCII letters, as in TensorFlow's
// default mode; all other bytes stay as they are.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ops/infer.h"
#include "ops/strings.h"

// Borrowed: valid as long as the tensor.
// The element is never NULL once its tensor is filled.
static TensorString *string_of(const Tensor *tensor, int64_t index)
{
    return ((TensorString *const *)tensor->data)[index];
}

// ---- length

// int32, as TensorFlow's StringLength.
static bool infer_length(InferCall *call)
{
    TensorType type = call->inputs[0];
    return infer_needs_dtype(call, 0, DT_STRING) &&
           infer_output(call, 0, DT_INT32, type.rank, type.dims);
}

// Bytes, not characters: a string element need not be UTF-8.
// TensorFlow's unit "BYTE".
static bool kernel_length(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    for (int64_t i = 0; i < out->count; i++) {
        tensor_set_int(out, i, string_of(call->inputs[0], i)->length);
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

const OpDesc op_strings_length = {
    .name = "strings.length",
    .params = "x, /",
    .doc = "How many bytes each string has, as int32.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .infer = infer_length,
    .kernel = kernel_length,
    .graphdef = "StringLength",
};

// ---- upper, lower

// Case changes no length, and no shape.
static bool infer_case(InferCall *call)
{
    return infer_needs_dtype(call, 0, DT_STRING) && infer_same(call);
}

// Adds 'a' - 'A' (or takes it away) to the letters from `first` on.
// False: no memory, or interrupted. `first` is 'a' or 'A'.
static bool change_case(const KernelCall *call, char first, int shift)
{
    Tensor *out = call->outputs[0];
    for (int64_t i = 0; i < out->count; i++) {
        const TensorString *from = string_of(call->inputs[0], i);
        if (!ctx_poll(call->ctx) ||
            !tensor_set_string(call->ctx, out, i, from->bytes, from->length)) {
            return false;
        }
        // Fresh and held by `out` alone, so it may be changed in place.
        TensorString *to = string_of(out, i);
        for (uint32_t k = 0; k < to->length; k++) {
            bool letter = to->bytes[k] >= first && to->bytes[k] < first + 26;
            to->bytes[k] = (char)(to->bytes[k] + (letter ? shift : 0));
            if (!ctx_poll_at(call->ctx, k)) {
                return false;
            }
        }
    }
    return true;
}

// One loop goes both ways, by where the letters start and how far to move.
static bool kernel_upper(const KernelCall *call)
{
    return change_case(call, 'a', 'A' - 'a');
}

// ASCII letters alone, as strings are bytes.
static bool kernel_lower(const KernelCall *call)
{
    return change_case(call, 'A', 'a' - 'A');
}

// upper and lower differ in kernel, help and TensorFlow's name.
#define CHANGE_CASE(text, run)                                                 \
    .name = (text), .params = "x, /", .min_inputs = 1, .max_inputs = 1,        \
    .output_count = 1, .infer = infer_case, .kernel = (run)

const OpDesc op_strings_upper = {
    CHANGE_CASE("strings.upper", kernel_upper),
    .doc = "The strings with ASCII letters in upper case.",
    .graphdef = "StringUpper",
};
const OpDesc op_strings_lower = {
    CHANGE_CASE("strings.lower", kernel_lower),
    .doc = "The strings with ASCII letters in lower case.",
    .graphdef = "StringLower",
};

// ---- join

// Broadcasts all operands with each other, from left to right.
// The first operand's shape is the start, so that a single operand comes out as
// it is.
static bool infer_join(InferCall *call)
{
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!infer_needs_dtype(call, i, DT_STRING)) {
            return false;
        }
    }
    Shape *out = &call->out_shapes[0];
    infer_output(call, 0, DT_STRING, call->inputs[0].rank,
                 call->inputs[0].dims);
    for (uint32_t i = 1; i < call->input_count; i++) {
        // Copied, since shape_broadcast writes to the shape that it would read.
        Shape so_far;
        shape_set(&so_far, out->rank, out->dims);
        TensorType left = {DT_STRING, so_far.rank, so_far.dims};
        if (!shape_broadcast(call->ctx, call->op->name, left, call->inputs[i],
                             out)) {
            return false;
        }
    }
    return true;
}

// One buffer serves all elements.
// strings_index gives the place in each operand that meets element i of the
// output.
static bool kernel_join(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    const AttrValue *between = &call->attrs[0];
    bool separated = attr_given(between), ok = true;
    StrBuf text;
    strbuf_init(&text, call->ctx);
    for (int64_t i = 0; ok && i < out->count; i++) {
        // The buffer's memory stays for the next element.
        text.length = 0;
        for (uint32_t k = 0; k < call->input_count; k++) {
            int64_t at = strings_index(tensor_type(call->inputs[k]),
                                       tensor_type(out), i);
            const TensorString *part = string_of(call->inputs[k], at);
            if (k > 0 && separated) {
                strbuf_add(&text, between->text, between->count);
            }
            strbuf_add(&text, part->bytes, part->length);
        }
        ok = strbuf_ok(&text) && ctx_poll(call->ctx) &&
             tensor_set_string(call->ctx, out, i, strbuf_text(&text),
                               text.length);
    }
    strbuf_free(&text);
    return ok;
}

// One separator for all elements, known to the trace.
// '' is what TensorFlow's StringJoin has as its default.
static const AttrDesc join_attrs[] = {
    {"separator", ATTR_STR, ATTR_HOST_ONLY, "''"},
};
// No graphdef name: the writer's own form puts the separator in.
const OpDesc op_strings_join = {
    .name = "strings.join",
    .params = "inputs, /",
    .doc = "The strings of a list of tensors put together, element by\n"
           "element, with `separator` between them. Shapes broadcast.",
    .min_inputs = 1,
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_LIST_INPUT,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_join,
    .kernel = kernel_join,
};

// ---- split

// A tensor of strings would give rows of different lengths, and there are no
// ragged tensors. How many parts there are is known at run time alone.
// The rank of x may be unknown in a trace.
static bool infer_split(InferCall *call)
{
    int64_t unknown = DIM_UNKNOWN;
    if (!infer_needs_dtype(call, 0, DT_STRING)) {
        return false;
    }
    if (call->inputs[0].rank > 0) {
        return infer_shape_error(call,
                                 "splits one string, not a tensor of "
                                 "shape %s, whose rows would be of "
                                 "different length",
                                 call->inputs[0]);
    }
    return infer_output(call, 0, DT_STRING, 1, &unknown);
}

// ASCII blanks, whatever the locale: isspace would ask it.
static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

// The next part of text[*at ..): false at the end. Without a separator runs of
// blanks part, as in Python's str.split; *at is length + 1 behind the last.
// The bytes of a part are text[*start .. *start + *length). The state is *at
// alone, so the same walk can be done twice.
static bool next_part(const TensorString *text, const AttrValue *separator,
                      size_t *at, size_t *start, size_t *length)
{
    const char *bytes = text->bytes;
    size_t i = *at, end = text->length;
    // An empty separator means blanks, as in TensorFlow; Python refuses it.
    if (!attr_given(separator) || separator->count == 0) {
        while (i < end && is_blank(bytes[i])) {
            i++;
        }
        *start = i;
        while (i < end && !is_blank(bytes[i])) {
            i++;
        }
        *at = i;
        *length = i - *start;
        return *length > 0;
    }
    if (i > end) {
        return false;
    }
    // Bytes, not C strings: both may hold NUL.
    const char *found =
        memmem(bytes + i, end - i, separator->text, separator->count);
    size_t stop = found != NULL ? (size_t)(found - bytes) : end;
    *start = i;
    *length = stop - i;
    *at = found != NULL ? stop + separator->count : end + 1;
    return true;
}

// Counts the parts, then makes the output and fills it.
// The output is made here and not before the call, for its size is known now
// only.
static bool kernel_split(const KernelCall *call)
{
    const TensorString *text = string_of(call->inputs[0], 0);
    size_t at = 0, start, length;
    int64_t count = 0;
    // The first walk only counts.
    while (next_part(text, &call->attrs[0], &at, &start, &length)) {
        count++;
    }
    Tensor *out = tensor_new(call->ctx, DT_STRING, 1, &count);
    call->outputs[0] = out;
    bool ok = out != NULL;
    at = 0;
    for (int64_t i = 0; ok && i < count; i++) {
        ok = next_part(text, &call->attrs[0], &at, &start, &length) &&
             ctx_poll(call->ctx) &&
             tensor_set_string(call->ctx, out, i, text->bytes + start, length);
    }
    return ok;
}

// One separator for all, known to the trace.
static const AttrDesc split_attrs[] = {
    {"sep", ATTR_STR, ATTR_HOST_ONLY, "None"},
};
// OP_DYNAMIC_SHAPE: the number of parts depends on the text.
const OpDesc op_strings_split = {
    .name = "strings.split",
    .params = "x, /",
    .doc = "The parts of one string between separators, as a vector; without\n"
           "a separator those between runs of blanks.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_DYNAMIC_SHAPE,
    .attrs = split_attrs,
    .attr_count = 1,
    .infer = infer_split,
    .kernel = kernel_split,
};

// ---- to_number

// The dtype is an attribute, so that the type is known without the text.
// A string or a bool is no number to be read.
static bool infer_to_number(InferCall *call)
{
    TensorType type = call->inputs[0];
    DType dtype = attr_dtype(&call->attrs[0], DT_FLOAT32);
    if (!infer_needs_dtype(call, 0, DT_STRING)) {
        return false;
    }
    if (dtype == DT_STRING || dtype == DT_BOOL) {
        return infer_dtype_refused(call, dtype);
    }
    return infer_output(call, 0, dtype, type.rank, type.dims);
}

// The whole text must be one number; blanks around it are fine. Ints must fit
// the dtype.
// False: it is no number of that dtype. What was written to the output then is
// dropped with it.
static bool parse_number(const TensorString *text, Tensor *out, int64_t index)
{
    char *end;
    // The C functions below stop at a NUL, which is no part of a number.
    if (text->length == 0 || strlen(text->bytes) != text->length) {
        return false;
    }
    // strtoll tells overflow by errno alone.
    errno = 0;
    if (dtype_is_float((DType)out->dtype)) {
        // Straight to float32, so that it is rounded once.
        // strtod takes hexadecimal, "inf" and "nan" as well.
        double value = out->dtype == DT_FLOAT32
                           ? (double)strtof(text->bytes, &end)
                           : strtod(text->bytes, &end);
        tensor_set_float(out, index, value);
    } else {
        long long value = strtoll(text->bytes, &end, 10);
        tensor_set_int(out, index, value);
        // Read back: a number that the dtype cannot hold comes back as another
        // one.
        if (errno == ERANGE || tensor_int_at(out, index) != value) {
            return false;
        }
    }
    // Leading blanks are skipped by the C functions themselves.
    bool some = end != text->bytes;
    while (is_blank(*end)) {
        end++;
    }
    return some && *end == '\0';
}

// The message shows the text up to its first NUL.
// One text that is no number makes the whole op fail, as in TensorFlow.
static bool kernel_to_number(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    for (int64_t i = 0; i < out->count; i++) {
        const TensorString *text = string_of(call->inputs[0], i);
        if (!ctx_poll(call->ctx)) {
            return false;
        }
        if (!parse_number(text, out, i)) {
            return ctx_fail(call->ctx, ERR_OP_VALUE,
                            "strings.to_number: '%s' is not a number of "
                            "dtype %s",
                            text->bytes, dtype_name((DType)out->dtype));
        }
    }
    return ctx_poll(call->ctx);
}

// float32 by default, as TensorFlow's StringToNumber.
static const AttrDesc to_number_attrs[] = {
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
};
// OP_MAY_FAIL: no pass may run it where the program would not have.
const OpDesc op_strings_to_number = {
    .name = "strings.to_number",
    .params = "x, /",
    .doc = "The number that each string writes out.\n"
           "OpValueError where it is none, or does not fit the dtype.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_MAY_FAIL,
    .attrs = to_number_attrs,
    .attr_count = 1,
    .infer = infer_to_number,
    .kernel = kernel_to_number,
    .graphdef = "StringToNumber",
};
