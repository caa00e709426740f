// Finds the library and the names in it.
#include "repl/readline.h"

#include <dlfcn.h>
#include <string.h>

// ISO C has no cast from an object pointer to a function pointer; POSIX says
// that the bits are the same.
static bool find(void *library, const char *name, void *place)
{
    void *address = dlsym(library, name);
    memcpy(place, &address, sizeof address);
    return address != NULL;
}

// All names are looked up even if one is missing; the table is used only if
// none is. The library is never closed.
bool readline_load(Readline *readline)
{
    static const char *const names[] = {"libreadline.so.8", "libreadline.so"};
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < 2; i++) {
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    }
    if (library == NULL) {
        return false;
    }
    bool found = true;
#define X(type, name, params)                                                  \
    found = find(library, #name, &readline->name) && found;
    READLINE_FUNCTIONS(X)
#undef X
#define X(type, name) found = find(library, #name, &readline->name) && found;
    READLINE_VARIABLES(X)
#undef X
#define X(type, name, symbol) (void)find(library, symbol, &readline->name);
    READLINE_PRIVATE(X)
#undef X
    (void)find(library, "_rl_keyseq_chain_dispose", &readline->forget_sequence);
    (void)find(library, "_rl_pushed_input_available", &readline->has_pushed);
    (void)find(library, "_rl_vi_done_inserting", &readline->vi_done_inserting);
    return found;
}
