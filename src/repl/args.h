// The command line: what `duet` was asked to do. Nothing is allocated; all
// texts point into argv.
#ifndef DUET_REPL_ARGS_H
#define DUET_REPL_ARGS_H

#include <stdbool.h>
#include <stdio.h>

typedef enum ArgsMode {
    ARGS_PROMPT,  // no program: the prompt, or standard input if not a terminal
    ARGS_FILE,    // a script
    ARGS_STDIN,   // `-`
    ARGS_CODE,    // -c
    ARGS_CELLS,   // --cells
    ARGS_GRAPH,   // run-graph: the words behind it are script_argv
    ARGS_EXPLAIN, // --explain: `program` is the code, "": list them
    ARGS_VERSION,
    ARGS_HELP,
    ARGS_WRONG // usage: `problem` says why
} ArgsMode;

typedef struct Args {
    ArgsMode mode;
    const char *program; // the file's name, or the code of -c
    char **script_argv;  // what follows the program: sys.argv[1:]
    int script_argc;
    bool stay;           // -i: the prompt afterwards
    bool eager;          // --eager
    bool trace;          // --trace
    bool compare;        // --compare: the program runs eagerly and staged
    bool quiz;           // --quiz
    const char *expect;  // --expect: "D102,D103", NULL: not given
    const char *page;    // --html: where the page of cells or of a comparison
                         // goes; NULL: none, "": beside the script
    const char *problem; // ARGS_WRONG: "unknown option"
    const char *culprit; // the argument it is about, NULL: none
} Args;

enum { ARGS_STATUS_USAGE = 2 };

// Never fails: what is wrong stands in the result.
Args args_parse(int argc, char **argv);
// The usage, as --help prints it.
void args_print_help(FILE *out);
// The problem, a suggestion if an option is close, and where to read on.
void args_print_problem(const Args *args, FILE *out);

#endif
