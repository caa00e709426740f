# Unit tests of graph/: one file a line, alphabetical.
unit_graph_sources =
unit_graph_sources += tests/unit/graph/test_golden.c
unit_graph_sources += tests/unit/graph/test_graph.c
unit_graph_sources += tests/unit/graph/test_graph_file.c
unit_graph_sources += tests/unit/graph/test_graphdef.c
unit_graph_sources += tests/unit/graph/test_pictures.c
unit_graph_sources += tests/unit/graph/test_text.c
unit_graph_sources += tests/unit/support/random_graph.c
