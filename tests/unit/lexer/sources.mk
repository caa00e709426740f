# Unit tests of lexer/: one file a line, alphabetical.
unit_lexer_sources =
unit_lexer_sources += tests/unit/lexer/test_lexer.c
