// Printed forms of tensors, in NumPy's layout (staging.md 1).
//
// All elements that show are measured first (Format), so that they share one
// width; then rows are laid out in 75 columns. Beyond 1,000 elements only
// three at each edge of a dimension show. A style has other numbers.
#include "ops/tensor_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/half.h"
#include "ops/number_text.h"

// What the elements that show have in common; filled by `measure`, then only
// read. Which fields count depends on the dtype.
typedef struct Format {
    const Tensor *tensor;
    PrintStyle style;
    bool summary;
    bool exponents;     // floats: all in exponent form
    int left, right;    // floats: columns before and after the point
    int width;          // other numbers
    double least, most; // smallest and largest size of what is not 0
    int fraction;       // digits after the point in exponent form
    int special;        // columns of the widest NaN or infinity
} Format;

// Two passes over the same elements go through one walk, so that measuring and
// the choice of what shows cannot differ.
typedef void (*Visit)(Format *format, int64_t index);

// Whether what an axis leaves out begins at `i`: an axis no longer than its two
// edges is shown whole, even in a summary.
static bool left_out(const Format *f, int64_t size, int64_t i)
{
    int64_t edge = f->style.edge;
    return f->summary && i == edge && size - edge > edge;
}

// Calls `visit` for each element that shows.
// Recursion over axes: SHAPE_MAX_RANK bounds its depth.
static void visit_shown(Format *f, int axis, int64_t at, Visit visit)
{
    const Tensor *t = f->tensor;
    if (axis == t->rank) {
        visit(f, at);
        return;
    }
    int64_t size = tensor_dims(t)[axis];
    for (int64_t i = 0; i < size; i++) {
        if (left_out(f, size, i)) {
            i = size - f->style.edge - 1;
        } else {
            visit_shown(f, axis + 1, at * size + i, visit);
        }
    }
}

// ---- measuring

// The minus sign is part of the width, as in NumPy.
static void measure_int(Format *f, int64_t index)
{
    int width = snprintf(NULL, 0, "%" PRId64, tensor_int_at(f->tensor, index));
    f->width = width > f->width ? width : f->width;
}

// Zeros, NaN and infinities have no say in the choice of exponents.
static void measure_size(Format *f, int64_t index)
{
    double value = tensor_float_at(f->tensor, index), size = fabs(value);
    int wide = isfinite(size) ? 0 : isinf(size) && value < 0 ? 4 : 3;
    f->special = wide > f->special ? wide : f->special; // "nan", "inf", "-inf"
    if (isfinite(size) && size != 0) {
        f->least = f->most == 0 || size < f->least ? size : f->least;
        f->most = size > f->most ? size : f->most;
    }
}

static Decimal shown_digits(const Format *f, double value)
{
    Decimal d = decimal_of(value, (DType)f->tensor->dtype);
    decimal_cut(&d, value, f->style.places, f->exponents);
    return d;
}

// The digits of each element decide how many columns stand on each side of the
// point.
static void measure_float(Format *f, int64_t index)
{
    char text[DECIMAL_TEXT_SIZE];
    Decimal d = shown_digits(f, tensor_float_at(f->tensor, index));
    if (!d.finite) {
        return;
    }
    int length = f->exponents ? decimal_scientific(&d, 0, text)
                              : decimal_positional(&d, text);
    // Both forms have a point always.
    int left = (int)(strchr(text, '.') - text), right = length - left - 1;
    if (f->exponents) {
        int exponent = (int)strlen(strchr(text, 'e'));
        int fraction = right - exponent;
        f->fraction = fraction > f->fraction ? fraction : f->fraction;
        right = exponent; // fraction is added when all are known
    }
    f->left = left > f->left ? left : f->left;
    f->right = right > f->right ? right : f->right;
}

// NumPy's rule: exponents when sizes are far apart or far from 1, compared in
// the tensor's own precision; a style may want them for large ones only.
static bool wants_exponents(const Format *f)
{
    if (f->most == 0) {
        return false;
    }
    DType dtype = (DType)f->tensor->dtype;
    double times = f->most / f->least;
    double least = dtype == DT_FLOAT32 ? (double)0.0001f : 0.0001;
    // NumPy compares in the array's dtype: a quotient that rounds to 1000 in
    // float32 does not count as more.
    times = dtype == DT_FLOAT32   ? (double)(float)times
            : dtype == DT_FLOAT16 ? (double)f16_widen(f16_of_double(times))
                                  : times;
    return f->most >= decimal_large(dtype, false) ||
           (!f->style.suppress && (f->least < least || times > 1000));
}

