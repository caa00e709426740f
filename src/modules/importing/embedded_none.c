// No images of the library: for programs that are linked before there are any
// (tools/compile_library) or do without, such as unit tests. The program
// itself brings its own, which goes before this one in the archive.
#include "modules/importing/embedded.h"

const char *const embedded_images[] = {NULL};
const size_t embedded_image_count = 0;
