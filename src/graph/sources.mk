# graph/: one source a line, alphabetical. Headers need no line.
graph_sources =
