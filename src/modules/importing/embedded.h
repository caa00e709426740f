// The standard library's sources, embedded in the binary at build time from
// the files that lib/sources.mk lists.
#ifndef DUET_MODULES_IMPORTING_EMBEDDED_H
#define DUET_MODULES_IMPORTING_EMBEDDED_H

#include "base/ctx.h"

typedef struct EmbeddedModule {
    const char *name; // as imported: "tensorflow.keras"
    const char *path; // as tracebacks show it: "lib/tensorflow/keras.duet"
    const unsigned char *packed; // UTF-8 (base/pack.h)
    size_t length;               // bytes of the text
    bool is_package;             // from an __init__.duet
} EmbeddedModule;

// Sorted by name (strcmp), so that a search may halve.
extern const EmbeddedModule embedded_modules[];
extern const size_t embedded_module_count;

// The code of each module (interp/machine/compile/code_image.h), in the order
// of the table above; compiled when the program is built. A count of 0: there
// are none, and modules are compiled when they are imported.
extern const char *const embedded_images[];
extern const size_t embedded_image_count;

// NULL: none of that name.
const EmbeddedModule *module_find_embedded(const char *name);

// The text, in a block of length + 1 bytes with a NUL, which the caller frees.
// NULL: no memory.
MUST_CHECK char *module_embedded_text(Ctx *ctx, const EmbeddedModule *module);

#endif
