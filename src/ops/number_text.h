// Floats as the shortest decimal digits that give them back.
#ifndef DUET_OPS_NUMBER_TEXT_H
#define DUET_OPS_NUMBER_TEXT_H

#include "ops/dtype.h"

// 0.DIGITS * 10^point, DIGITS without leading or trailing zeros ("0" is one
// digit with point 1).
typedef struct Decimal {
    char digits[24];
    int count;
    int point;
    bool negative;
    bool finite; // else the rest means nothing
} Decimal;

enum { DECIMAL_TEXT_SIZE = 400 }; // room for any positional form

// `dtype` is one of floats: what the digits must give back.
Decimal decimal_of(double value, DType dtype);
// The number as the dtype holds it; `end` as strtod's.
double decimal_read(const char *text, DType dtype, char **end);
// Leaves at most `places` digits behind the point (behind the first digit if
// `exponents`), rounded from `value`, which the decimal is of.
void decimal_cut(Decimal *decimal, double value, int places, bool exponents);
// Sizes of arrays and of scalars from here on show exponents, as in NumPy.
double decimal_large(DType dtype, bool scalar);
// "1.5", "-0.0001", "100."; the point always stands. The length.
int decimal_positional(const Decimal *decimal, char *out);
// "1.5e+00" with `fraction` digits after the point (zeros are added, none are
// cut) and an exponent of at least two digits. The length.
int decimal_scientific(const Decimal *decimal, int fraction, char *out);
// As NumPy prints a scalar: "6.0", "1e-05", "nan", "-inf"; a bfloat16 as
// ml_dtypes does, by six digits at most: "1.10156", "6".
int decimal_scalar(double value, DType dtype, char *out);

#endif
