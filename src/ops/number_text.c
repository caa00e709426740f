// Floats as the shortest decimal digits that give them back: the fewest digits
// for which the correctly rounded decimal reads as the same value.
#include "ops/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/half.h"

double decimal_read(const char *text, DType dtype, char **end)
{
    if (dtype == DT_FLOAT16) {
        return (double)f16_widen(f16_of_double(strtod(text, end)));
    }
    if (dtype == DT_FLOAT64) {
        return strtod(text, end);
    }
    // Not by way of a double: that would round twice.
    float single = strtof(text, end);
    return (double)(dtype == DT_BFLOAT16 ? bf16_widen(bf16_round(single))
                                         : single);
}

// NumPy's rule: what the dtype's whole decimal digits reach, 8 at most in
// arrays.
double decimal_large(DType dtype, bool scalar)
{
    if (dtype == DT_FLOAT16) {
        return 1e3;
    }
    return dtype == DT_FLOAT32 ? 1e6 : scalar ? 1e16 : 1e8;
}

// From "d.ddde±xx": digits before the mark, the exponent behind it.
static void take_digits(Decimal *d, const char *text)
{
    const char *mark = strchr(text, 'e');
    d->count = 0;
    for (const char *at = text; at < mark; at++) {
        if (*at != '.') {
            d->digits[d->count++] = *at;
        }
    }
    // A rounding up may leave zeros at the end.
    while (d->count > 1 && d->digits[d->count - 1] == '0') {
        d->count--;
    }
    // How many digits stand before the point; 0 or less: zeros behind it.
    d->point = (int)strtol(mark + 1, NULL, 10) + 1;
}

// One digit more at a time until it reads back: 9 digits always do for
// float32 and less, 17 for float64. Slower than Ryu or Grisu by far, but short,
// and its digits are the correctly rounded ones that C gives.
Decimal decimal_of(double value, DType dtype)
{
    Decimal d = {.negative = signbit(value) != 0, .finite = isfinite(value)};
    char text[40];
    int most = dtype == DT_FLOAT64 ? 17 : 9, precision = 0;
    if (!d.finite) {
        return d;
    }
    // The sign is kept apart, so that digits begin at text[0].
    value = fabs(value);
    do {
        snprintf(text, sizeof(text), "%.*e", precision, value);
    } while (decimal_read(text, dtype, NULL) != value && ++precision < most);
    take_digits(&d, text);
    return d;
}

void decimal_cut(Decimal *d, double value, int places, bool exponents)
{
    char text[40];
    int behind = exponents ? d->count - 1 : d->count - d->point;
    if (!d->finite || behind <= places) {
        return;
    }
    int precision = exponents ? places : d->point - 1 + places;
    if (precision < 0) { // below the last place: 0, or 1 there
        // Its half is no double often, so that C rounds the value itself.
        char whole[DECIMAL_TEXT_SIZE];
        snprintf(whole, sizeof(whole), "%.*f", places, fabs(value));
        snprintf(text, sizeof(text), "%.0e", strtod(whole, NULL));
    } else {
        snprintf(text, sizeof(text), "%.*e", precision, fabs(value));
    }
    take_digits(d, text);
}

// NumPy's unique form: the point always shows, but no zero behind it ("1.").
int decimal_positional(const Decimal *d, char *out)
{
    int n = 0, i = 0;
    if (d->negative) {
        out[n++] = '-';
    }
    if (d->point <= 0) {
        out[n++] = '0';
    }
    // Digits before the point, filled up with zeros.
    for (; i < d->point; i++) {
        out[n++] = i < d->count ? d->digits[i] : '0';
    }
    out[n++] = '.';
    bool zero = d->count == 1 && d->digits[0] == '0';
    for (int zeros = d->point; zeros < 0 && !zero; zeros++) {
        out[n++] = '0';
    }
    for (; i < d->count; i++) {
        out[n++] = d->digits[i];
    }
    out[n] = '\0';
    return n;
}

// At least two digits in the exponent, as in C and Python.
int decimal_scientific(const Decimal *d, int fraction, char *out)
{
    int n = 0;
    if (d->negative) {
        out[n++] = '-';
    }
    out[n++] = d->digits[0];
    out[n++] = '.';
    for (int i = 1; i < d->count || i <= fraction; i++) {
        out[n++] = i < d->count ? d->digits[i] : '0';
    }
    bool zero = d->count == 1 && d->digits[0] == '0';
    return n + sprintf(out + n, "e%+03d", zero ? 0 : d->point - 1);
}

// Python's repr of a float: exponents below 1e-4 and from 1e16 on.
int decimal_scalar(double value, DType dtype, char *out)
{
    Decimal d = decimal_of(value, dtype);
    if (!d.finite) {
        const char *text = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        return sprintf(out, "%s", text);
    }
    if (dtype == DT_BFLOAT16) {
        return sprintf(out, "%g", value);
    }
    double size = fabs(value);
    // The bounds of float.__repr__, for float32 as well.
    if (size != 0 && (size < 1e-4 || size >= decimal_large(dtype, true))) {
        int n = decimal_scientific(&d, 0, out);
        char *dot = strstr(out, ".e");
        if (dot != NULL) { // one digit alone stands without a point
            memmove(dot, dot + 1, strlen(dot));
            n--;
        }
        return n;
    }
    int n = decimal_positional(&d, out);
    if (out[n - 1] == '.') {
        out[n++] = '0';
        out[n] = '\0';
    }
    return n;
}
