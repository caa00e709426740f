# Unit tests of regex/: one file a line, alphabetical.
unit_regex_sources =
unit_regex_sources += tests/unit/regex/test_char.c
unit_regex_sources += tests/unit/regex/test_compile.c
unit_regex_sources += tests/unit/regex/test_run.c
