// Reads the command line. Options come before the program; what follows the
// program is the program's own.
//
// To add an option: a row in `options`, and a case where it acts.
#include "repl/args.h"

#include <string.h>

#include "base/diag.h"

// What an option does; args_parse and take_switch act on it.
typedef enum OptionKind {
    OPTION_PROGRAM, // takes the program as its argument, in `mode`
    OPTION_PAGE,    // --html, behind --cells or --compare or in front of it
    OPTION_COMPARE,
    OPTION_EXPECT,
    OPTION_QUIZ,
    OPTION_STAY,
    OPTION_EAGER,
    OPTION_TRACE,
    OPTION_VERSION,
    OPTION_HELP
} OptionKind;

// One row serves the parser, --help and the suggestions.
typedef struct Option {
    const char *name;
    const char *argument; // for --help; NULL: takes none
    OptionKind kind;
    const char *doc;
    ArgsMode mode; // OPTION_PROGRAM
} Option;

// In the order in which --help lists them.
static const Option options[] = {
    {"-c", "CODE", OPTION_PROGRAM, "run CODE", ARGS_CODE},
    {"-i", NULL, OPTION_STAY, "stay at the prompt afterwards", 0},
    {"--cells", "FILE", OPTION_PROGRAM,
     "run a percent script: cells start with `# %%`", ARGS_CELLS},
    {"--compare", NULL, OPTION_COMPARE,
     "run it eagerly and staged: what differs, and why", 0},
    {"--expect", "CODES", OPTION_EXPECT,
     "with --compare: status 0 if these are the differences", 0},
    {"--quiz", NULL, OPTION_QUIZ,
     "with --compare: predict the staged output first", 0},
    {"--html", "PAGE", OPTION_PAGE, "with --cells or --compare: write a page",
     0},
    {"--explain", "CODE", OPTION_PROGRAM, "what a difference's code means",
     ARGS_EXPLAIN},
    {"--eager", NULL, OPTION_EAGER, "run with staging switched off", 0},
    {"--trace", NULL, OPTION_TRACE,
     "narrate each trace and retrace on standard error", 0},
    {"--version", NULL, OPTION_VERSION, "print the version", 0},
    {"--help", NULL, OPTION_HELP, "print this text", 0},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

// The whole word must fit: switches are not run together (`-ie`), and values
// are words of their own. `-h` is known but not listed.
static const Option *find_option(const char *name)
{
    if (strncmp(name, "--html=", strlen("--html=")) == 0) {
        name = "--html";
    }
    if (strcmp(name, "-h") == 0) {
        name = "--help";
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

// Replaces what was read so far: nothing of it counts after a mistake.
// Both texts are borrowed: a literal and a word of the command line.
static Args wrong(const char *problem, const char *culprit)
{
    return (Args){.mode = ARGS_WRONG, .problem = problem, .culprit = culprit};
}

// Behind --html: a word that could be the page or the script.
static Args unclear(const char *name)
{
    return wrong("which is the page? Write --html=PAGE; unclear is", name);
}

// Sets what a plain switch sets.
static void take_switch(Args *args, OptionKind kind)
{
    args->stay |= kind == OPTION_STAY;
    args->eager |= kind == OPTION_EAGER;
    args->trace |= kind == OPTION_TRACE;
    args->quiz |= kind == OPTION_QUIZ;
    args->compare |= kind == OPTION_COMPARE;
}

// The ending alone is no name.
static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

// By its ending, which is all that can be known before the file is opened.
static bool is_script(const char *name)
{
    return ends_in(name, ".py") || ends_in(name, ".duet");
}

// `--html` or `--html=PAGE` and its page, wherever it stands; how many words
// it took, 0: the next word is another option or the program, -1: it cannot be
// told which of two words is the page. `--cells --html FILE` names the script
// alone: the page stands beside it.
static int take_page(Args *args, int argc, char **argv)
{
    static const char joined[] = "--html=";
    if (argc > 0 && strncmp(*argv, joined, sizeof joined - 1) == 0) {
        args->page = *argv + sizeof joined - 1;
        return *args->page == '\0' ? 0 : 1;
    }
    if (argc < 2 || strcmp(*argv, "--html") != 0) {
        return 0;
    }
    const char *name = argv[1];
    const char *next = argc > 2 ? argv[2] : NULL;
    args->page = ""; // until a word is known to be it
    if (ends_in(name, ".html") || ends_in(name, ".htm")) {
        args->page = name;
    } else if (*name != '-' && !is_script(name) && next != NULL) {
        // By its ending it could be either; what follows may tell.
        if (!is_script(next) && strcmp(next, "--cells") != 0) {
            return -1;
        }
        args->page = name;
    }
    return *args->page == '\0' ? 1 : 2;
}

// What belongs to --compare may stand behind the program too, where one looks
// for it; the first other word and what follows it are the script's.
static Args take_compare(Args args)
{
    while (args.script_argc > 0) {
        char **rest = args.script_argv;
        const Option *option = find_option(*rest);
        OptionKind kind = option != NULL ? option->kind : OPTION_HELP;
        int taken = kind == OPTION_QUIZ;
        if (kind == OPTION_PAGE) {
            taken = take_page(&args, args.script_argc, rest);
        } else if (kind == OPTION_EXPECT && args.script_argc > 1) {
            args.expect = rest[1];
            taken = 2;
        }
        if (taken <= 0) {
            break;
        }
        args.quiz |= kind == OPTION_QUIZ;
        args.script_argv += taken;
        args.script_argc -= taken;
    }
    return args;
}

// The program is argv[0] here; the rest is the script's.
// The words behind it are not looked at, options or not.
static Args take_program(Args args, ArgsMode mode, int argc, char **argv)
{
    args.mode = mode;
    args.program = argv[0];
    args.script_argv = argv + 1;
    args.script_argc = argc - 1;
    if (args.compare) {
        return take_compare(args);
    }
    return args.quiz || args.expect != NULL
               ? wrong("--compare is missing beside",
                       args.quiz ? "--quiz" : "--expect")
               : args;
}

// Stops at the program, whatever follows it: `duet a.duet --help` gives
// `--help` to the script.
Args args_parse(int argc, char **argv)
{
    Args args = {.mode = ARGS_PROMPT};
    for (int i = 1; i < argc; i++) {
        // Options stand in front of the program; all behind it is the program's
        // own.
        char **rest = argv + i;
        int left = argc - i;
        // Asked before the options, as it begins like one.
        if (strcmp(*rest, "-") == 0) {
            return take_program(args, ARGS_STDIN, left, rest);
        }
        if (**rest != '-') {
            bool graph = strcmp(*rest, "run-graph") == 0;
            return take_program(args, graph ? ARGS_GRAPH : ARGS_FILE, left,
                                rest);
        }
        const Option *option = find_option(*rest);
        if (option == NULL) {
            return wrong("unknown option", *rest);
        }
        // --html takes its file with it.
        if (option->kind == OPTION_PAGE) {
            int taken = take_page(&args, left, rest);
            if (taken <= 0) {
                return taken < 0 ? unclear(rest[1])
                                 : wrong("an argument is missing after", *rest);
            }
            i += taken - 1;
            continue;
        }
        if (option->mode == ARGS_CELLS && left > 1) {
            int taken = take_page(&args, left - 1, rest + 1);
            if (taken < 0) {
                return unclear(rest[2]);
            }
            rest += taken;
            left -= taken;
        }
        // `--explain` alone lists the codes.
        if (option->mode == ARGS_EXPLAIN && left < 2) {
            args.mode = ARGS_EXPLAIN;
            args.program = "";
            return args;
        }
        if (option->argument != NULL) {
            // The value may begin with a dash, so only its absence is a
            // mistake.
            if (left < 2) {
                return wrong("an argument is missing after", *rest);
            }
            if (option->kind == OPTION_EXPECT) {
                args.expect = rest[1];
                i++;
                continue;
            }
            return take_program(args, option->mode, left - 1, rest + 1);
        }
        if (option->kind == OPTION_VERSION || option->kind == OPTION_HELP) {
            args.mode = option->kind == OPTION_HELP ? ARGS_HELP : ARGS_VERSION;
            return args;
        }
        take_switch(&args, option->kind);
    }
    if (args.compare || args.quiz || args.expect != NULL) {
        return wrong("a program is missing behind", argv[argc - 1]);
    }
    return args.page != NULL ? wrong("--cells FILE is missing beside", "--html")
                             : args;
}

// To the stream given, since --help is no error and goes to standard output.
void args_print_help(FILE *out)
{
    fputs("usage: duet [OPTION ...] [FILE | - | -c CODE | --cells FILE] "
          "[ARG ...]\n"
          "       duet run-graph GRAPH [NPY ...] [--name FUNCTION] [--out "
          "PREFIX]\n\n"
          "Without a program: the prompt at a terminal, else standard "
          "input.\n\n",
          out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *argument =
            options[i].argument != NULL ? options[i].argument : "";
        fprintf(out, "  %-9s %-5s %s\n", options[i].name, argument,
                options[i].doc);
    }
    fputs("\n"
          "At the prompt: % lists the commands, x? tells what x is, Ctrl-D "
          "leaves.\n"
          "Environment: DUET_PATH, DUET_PASSES, PAGER, EDITOR, NO_COLOR; see "
          "man duet.\n",
          out);
}

// In one line with the program's name in front, as tools do, and a second one
// that says where to read on.
void args_print_problem(const Args *args, FILE *out)
{
    fprintf(out, "duet: %s: %s", args->problem,
            args->culprit != NULL ? args->culprit : "");
    const char *names[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++) {
        names[i] = options[i].name;
    }
    const char *close = args->culprit != NULL
                            ? diag_suggest(args->culprit, names, OPTION_COUNT)
                            : NULL;
    if (close != NULL && strcmp(close, args->culprit) != 0) {
        fprintf(out, ". Did you mean: '%s'?", close);
    }
    fputs("\nTry: duet --help\n", out);
}
