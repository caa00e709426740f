# Unit tests of parser/: one file a line, alphabetical.
unit_parser_sources =
unit_parser_sources += tests/unit/parser/test_faults.c
unit_parser_sources += tests/unit/parser/test_parser.c