// Sizes first: whether exponents show decides how digits are counted. Strings
// and bools need no width, and a bfloat16 has none: NumPy knows it as a
// stranger, whose elements stand one after another.
static void measure(Format *f)
{
    DType dtype = (DType)f->tensor->dtype;
    if (!dtype_is_float(dtype) || dtype == DT_BFLOAT16) {
        if (dtype_is_integer(dtype)) {
            visit_shown(f, 0, 0, measure_int);
        }
        return;
    }
    visit_shown(f, 0, 0, measure_size);
    f->exponents = wants_exponents(f);
    visit_shown(f, 0, 0, measure_float);
    // Exponents are all as wide as the widest one.
    f->right += f->exponents ? f->fraction : 0;
    // "nan" and "inf" stand right-aligned over the whole width.
    int least = f->special - (f->right + 1);
    f->left = f->left > least ? f->left : least;
}

// ---- elements

// All show equally many digits, true ones, before the exponent and in it.
// Returns the length.
static int exponent_form(const Format *f, double value, char *text)
{
    int length = snprintf(text, DECIMAL_TEXT_SIZE, "%#.*e", f->fraction, value);
    char *digits = strchr(text, 'e') + 2;
    int missing = f->right - f->fraction - (int)strlen(digits) - 2;
    memmove(digits + missing, digits, strlen(digits) + 1);
    memset(digits, '0', (size_t)missing);
    return length + missing;
}

// Points stand in one column: filled up on the left, then on the right, with
// blanks where other elements have more digits.
static void add_float(StrBuf *out, const Format *f, int64_t index)
{
    char text[DECIMAL_TEXT_SIZE];
    double value = tensor_float_at(f->tensor, index);
    if (f->tensor->dtype == DT_BFLOAT16) {
        decimal_scalar(value, DT_BFLOAT16, text);
        strbuf_puts(out, text);
        return;
    }
    Decimal d = shown_digits(f, value);
    int width = f->left + 1 + f->right;
    if (!d.finite) {
        int length = decimal_scalar(value, DT_FLOAT64, text);
        strbuf_pad(out, ' ', (size_t)(width > length ? width - length : 0));
        strbuf_puts(out, text);
        return;
    }
    int length = f->exponents ? exponent_form(f, value, text)
                              : decimal_positional(&d, text);
    int left = (int)(strchr(text, '.') - text);
    strbuf_pad(out, ' ', (size_t)(f->left - left));
    strbuf_add(out, text, (size_t)length);
    int short_of = width - (f->left - left) - length;
    strbuf_pad(out, ' ', (size_t)(short_of > 0 ? short_of : 0));
}

// As Python shows bytes.
static void add_bytes(StrBuf *out, const TensorString *string)
{
    // Double quotes only where they save escapes, as in Python.
    bool has_single = memchr(string->bytes, '\'', string->length) != NULL;
    bool has_double = memchr(string->bytes, '"', string->length) != NULL;
    char quote = has_single && !has_double ? '"' : '\'';
    strbuf_printf(out, "b%c", quote);
    for (uint32_t i = 0; i < string->length; i++) {
        unsigned char byte = (unsigned char)string->bytes[i];
        if (byte == (unsigned char)quote || byte == '\\') {
            strbuf_printf(out, "\\%c", byte);
        } else if (byte == '\n' || byte == '\r' || byte == '\t') {
            strbuf_puts(out, byte == '\n'   ? "\\n"
                             : byte == '\r' ? "\\r"
                                            : "\\t");
        } else if (byte < ' ' || byte >= 0x7f) {
            strbuf_printf(out, "\\x%02x", byte);
        } else {
            strbuf_putc(out, (char)byte);
        }
    }
    strbuf_putc(out, quote);
}

