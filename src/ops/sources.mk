# ops/: one source a line, alphabetical. Headers need no line.
ops_sources =
ops_sources += src/ops/ops_structure.c
