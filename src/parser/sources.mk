# parser/: one source a line, alphabetical. Headers need no line.
parser_sources =
parser_sources += src/parser/ast.c
parser_sources += src/parser/fstring.c
parser_sources += src/parser/parse_atom.c
parser_sources += src/parser/parse_block.c
parser_sources += src/parser/parse_call.c
parser_sources += src/parser/parse_def.c
parser_sources += src/parser/parse_explain.c
parser_sources += src/parser/parse_expr.c
parser_sources += src/parser/parse_fault.c
parser_sources += src/parser/parse_import.c
parser_sources += src/parser/parse_stmt.c
parser_sources += src/parser/parse_string.c
parser_sources += src/parser/parse_target.c
parser_sources += src/parser/parser.c
