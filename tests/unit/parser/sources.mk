# Unit tests of parser/: one file a line, alphabetical.
unit_parser_sources =
