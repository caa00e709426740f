// The tier "avx512": see tier_body.h.
#define TIER_TABLE tier_avx512
#define TIER_NAME "avx512"
#include "kernels/tier_body.h"
