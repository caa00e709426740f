// The gamma function by Lanczos' approximation, as Python computes it: C's
// tgamma and lgamma differ from it in the last digits, and even at whole
// numbers.
//
// Source: C. Lanczos, "A precision approximation of the gamma function", 1964;
// the coefficients are those that Boost publishes for 13 terms and doubles.
#include "modules/native/math_gamma.h"

#include <math.h>
#include <stdbool.h>

// Lanczos' free parameter, for which the coefficients hold.
static const double shift = 6.024680040776729583740234375;
static const double shift_less_half = 5.524680040776729583740234375;
static const double log_pi = 1.144729885849400174143427351353058711647;

enum { TERM_COUNT = 13 };

// The quotient of two polynomials. Above 5 it is taken in 1/x, whose powers do
// not overflow.
static double lanczos_sum(double x)
{
    static const struct {
        double above, below; // the coefficients of x**i
    } terms[TERM_COUNT] = {
        {23531376880.410759688572007674451636754734846804940, 0.0},
        {42919803642.649098768957899047001988850926355848959, 39916800.0},
        {35711959237.355668049440185451547166705960488635843, 120543840.0},
        {17921034426.037209699919755754458931112671403265390, 150917976.0},
        {6039542586.3520280050642916443072979210699388420708, 105258076.0},
        {1439720407.3117216736632230727949123939715485786372, 45995730.0},
        {248874557.86205415651146038641322942321632125127801, 13339535.0},
        {31426415.585400194380614231628318205362874684987640, 2637558.0},
        {2876370.6289353724412254090516208496135991145378768, 357423.0},
        {186056.26539522349504029498971604569928220784236328, 32670.0},
        {8071.6720023658162106380029022722506138218516325024, 1925.0},
        {210.82427775157934587250973392071336271166969580291, 66.0},
        {2.5066282746310002701649081771338373386264310793408, 1.0},
    };
    double above = 0, below = 0;
    for (int i = 0; i < TERM_COUNT; i++) {
        int at = x < 5 ? TERM_COUNT - 1 - i : i;
        above = (x < 5 ? above * x : above / x) + terms[at].above;
        below = (x < 5 ? below * x : below / x) + terms[at].below;
    }
    return above / below;
}

// sin(pi * x) without the error of a product with a rounded pi: x is brought
// next to 0 first.
static double sine_of_pi(double x)
{
    double y = fmod(fabs(x), 2.0), result;
    switch ((int)round(2.0 * y)) {
    case 0: result = sin(M_PI * y); break;
    case 1: result = cos(M_PI * (y - 0.5)); break;
    case 2: result = sin(M_PI * (1.0 - y)); break;
    case 3: result = -cos(M_PI * (y - 1.5)); break;
    default: result = sin(M_PI * (y - 2.0)); break;
    }
    return copysign(1.0, x) * result;
}

// gamma(x) of a whole number: a product that is exact up to 23.
static double whole_gamma(double x)
{
    double result = 1;
    for (int i = 2; i < (int)x; i++) {
        result *= i;
    }
    return result;
}

// value * base**exponent, in two steps where the power alone would overflow.
static double scaled(double value, double base, double exponent, double size)
{
    if (size < 140.0) {
        return value * pow(base, exponent);
    }
    double root = pow(base, exponent / 2.0);
    return value * root * root;
}

// As scaled, with a division.
static double divided(double value, double base, double exponent, double size)
{
    if (size < 140.0) {
        return value / pow(base, exponent);
    }
    double root = pow(base, exponent / 2.0);
    return value / root / root;
}

// Neither whole nor close to 0 or the ends.
static double lanczos_gamma(double x)
{
    double size = fabs(x), y = size + shift_less_half;
    // What the sum y was rounded by, put right at the end.
    double lost = size > shift_less_half ? y - size - shift_less_half
                                         : y - shift_less_half - size;
    double mend = lost * shift / y;
    double exponent = size - 0.5;
    if (x < 0) {
        // The reflection: gamma(x) * gamma(-x) = -pi / (x * sin(pi * x)).
        double result =
            -M_PI / sine_of_pi(size) / size * exp(y) / lanczos_sum(size);
        return divided(result - mend * result, y, exponent, size);
    }
    double result = lanczos_sum(size) / exp(y);
    return scaled(result + mend * result, y, exponent, size);
}

// 200 is past where doubles end (171.6), and where a negative one becomes 0.
double math_gamma_value(double x)
{
    if (!isfinite(x)) {
        return x < 0 ? NAN : x;
    }
    bool whole = x == floor(x);
    if (whole && x <= 0) {
        return NAN;
    }
    if (whole && x <= 23.0) {
        return whole_gamma(x);
    }
    if (fabs(x) < 1e-20) {
        return 1.0 / x;
    }
    if (fabs(x) > 200.0) {
        return x < 0 ? 0.0 / sine_of_pi(x) : HUGE_VAL;
    }
    return lanczos_gamma(x);
}

double math_gamma_log(double x)
{
    if (!isfinite(x)) {
        return isnan(x) ? x : HUGE_VAL;
    }
    if (x == floor(x) && x <= 2.0) {
        return x <= 0 ? NAN : 0.0;
    }
    double size = fabs(x);
    if (size < 1e-20) {
        return -log(size);
    }
    double result = log(lanczos_sum(size)) - shift;
    result += (size - 0.5) * (log(size + shift - 0.5) - 1);
    if (x < 0) {
        result = log_pi - log(fabs(sine_of_pi(size))) - log(size) - result;
    }
    return result;
}
