// repl/args: what belongs to duet and what to the program.
#include <criterion/criterion.h>

#include "repl/args.h"

#define PARSE(...)                                                             \
    parse_all((char *[]){"duet", __VA_ARGS__},                                 \
              sizeof((char *[]){"duet", __VA_ARGS__}) / sizeof(char *))

static Args parse_all(char **argv, size_t count)
{
    return args_parse((int)count, argv);
}

Test(args, nothing_is_the_prompt)
{
    char *argv[] = {"duet"};
    cr_assert_eq(args_parse(1, argv).mode, ARGS_PROMPT);
}

Test(args, options_stop_at_the_program)
{
    Args args = PARSE("--eager", "a.duet", "--trace", "-x");
    cr_assert_eq(args.mode, ARGS_FILE);
    cr_assert(args.eager);
    cr_assert_not(args.trace);
    cr_assert_str_eq(args.program, "a.duet");
    cr_assert_eq(args.script_argc, 2);
    cr_assert_str_eq(args.script_argv[1], "-x");
}

Test(args, code_and_cells_take_an_argument)
{
    Args args = PARSE("-i", "-c", "1", "z");
    cr_assert_eq(args.mode, ARGS_CODE);
    cr_assert(args.stay);
    cr_assert_str_eq(args.program, "1");
    cr_assert_eq(args.script_argc, 1);
    cr_assert_eq(PARSE("--cells", "g.py").mode, ARGS_CELLS);
    cr_assert_eq(PARSE("-c").mode, ARGS_WRONG);
    cr_assert_eq(PARSE("--cells").mode, ARGS_WRONG);
}

Test(args, dash_is_standard_input)
{
    cr_assert_eq(PARSE("-", "x").mode, ARGS_STDIN);
}

Test(args, unknown_options_are_named)
{
    Args args = PARSE("--eagre", "x");
    cr_assert_eq(args.mode, ARGS_WRONG);
    cr_assert_str_eq(args.culprit, "--eagre");
}

Test(args, version_and_help)
{
    cr_assert_eq(PARSE("--version").mode, ARGS_VERSION);
    cr_assert_eq(PARSE("--help").mode, ARGS_HELP);
    cr_assert_eq(PARSE("-h").mode, ARGS_HELP);
}
