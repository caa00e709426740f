#!/usr/bin/env python3
"""Makes src/kernels/loop_factors.h, the factors of the mathematical functions.

    tools/factors.py | clang-format >src/kernels/loop_factors.h

Needs mpmath. Each polynomial is fitted at the nodes of Chebyshev by weighted
least squares, one factor after the other: the lowest is rounded to the type in
which it is used, then the others make up for what that has changed. What
stands before a table is the largest error, weighted likewise.
"""
from mpmath import (atan, cos, erf, erfc, exp, expm1, fabs, log, matrix, mp, mpf,
                    pi, qr_solve, sin, sinh, sqrt, tanh)

mp.prec = 220


def rounded(value, single):
    """The nearest float64, or float32, as a number of mpmath."""
    with mp.workprec(24 if single else 53):
        value = +value
    return mpf(value)


def text(value, single):
    number = float(value)
    return number.hex().replace("000000p", "p") if single else number.hex()


def nodes(low, high, count):
    middle, half = (mpf(low) + high) / 2, (mpf(high) - low) / 2
    return [middle + half * cos(pi * (2 * i + 1) / (2 * count))
            for i in range(count)]


def fit(f, weight, low, high, degree, single):
    at = nodes(low, high, 2 * degree + 4)
    wanted = [f(x) for x in at]
    scale = [weight(x) for x in at]
    factors = []
    for first in range(degree + 1):
        left = matrix(len(at), degree + 1 - first)
        right = matrix(len(at), 1)
        for i, x in enumerate(at):
            known = sum(c * x**k for k, c in enumerate(factors))
            right[i] = (wanted[i] - known) * scale[i]
            for k in range(first, degree + 1):
                left[i, k - first] = x**k * scale[i]
        factors.append(rounded(qr_solve(left, right)[0][0], single))
    return factors


def table(name, f, weight, low, high, degrees):
    """Tables for float64, for float32 and for float64 that is rounded to it:
    degrees of each, 0 or missing: none."""
    for kind, degree in zip(("64", "32", "rough"), degrees):
        if degree == 0:
            continue
        factors = fit(f, weight, low, high, degree, kind == "32")
        worst = max(fabs((sum(c * x**k for k, c in enumerate(factors)) - f(x))
                         * weight(x)) for x in nodes(low, high, 300))
        print(f"// {name}: within 2^{float(log(worst, 2)):.1f}")
        print(f"static const double {name}_{kind}[] = {{")
        numbers = [text(c, kind == "32") for c in reversed(factors)]
        print(",\n".join("    " + n for n in numbers) + "};")


def pair(name, value, bits=53):
    """A number in two parts, the first of so many bits."""
    with mp.workprec(bits):
        high = mpf(+value)
    print(f"#define {name}_HIGH {float(high).hex()}")
    print(f"#define {name}_LOW {float(value - high).hex()}")


def parts(name, value, single):
    """A number in three parts."""
    left, found = +value, []
    for _ in range(3):
        found.append(rounded(left, single))
        left -= found[-1]
    kind = 32 if single else 64
    print(f"static const double {name}_{kind}[] = {{"
          + ", ".join(text(p, single) for p in found) + "};")


def square(f):
    """As a function of the square."""
    return lambda z: f(sqrt(z))


# x = (1 + t) k / (1 - t): all from 0 on is t from -1 on.
TAIL = 4


def tail(t):
    x = TAIL * (1 + t) / (1 - t)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def main():
    print("// The factors of mathematical functions, highest power first. Made")
    print("// by tools/factors.py, which says how.")
    print("#ifndef DUET_KERNELS_LOOP_FACTORS_H")
    print("#define DUET_KERNELS_LOOP_FACTORS_H\n")
    pair("LN2", log(2), 32)
    pair("INV_LN2", 1 / log(mpf(2)))
    pair("LOG10_2", log(mpf(2)) / log(mpf(10)), 32)
    pair("LOG10_E", 1 / log(mpf(10)))
    pair("PI", pi)
    pair("TWO_THIRDS", mpf(2) / 3)
    pair("SQRT_HALF", sqrt(mpf(1) / 2))
    pair("SQRT_HALF_32", sqrt(mpf(1) / 2), 24)
    parts("half_pi", pi / 2, False)
    parts("half_pi", pi / 2, True)
    end = log(mpf(2)) / 2 * mpf("1.001")
    table("exp", lambda r: (expm1(r) - r) / (r * r), lambda r: r * r / exp(r),
          -end, end, (10, 0, 6))
    end = (3 - 2 * sqrt(mpf(2)))**2 * mpf("1.001")
    table("log", square(lambda s: ((log((1 + s) / (1 - s)) / s - 2) / (s * s)
                                   - mpf(2) / 3) / (s * s)),
          lambda z: z * z / 2, mpf("1e-9"), end, (7, 0, 3))
    end = (pi / 4)**2 * mpf("1.001")
    table("sine", square(lambda r: (sin(r) / r - 1) / (r * r)),
          lambda z: z, mpf("1e-9"), end, (6, 3))
    table("cosine", square(lambda r: ((cos(r) - 1) / (r * r) + mpf(1) / 2)
                           / (r * r)), lambda z: z * z, mpf("1e-9"), end,
          (6, 3))
    end = mpf("0.42")**2
    table("atan", square(lambda t: (atan(t) / t - 1) / (t * t)), lambda z: z,
          mpf("1e-9"), end, (11, 0, 6))
    table("sinh", square(lambda x: (sinh(x) / x - 1) / (x * x)), lambda z: z,
          mpf("1e-9"), mpf(1), (6, 0, 3))
    table("tanh", square(lambda x: (tanh(x) / x - 1) / (x * x)), lambda z: z,
          mpf("1e-9"), mpf("0.625")**2, (11, 4))
    table("erf", square(lambda x: erf(x) / x - 1), lambda z: 1, mpf("1e-9"),
          mpf(1), (14, 7))
    most = {64: mpf("28"), 32: mpf("10.1")}
    for kind, degree in ((64, 25), (32, 10)):
        end = (most[kind] - TAIL) / (most[kind] + TAIL)
        table("tail", tail, lambda t: 1, -1, end,
              (degree, 0) if kind == 64 else (0, degree))
    print("\n#endif")


main()
