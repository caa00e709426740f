// A convolution at work, or one of its two gradients: what the ways of
// computing them have in common.
//
// Images are (batch, height, width, channels). A group of channels has filters
// (height, width, channels of a group, outputs), of whose outputs each group
// gives as many as the others; of groups of one channel these are the same
// numbers as (height, width, channels, results a channel).
#ifndef DUET_OPS_CONV_H
#define DUET_OPS_CONV_H

#include "ops/windows.h"

typedef struct Conv {
    WindowAxis high, wide;
    int64_t images, pixel; // elements of a pixel: all channels
    int64_t groups;
    int64_t channels, own;   // of a group, and its outputs
    int64_t outputs;         // of all groups
    size_t size;             // of an element
    const char *x, *filters; // NULL where it is what is computed
    const char *grad;        // of the output; NULL forward
    char *out;               // what is computed
} Conv;

// The attributes' numbers, in the order of both ops' own.
enum { CONV_STRIDES, CONV_PADDING, CONV_DILATIONS };

// By matrix products over runs of pixels, a group after the other.
MUST_CHECK bool conv_products(const KernelCall *call, const Conv *conv);
MUST_CHECK bool conv_products_input(const KernelCall *call, const Conv *conv);
MUST_CHECK bool conv_products_filter(const KernelCall *call, const Conv *conv);
// Where each channel is a group: channels side by side in vectors.
MUST_CHECK bool conv_lanes(const KernelCall *call, const Conv *conv);
MUST_CHECK bool conv_lanes_input(const KernelCall *call, const Conv *conv);
MUST_CHECK bool conv_lanes_filter(const KernelCall *call, const Conv *conv);

#endif
