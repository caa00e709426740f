# repl/: one source a line, alphabetical. Headers need no line.
repl_sources =
repl_sources += src/repl/args.c
repl_sources += src/repl/cells.c
repl_sources += src/repl/command.c
repl_sources += src/repl/complete.c
repl_sources += src/repl/entry.c
repl_sources += src/repl/history.c
repl_sources += src/repl/prompt.c
repl_sources += src/repl/readline.c
repl_sources += src/repl/run.c
repl_sources += src/repl/script.c
repl_sources += src/repl/session.c
