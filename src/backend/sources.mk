# backend/: one source a line, alphabetical. Headers need no line.
backend_sources =
