// Arguments of sine and cosine that are many turns.
#ifndef DUET_KERNELS_FAR_H
#define DUET_KERNELS_FAR_H

// x less the nearest multiple of pi/2, as a sum of two; the quarter turns taken
// off, modulo 4. Where x is no number they are NaN and 0.
typedef struct Far {
    double rest, low, quarter;
} Far;
Far far_turn(double x);

// What the rest as a float32 lacks.
static inline float far_low_single(float x)
{
    Far far = far_turn((double)x);
    return (float)(far.rest - (double)(float)far.rest + far.low);
}

#endif
