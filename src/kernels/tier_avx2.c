// The tier "avx2": see tier_body.h.
#define TIER_TABLE tier_avx2
#define TIER_NAME "avx2"
#include "kernels/tier_body.h"
