# ops/: one source a line, alphabetical. Headers need no line.
ops_sources =
