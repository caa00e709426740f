# Unit tests of repl/: one file a line, alphabetical.
unit_repl_sources =
