# graph/: one source a line, alphabetical. Headers need no line.
graph_sources =
graph_sources += src/graph/build.c
graph_sources += src/graph/build_flow.c
graph_sources += src/graph/clone.c
graph_sources += src/graph/graph.c
graph_sources += src/graph/graph_check.c
graph_sources += src/graph/graph_text.c
graph_sources += src/graph/graphdef.c
graph_sources += src/graph/graphdef_node.c
graph_sources += src/graph/graphdef_text.c
graph_sources += src/graph/infer.c
graph_sources += src/graph/needed.c
graph_sources += src/graph/pass.c
graph_sources += src/graph/pass_cse.c
graph_sources += src/graph/pass_dce.c
graph_sources += src/graph/pass_fold.c
