// Finds and runs the startup file.
#include "repl/startup.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "repl/script.h"

// A relative path is not followed, as the XDG rules ask.
static bool startup_path(StrBuf *path)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    if (config != NULL && config[0] == '/') {
        strbuf_printf(path, "%s/duet/startup.duet", config);
    } else if (home != NULL && home[0] == '/') {
        strbuf_printf(path, "%s/.config/duet/startup.duet", home);
    } else {
        return false;
    }
    return strbuf_ok(path);
}

// A file that is not there is no mistake; one that may not be read is.
void startup_run(Session *session)
{
    StrBuf path;
    strbuf_init(&path, &session->vm->ctx);
    if (startup_path(&path) && access(path.text, F_OK) == 0) {
        Args args = {.mode = ARGS_FILE, .program = path.text};
        if (!script_run(session, &args) && !session->exiting) {
            fprintf(stderr, "(in the startup file %s)\n", path.text);
        }
    }
    ctx_clear(&session->vm->ctx);
    strbuf_free(&path);
}
