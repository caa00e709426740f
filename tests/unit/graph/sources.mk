# Unit tests of graph/: one file a line, alphabetical.
unit_graph_sources =
unit_graph_sources += tests/unit/graph/test_graph.c
