// The person's own editor on a text, through a file of its own.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "repl/prompt.h"

// As every program does it; the shell splits the variable, for it may hold
// options.
// Borrowed from the environment.
static const char *editor_command(void)
{
    const char *visual = getenv("VISUAL");
    const char *editor = getenv("EDITOR");
    return visual != NULL && *visual != '\0'   ? visual
           : editor != NULL && *editor != '\0' ? editor
                                               : "vi";
}

// The child: signals as a program expects to find them.
// Never returns. The path is handed over as an argument of the shell's and not
// put into its text, so no name can do harm.
static void run_child(const char *path)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    StrBuf command;
    Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    strbuf_init(&command, &ctx);
    strbuf_printf(&command, "%s \"$1\"", editor_command());
    if (strbuf_ok(&command)) {
        execl("/bin/sh", "sh", "-c", command.text, "sh", path, (char *)NULL);
    }
    _exit(127);
}

// Waits for the editor's end. Ctrl-Z in it stops all of the job, us too: `fg`
// then brings both back.
// The status as waitpid gives it.
static int wait_for(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

// Runs the editor; false after a message. Ctrl-C in it is its own affair. The
// prompt has the signal of Ctrl-Z blocked and caught, which would leave the
// editor stopped and us waiting.
// An editor that ends with another status than 0 says that the text is not
// wanted.
static bool run_editor(const char *path)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction stop_before;
    sigset_t stop;
    sigset_t mask;
    sigemptyset(&usual.sa_mask);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    // What is buffered would be written twice otherwise.
    fflush(NULL);
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    sigaction(SIGTSTP, &usual, &stop_before);
    sigprocmask(SIG_UNBLOCK, &stop, &mask);
    pid_t child = fork();
    if (child == 0) {
        run_child(path);
    }
    int status = child > 0 ? wait_for(child) : -1;
    // The terminal's signals are the editor's meanwhile, as with system().
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &stop_before, NULL);
    signal(SIGINT, before);
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "duet: %s failed; the text is as it was\n",
                editor_command());
        return false;
    }
    return true;
}

// All of the file, in place of the text.
// False after a message; the text is as it was then.
static bool read_back(StrBuf *text, const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        perror(path);
        return false;
    }
    StrBuf edited;
    strbuf_init(&edited, text->ctx);
    char bytes[4096];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0) {
        strbuf_add(&edited, bytes, count);
    }
    // A NUL byte is no text.
    bool read = ferror(file) == 0 && strbuf_ok(&edited) &&
                memchr(strbuf_text(&edited), '\0', edited.length) == NULL;
    fclose(file);
    if (!read) {
        fputs("duet: what was edited cannot be read\n", stderr);
        ctx_clear(text->ctx);
        strbuf_free(&edited);
        return false;
    }
    strbuf_free(text);
    *text = edited;
    return true;
}

// mkstemps makes the file for us alone.
// False: the text is unchanged, and the person has been told why.
bool editor_run(StrBuf *text, const char *suffix)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/duet-XXXXXX%s",
             folder == NULL || *folder == '\0' ? "/tmp" : folder, suffix);
    int file = mkstemps(path, (int)strlen(suffix));
    if (file < 0) {
        perror(path);
        return false;
    }
    const char *bytes = strbuf_text(text);
    size_t length = text->length;
    bool line_end = length > 0 && bytes[length - 1] != '\n';
    bool written = write(file, bytes, length) == (ssize_t)length &&
                   (!line_end || write(file, "\n", 1) == 1);
    close(file);
    bool edited = written && run_editor(path) && read_back(text, path);
    unlink(path);
    return edited;
}
