# lexer/: one source a line, alphabetical. Headers need no line.
lexer_sources =
