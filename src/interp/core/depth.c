// The error of the recursion limit.
#include "interp/core/depth.h"

bool depth_fail(Vm *vm, const char *what)
{
    return raise_false(vm, ERR_RECURSION, "maximum recursion depth exceeded%s",
                       what);
}
