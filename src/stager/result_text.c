// Texts in results that have a name where eager code has a tensor's value.
#include "stager/result_text.h"

#include "interp/core/raise.h"
#include "stager/concrete.h"
#include "stager/late_text.h"

bool result_text_check(Vm *vm, const Trace *trace, Value v)
{
    uint32_t line = value_is_str(v) ? late_text_line(vm, value_as_str(v)) : 0;
    return line == 0 ||
           raise_false(vm, ERR_SYMBOLIC,
                       "%s returns a text that says a tensor's value (line "
                       "%u); return the tensor, and make the text of it "
                       "outside",
                       trace->request->name->text, (unsigned)line);
}
