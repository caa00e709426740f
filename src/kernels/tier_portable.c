// The tier "portable": see tier_body.h.
#define TIER_TABLE tier_portable
#define TIER_NAME "portable"
#include "kernels/tier_body.h"
