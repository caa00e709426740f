// Sine, cosine and tangent of arguments that are many turns; NaN where x is no
// number.
#ifndef DUET_KERNELS_FAR_H
#define DUET_KERNELS_FAR_H

double far_sin(double x);
double far_cos(double x);
double far_tan(double x);

#endif
