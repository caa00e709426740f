// The gamma function and its logarithm, to the last bit those of Python.
#ifndef DUET_MODULES_NATIVE_MATH_GAMMA_H
#define DUET_MODULES_NATIVE_MATH_GAMMA_H

// NaN where the function has no value (0 and the negative whole numbers), an
// infinity where the result is too large.
double math_gamma_value(double x);
// log(|gamma(x)|), with the same two answers.
double math_gamma_log(double x);

#endif
