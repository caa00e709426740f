# Unit tests of graph/: one file a line, alphabetical.
unit_graph_sources =
