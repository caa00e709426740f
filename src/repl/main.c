// The program: hands its arguments to the layers below.
#include <stdio.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "repl/args.h"
#include "repl/run.h"

// Output that could not be written is an error, never status 0.
// stdio's buffer is flushed here, while its failure can still be told; at exit
// it would be lost.
static int finish(int status)
{
    if (fflush(stdout) != 0 && status == 0) {
        perror("duet: standard output");
        return 1;
    }
    return status;
}

// What one trace frees serves the next: malloc would give it back at once, and
// the system clear each page again, a fifth of the time of a trace. Both are
// what malloc comes to by itself once it has seen a large block die.
static void keep_memory(void)
{
#if defined(__GLIBC__)
    enum { LARGEST = 32 << 20 }; // bytes, of a block that is no mapping
    (void)mallopt(M_MMAP_THRESHOLD, LARGEST);
    (void)mallopt(M_TRIM_THRESHOLD, 2 * LARGEST);
#endif
}

// No Vm is made for help, version and wrong usage.
int main(int argc, char **argv)
{
    Args args = args_parse(argc, argv);
    keep_memory();
    switch (args.mode) {
    case ARGS_WRONG:
        args_print_problem(&args, stderr);
        return finish(ARGS_STATUS_USAGE);
    case ARGS_HELP: args_print_help(stdout); return finish(0);
    case ARGS_VERSION: printf("duet %s\n", PACKAGE_VERSION); return finish(0);
    default: return finish(run_program(&args));
    }
}
