# lexer/: one source a line, alphabetical. Headers need no line.
lexer_sources =
lexer_sources += src/lexer/indent.c
lexer_sources += src/lexer/lexer.c
lexer_sources += src/lexer/literal.c
lexer_sources += src/lexer/number.c
lexer_sources += src/lexer/token.c
