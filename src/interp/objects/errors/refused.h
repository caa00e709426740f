// Names of Python that Duet does not have on purpose.
#ifndef DUET_INTERP_OBJECTS_ERRORS_REFUSED_H
#define DUET_INTERP_OBJECTS_ERRORS_REFUSED_H

#include <stdbool.h>
#include <stddef.h>

// The feature that a built-in name of Python's stands for: "complex numbers";
// NULL: Duet has the name, or Python does not.
const char *refused_name(const char *name);
// These names by number; NULL behind the last one.
const char *refused_name_at(size_t index);
// Whether Python 3.11's library has this module at its top.
bool refused_module(const char *name);

#endif
