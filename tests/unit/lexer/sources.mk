# Unit tests of lexer/: one file a line, alphabetical.
unit_lexer_sources =
