# stager/: one source a line, alphabetical. Headers need no line.
stager_sources =
stager_sources += src/stager/trace.c
