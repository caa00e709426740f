// Pieces of a GraphDef's text: types, attributes, tensors, names.
#include "export/graphdef_text.h"

#include <string.h>

// From the table of dtypes, which has TensorFlow's names.
const char *gd_type(DType dtype)
{
    static const char *const names[] = {
#define DTYPE(id, name, ctype, size, class, tf) tf,
#include "ops/dtype_list.h"
#undef DTYPE
    };
    // A list of tensors is TensorFlow's TensorList.
    return dtype_is_list(dtype) ? "DT_VARIANT" : names[dtype];
}

// Every attribute is a key and a value on lines of their own.
static void attr_open(StrBuf *out, const char *key)
{
    strbuf_printf(out, "  attr {\n    key: \"%s\"\n    value { ", key);
}

// Ends what attr_open began.
static void attr_close(StrBuf *out)
{
    strbuf_puts(out, " }\n  }\n");
}

// "T", "dtype", …: one type.
void gd_attr_type(StrBuf *out, const char *key, DType dtype)
{
    gd_attr_type_text(out, key, gd_type(dtype));
}

// Of what has no dtype in Duet.
void gd_attr_type_text(StrBuf *out, const char *key, const char *type)
{
    attr_open(out, key);
    strbuf_printf(out, "type: %s", type);
    attr_close(out);
}

// The types of values, in order.
void gd_attr_types(StrBuf *out, const char *key, Graph *graph,
                   const ValueId *values, uint32_t count)
{
    attr_open(out, key);
    strbuf_puts(out, "list {");
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(out, " type: %s",
                      gd_type(graph_type(graph, values[i]).dtype));
    }
    strbuf_puts(out, " }");
    attr_close(out);
}

// Resources have no dtype in Duet: their type comes as a text.
void gd_attr_type_list(StrBuf *out, const char *key, const char *const *types,
                       uint32_t count)
{
    attr_open(out, key);
    strbuf_puts(out, "list {");
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(out, " type: %s", types[i]);
    }
    strbuf_puts(out, " }");
    attr_close(out);
}

// Axes, counts and masks.
void gd_attr_int(StrBuf *out, const char *key, int64_t value)
{
    attr_open(out, key);
    strbuf_printf(out, "i: %lld", (long long)value);
    attr_close(out);
}

// A list of ints.
void gd_attr_ints(StrBuf *out, const char *key, const int64_t *ints,
                  uint32_t count)
{
    attr_open(out, key);
    strbuf_puts(out, "list {");
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(out, " i: %lld", (long long)ints[i]);
    }
    strbuf_puts(out, " }");
    attr_close(out);
}

// A string in quotes. protobuf reads octal escapes of three digits.
static void quoted(StrBuf *out, const char *bytes, size_t length)
{
    strbuf_putc(out, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        // Always three digits, so that a digit behind the escape cannot be
        // taken for a part of it.
        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\') {
            strbuf_printf(out, "\\%03o", byte);
        } else {
            strbuf_putc(out, (char)byte);
        }
    }
    strbuf_putc(out, '"');
}

// Bytes, quoted.
void gd_attr_text(StrBuf *out, const char *key, const char *bytes,
                  size_t length)
{
    attr_open(out, key);
    strbuf_puts(out, "s: ");
    quoted(out, bytes, length);
    attr_close(out);
}

// "keep_dims" and the like.
void gd_attr_bool(StrBuf *out, const char *key, bool value)
{
    attr_open(out, key);
    strbuf_printf(out, "b: %s", value ? "true" : "false");
    attr_close(out);
}

// A function of the library, by name.
void gd_attr_func(StrBuf *out, const char *key, const char *name)
{
    attr_open(out, key);
    strbuf_printf(out, "func { name: \"%s\" }", name);
    attr_close(out);
}

// A shape's message: -1 is a size that is not known.
static void shape(StrBuf *out, const char *field, TensorType type)
{
    strbuf_printf(out, "%s {", field);
    if (type.rank == RANK_UNKNOWN) {
        strbuf_puts(out, " unknown_rank: true");
    }
    // RANK_UNKNOWN is negative: no dims then. DIM_UNKNOWN is -1, as in
    // TensorFlow.
    for (int i = 0; i < type.rank; i++) {
        strbuf_printf(out, " dim { size: %lld }", (long long)type.dims[i]);
    }
    strbuf_puts(out, " }");
}

// The shape as an attribute of its own.
void gd_attr_shape(StrBuf *out, const char *key, TensorType type)
{
    attr_open(out, key);
    shape(out, "shape", type);
    attr_close(out);
}

// Single numbers in fields that can be read, more elements as raw bytes, which
// protobuf keeps bit for bit.
void gd_attr_tensor(StrBuf *out, const Tensor *tensor)
{
    DType dtype = (DType)tensor->dtype;
    attr_open(out, "value");
    strbuf_printf(out, "tensor { dtype: %s ", gd_type(dtype));
    shape(out, "tensor_shape", tensor_type(tensor));
    // Strings have no raw form: each is a field of its own.
    if (dtype == DT_STRING) {
        TensorString **strings = tensor->data;
        for (int64_t i = 0; i < tensor->count; i++) {
            strbuf_puts(out, " string_val: ");
            quoted(out, strings[i]->bytes, strings[i]->length);
        }
    } else if (tensor->count == 1 && dtype == DT_BOOL) {
        strbuf_printf(out, " bool_val: %s",
                      tensor_int_at(tensor, 0) ? "true" : "false");
    } else if (tensor->count == 1 && dtype_is_integer(dtype)) {
        // All integers but int64 share the field int_val.
        strbuf_printf(out, " %s: %lld",
                      dtype == DT_INT64 ? "int64_val" : "int_val",
                      (long long)tensor_int_at(tensor, 0));
    } else if (tensor->count > 0) {
        // Floats go this way even if there is one: no decimal form would bring
        // back every NaN. The bytes are those of a little-endian machine.
        strbuf_puts(out, " tensor_content: ");
        quoted(out, tensor->data, (size_t)tensor->count * dtype_size(dtype));
    }
    strbuf_puts(out, " }");
    attr_close(out);
}
