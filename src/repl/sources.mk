# repl/: one source a line, alphabetical. Headers need no line.
repl_sources =
repl_sources += src/repl/args.c
