// The tier "loop": see tier_body.h.
#define TIER_TABLE tier_portable
#define TIER_NAME "loop"
#include "kernels/tier_body.h"