// " True" has the width of "False": bools stand in columns too.
static void add_element(StrBuf *out, const Format *f, int64_t index)
{
    const Tensor *t = f->tensor;
    if (t->dtype == DT_STRING) {
        add_bytes(out, ((TensorString *const *)t->data)[index]);
    } else if (t->dtype == DT_BOOL) {
        strbuf_puts(out, tensor_int_at(t, index) ? " True" : "False");
    } else if (dtype_is_float((DType)t->dtype)) {
        add_float(out, f, index);
    } else {
        strbuf_printf(out, "%*" PRId64, f->width, tensor_int_at(t, index));
    }
}

// A scalar has no columns to fill: it shows as its Python number does.
static void add_scalar(StrBuf *out, const Tensor *t)
{
    char text[DECIMAL_TEXT_SIZE];
    Format f = {.tensor = t};
    if (t->dtype == DT_BOOL) {
        strbuf_puts(out, tensor_int_at(t, 0) ? "True" : "False");
    } else if (dtype_is_float((DType)t->dtype)) {
        decimal_scalar(tensor_float_at(t, 0), (DType)t->dtype, text);
        strbuf_puts(out, text);
    } else {
        add_element(out, &f, 0);
    }
}

// ---- layout

// Where the text goes and how far its current line has come.
typedef struct PrintLayout {
    StrBuf *out;
    const Format *format;
    const char *separator; // ", " or " "
    size_t line_start;     // where the current line begins in out
} PrintLayout;

// NumPy leaves no blanks at the end of a line that it breaks.
static void trim_line(StrBuf *out)
{
    while (out->length > 0 && out->text[out->length - 1] == ' ') {
        out->text[--out->length] = '\0';
    }
}

// Puts what was appended from `from` on on a new line if it does not fit.
static void wrap(PrintLayout *l, size_t from, int indent, int width)
{
    StrBuf *out = l->out;
    if (!strbuf_ok(out) || out->length - l->line_start <= (size_t)width ||
        from - l->line_start <= (size_t)indent) {
        return;
    }
    size_t length = out->length - from;
    // The element is taken out, the line ended, the element put back.
    char *word = ctx_strndup(out->ctx, out->text + from, length);
    if (word == NULL) {
        strbuf_fail(out);
        return;
    }
    out->length = from;
    trim_line(out);
    strbuf_putc(out, '\n');
    l->line_start = out->length;
    strbuf_pad(out, ' ', (size_t)indent);
    strbuf_add(out, word, length);
    ctx_free(out->ctx, word, length + 1);
}

// The innermost dimension. `indent` is where elements begin, `width` the
// columns that are left beside the closing brackets.
static void add_row(PrintLayout *l, int64_t at, int64_t size, int indent,
                    int width)
{
    // NumPy keeps one column free for what follows an element.
    int room = width - 1; // the separator's comma, or the bracket
    strbuf_putc(l->out, '[');
    for (int64_t i = 0; i < size; i++) {
        size_t from = l->out->length;
        if (left_out(l->format, size, i)) {
            i = size - l->format->style.edge - 1;
            strbuf_puts(l->out, "...");
        } else {
            add_element(l->out, l->format, at * size + i);
        }
        wrap(l, from, indent, room);
        // The separator's blank may go beyond: wrap trims it.
        strbuf_puts(l->out, i + 1 < size ? l->separator : "");
    }
    strbuf_putc(l->out, ']');
}

// One newline more for each dimension that closes, so that matrices of a stack
// are set apart by an empty line.
static void add_level(PrintLayout *l, int axis, int64_t at, int indent,
                      int width)
{
    const Tensor *t = l->format->tensor;
    int64_t size = tensor_dims(t)[axis];
    if (axis == t->rank - 1) {
        add_row(l, at, size, indent, width);
        return;
    }
    strbuf_putc(l->out, '[');
    for (int64_t i = 0; i < size; i++) {
        if (i > 0) {
            strbuf_puts(l->out, l->separator[0] == ',' ? "," : "");
            strbuf_pad(l->out, '\n', (size_t)(t->rank - 1 - axis));
            l->line_start = l->out->length;
            strbuf_pad(l->out, ' ', (size_t)indent);
        }
        if (left_out(l->format, size, i)) {
            i = size - l->format->style.edge - 1;
            strbuf_puts(l->out, "...");
        } else {
            add_level(l, axis + 1, at * size + i, indent + 1, width - 1);
        }
    }
    strbuf_putc(l->out, ']');
}

