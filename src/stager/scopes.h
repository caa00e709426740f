// Names that a program gives to what its trace makes, for those who look at the
// graph (export/graphdef.h): name scopes, and the argument `name` of a function
// of the embedded library, by which goes what that function makes.
#ifndef DUET_STAGER_SCOPES_H
#define DUET_STAGER_SCOPES_H

#include "stager/trace.h"

// The name that a frame of the library's was called with; NULL: none, or it
// runs for a function of the library that has one.
const Str *scopes_name(const Vm *vm, const Graph *graph, const Frame *frame,
                       uint32_t caller);
// Whether a site of the trace has that name and stands in the present scope.
bool scopes_hold(const Trace *trace, uint32_t site, const Str *name);
// Adds the site, whose names are filled in; GRAPH_SITE_FAILED: no memory.
MUST_CHECK uint32_t scopes_site(Vm *vm, Trace *trace, GraphSite site,
                                const Str *name);
// stage.scope
Value scopes_method(Vm *vm, Value *args);
// stage._node_name
Value scopes_node_name_method(Vm *vm, Value *args);

#endif
