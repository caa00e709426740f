// Functions of the library that leave no frame in a traceback.
#include "interp/objects/errors/hidden_frame.h"

#include <string.h>

#include "interp/objects/text/obj_str.h"

// Whether `name` is `prefix` or something inside of it; "" has everything
// inside. Names with dots: "f" has "f.<locals>.g" inside.
static bool is_inside(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return length == 0 || (strncmp(name, prefix, length) == 0 &&
                           (name[length] == '\0' || name[length] == '.'));
}

// "lib/python/NAME.duet", or a package's "lib/python/NAME/__init__.duet": NAME.
static const char *module_of(const Code *code, size_t *length)
{
    static const char python[] = "lib/python/";
    const char *path = code->source->name;
    path += strncmp(path, python, strlen(python)) == 0 ? strlen(python)
                                                       : strlen("lib/");
    *length = strcspn(path, "./");
    return path;
}

// As if they were native here too: what stays of a traceback are the lines
// that somebody can mend. Lines of a module's own body always show: they can
// only fail while it is imported.
bool hidden_frame(const Code *code)
{
    static const struct {
        const char *module, *function;
    } rows[] = {
#define HIDDEN(module, function) {module, function},
#include "interp/objects/errors/hidden_frame_list.h"
#undef HIDDEN
    };
    if (!code->source->library || (code->flags & CODE_MODULE)) {
        return false;
    }
    size_t length;
    const char *module = module_of(code, &length);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].module) == length &&
            memcmp(rows[i].module, module, length) == 0 &&
            is_inside(code->qualname->text, rows[i].function)) {
            return true;
        }
    }
    return false;
}
