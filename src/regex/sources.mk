# regex/: one source a line, alphabetical. Headers need no line.
regex_sources =
regex_sources += src/regex/regex.c
regex_sources += src/regex/rx_char.c
regex_sources += src/regex/rx_compile.c
regex_sources += src/regex/rx_entry.c
regex_sources += src/regex/rx_first.c
regex_sources += src/regex/rx_match.c
regex_sources += src/regex/rx_parse.c
regex_sources += src/regex/rx_parse_escape.c
regex_sources += src/regex/rx_parse_group.c
regex_sources += src/regex/rx_repeat.c
regex_sources += src/regex/rx_set.c
regex_sources += src/regex/rx_tree.c
