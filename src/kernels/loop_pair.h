// Numbers as sums of two floats that do not overlap: what is between two
// functions, so that only the last step rounds. What is rough has a low part of
// 0, and none of the steps that make one.
#ifndef DUET_KERNELS_LOOP_PAIR_H
#define DUET_KERNELS_LOOP_PAIR_H

#include "kernels/loop_math.h"

typedef struct LoopPair {
    LoopValue high, low;
} LoopPair;

// A number of one part, and a constant of two.
LoopPair loop_pair_of(LoopBuild *build, LoopValue x);
LoopPair loop_pair_like(LoopBuild *build, LoopValue x, double high, double low);
// x + y and x y, exactly; the second asks for |x| >= |y|, or x = 0.
LoopPair loop_pair_sum(LoopBuild *build, LoopValue x, LoopValue y);
LoopPair loop_pair_join(LoopBuild *build, LoopValue x, LoopValue y);
LoopPair loop_pair_product(LoopBuild *build, LoopValue x, LoopValue y);
// Of pairs, to about twice the precision. The root of 0 is 0.
LoopPair loop_pair_add(LoopBuild *build, LoopPair x, LoopPair y);
LoopPair loop_pair_mul(LoopBuild *build, LoopPair x, LoopPair y);
LoopPair loop_pair_div(LoopBuild *build, LoopPair x, LoopPair y);
LoopPair loop_pair_sqrt(LoopBuild *build, LoopPair x);
LoopPair loop_pair_negative(LoopBuild *build, LoopPair x);
LoopPair loop_pair_select(LoopBuild *build, LoopValue mask, LoopPair x,
                          LoopPair y);
static inline LoopValue loop_pair_round(LoopBuild *build, LoopPair x)
{
    return loop_add(build, x.high, x.low);
}

// log(x) = whole ln 2 + part, for x above 0 alone. `precise`: to 2^-65, else to
// 2^-59.
typedef struct LoopLogarithm {
    LoopPair part;
    LoopValue whole;
} LoopLogarithm;
LoopLogarithm loop_logarithm(LoopBuild *build, LoopPair x, bool precise);
LoopPair loop_logarithm_pair(LoopBuild *build, LoopLogarithm log);

#endif
