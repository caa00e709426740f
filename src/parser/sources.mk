# parser/: one source a line, alphabetical. Headers need no line.
parser_sources =
