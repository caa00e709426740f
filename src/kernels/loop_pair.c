// See loop_pair.h.
#include "kernels/loop_pair.h"

LoopPair loop_pair_of(LoopBuild *build, LoopValue x)
{
    return (LoopPair){x, loop_like(build, x, 0)};
}

LoopPair loop_pair_like(LoopBuild *build, LoopValue x, double high, double low)
{
    return (LoopPair){loop_like(build, x, high),
                      loop_like(build, x, build->rough ? 0 : low)};
}

LoopPair loop_pair_sum(LoopBuild *build, LoopValue x, LoopValue y)
{
    if (build->rough) {
        return loop_pair_of(build, loop_add(build, x, y));
    }
    LoopValue sum = loop_add(build, x, y), of_y = loop_sub(build, sum, x);
    LoopValue of_x = loop_sub(build, sum, of_y);
    LoopValue lost =
        loop_add(build, loop_sub(build, x, of_x), loop_sub(build, y, of_y));
    return (LoopPair){sum, lost};
}

LoopPair loop_pair_join(LoopBuild *build, LoopValue x, LoopValue y)
{
    if (build->rough) {
        return loop_pair_of(build, loop_add(build, x, y));
    }
    LoopValue sum = loop_add(build, x, y);
    return (LoopPair){sum, loop_sub(build, y, loop_sub(build, sum, x))};
}

LoopPair loop_pair_product(LoopBuild *build, LoopValue x, LoopValue y)
{
    LoopValue product = loop_mul(build, x, y);
    if (build->rough) {
        return loop_pair_of(build, product);
    }
    return (LoopPair){product,
                      loop_fma(build, x, y, loop_negative(build, product))};
}

LoopPair loop_pair_add(LoopBuild *build, LoopPair x, LoopPair y)
{
    LoopPair sum = loop_pair_sum(build, x.high, y.high);
    LoopValue low = loop_add(build, x.low, y.low);
    return loop_pair_join(build, sum.high, loop_add(build, sum.low, low));
}

LoopPair loop_pair_mul(LoopBuild *build, LoopPair x, LoopPair y)
{
    LoopPair product = loop_pair_product(build, x.high, y.high);
    LoopValue low = loop_fma(build, x.low, y.high, product.low);
    low = loop_fma(build, x.high, y.low, low);
    return loop_pair_join(build, product.high, low);
}

LoopPair loop_pair_div(LoopBuild *build, LoopPair x, LoopPair y)
{
    LoopValue q = loop_div(build, x.high, y.high);
    if (build->rough) {
        return loop_pair_of(build, q);
    }
    LoopValue minus = loop_negative(build, q);
    LoopValue rest = loop_fma(build, minus, y.high, x.high);
    rest = loop_fma(build, minus, y.low, loop_add(build, rest, x.low));
    return (LoopPair){q, loop_div(build, rest, y.high)};
}

LoopPair loop_pair_sqrt(LoopBuild *build, LoopPair x)
{
    LoopValue root = loop_sqrt(build, x.high), zero = loop_like(build, root, 0);
    if (build->rough) {
        return loop_pair_of(build, root);
    }
    LoopValue rest = loop_fma(build, loop_negative(build, root), root, x.high);
    rest = loop_div(build, loop_add(build, rest, x.low),
                    loop_add(build, root, root));
    return (LoopPair){
        root, loop_select(build, loop_eq(build, root, zero), zero, rest)};
}

LoopPair loop_pair_negative(LoopBuild *build, LoopPair x)
{
    return (LoopPair){loop_negative(build, x.high),
                      loop_negative(build, x.low)};
}

LoopPair loop_pair_select(LoopBuild *build, LoopValue mask, LoopPair x,
                          LoopPair y)
{
    return (LoopPair){loop_select(build, mask, x.high, y.high),
                      loop_select(build, mask, x.low, y.low)};
}
