# stager/: one source a line, alphabetical. Headers need no line.
stager_sources =
stager_sources += src/stager/bound.c
stager_sources += src/stager/concrete.c
stager_sources += src/stager/concrete_call.c
stager_sources += src/stager/concrete_show.c
stager_sources += src/stager/match.c
stager_sources += src/stager/options.c
stager_sources += src/stager/signature.c
stager_sources += src/stager/stage_graph.c
stager_sources += src/stager/stage_print.c
stager_sources += src/stager/stage_write.c
stager_sources += src/stager/staged_fn.c
stager_sources += src/stager/stager.c
stager_sources += src/stager/structure.c
stager_sources += src/stager/trace.c
stager_sources += src/stager/traces.c