// A scalar has no brackets, and nothing is measured where nothing shows.
static void add_array(StrBuf *out, const Tensor *tensor,
                      const PrintStyle *style, bool commas, int prefix)
{
    if (tensor->rank == 0) {
        add_scalar(out, tensor);
        return;
    }
    if (tensor->count == 0) {
        strbuf_puts(out, "[]");
        return;
    }
    Format format = {.tensor = tensor,
                     .style = *style,
                     .summary = tensor->count > style->threshold};
    measure(&format);
    PrintLayout layout = {.out = out,
                          .format = &format,
                          .separator = commas ? ", " : " ",
                          .line_start = out->length - (size_t)prefix};
    int suffix = commas ? 1 : 0;
    add_level(&layout, 0, 0, prefix + 1, style->columns - suffix);
}

void tensor_print_styled(StrBuf *out, const Tensor *tensor,
                         const PrintStyle *style, bool commas, int prefix)
{
    // Lines are counted from `prefix` columns before here.
    StrBuf own;
    strbuf_init(&own, out->ctx);
    strbuf_pad(&own, ' ', (size_t)prefix);
    add_array(&own, tensor, style, commas, prefix);
    if (strbuf_ok(&own)) {
        strbuf_puts(out, strbuf_text(&own) + prefix);
    } else {
        strbuf_fail(out);
    }
    strbuf_free(&own);
}

// `prefix`: the columns that stand in front of the first line, which the
// following lines are indented by. `commas`: as a literal.
void tensor_print_array(StrBuf *out, const Tensor *tensor, int places,
                        bool commas, int prefix)
{
    PrintStyle style = PRINT_STYLE_NUMPY;
    style.places = places;
    tensor_print_styled(out, tensor, &style, commas, prefix);
}

// Without commas, as NumPy's str().
void tensor_print_str(StrBuf *out, const Tensor *tensor)
{
    tensor_print_array(out, tensor, TENSOR_NUMPY_PLACES, false, 0);
}

// Appends `extra` behind the array part if its line has room, else below.
static void add_extra(StrBuf *out, const StrBuf *array, const char *extra,
                      size_t indent, int columns)
{
    // The last line alone decides whether there is room.
    const char *newline = strrchr(array->text, '\n');
    size_t last = newline == NULL ? array->length : strlen(newline + 1);
    size_t tail = strlen(", ") + strlen(extra) + strlen(")");
    bool fits = last + tail <= (size_t)columns;
    strbuf_puts(out, array->text);
    strbuf_puts(out, fits ? ", " : ",\n");
    strbuf_pad(out, ' ', fits ? 0 : indent);
    strbuf_puts(out, extra);
}

// "opening[...]extra)", in which `extra` goes onto a line of its own if the
// last one is full.
void tensor_print_styled_call(StrBuf *out, const Tensor *tensor,
                              const PrintStyle *style, const char *opening,
                              const char *extra)
{
    StrBuf own;
    strbuf_init(&own, out->ctx);
    strbuf_puts(&own, opening);
    tensor_print_styled(&own, tensor, style, true, (int)strlen(opening));
    if (!strbuf_ok(&own)) {
        strbuf_fail(out);
    } else if (*extra == '\0') {
        strbuf_puts(out, own.text);
    } else {
        add_extra(out, &own, extra, strlen(opening), style->columns);
    }
    strbuf_putc(out, ')');
    strbuf_free(&own);
}

// "tensor([1., 2.], dtype=float32)".
void tensor_print_repr(StrBuf *out, const Tensor *tensor)
{
    PrintStyle style = PRINT_STYLE_NUMPY;
    style.places = TENSOR_ALL_PLACES;
    // An empty tensor of a higher rank would lose its shape in "[]".
    StrBuf extra;
    strbuf_init(&extra, out->ctx);
    if (tensor->count == 0 && tensor->rank > 1) {
        strbuf_puts(&extra, "shape=");
        shape_print(&extra, tensor->rank, tensor_dims(tensor));
        strbuf_puts(&extra, ", ");
    }
    strbuf_printf(&extra, "dtype=%s", dtype_name((DType)tensor->dtype));
    if (strbuf_ok(&extra)) {
        tensor_print_styled_call(out, tensor, &style, "tensor(",
                                 strbuf_text(&extra));
    } else {
        strbuf_fail(out);
    }
    strbuf_free(&extra);
}
