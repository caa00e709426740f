# Unit tests of repl/: one file a line, alphabetical.
unit_repl_sources =
unit_repl_sources += tests/unit/repl/test_history.c
unit_repl_sources += tests/unit/repl/test_args.c
unit_repl_sources += tests/unit/repl/test_entry.c
unit_repl_sources += tests/unit/repl/test_paste.c
