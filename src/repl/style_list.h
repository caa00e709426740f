// How the parts of an entry look, one row each:
//     STYLE(id, sgr)
// `sgr` are the parameters of ESC [ … m; "" is the terminal's own look. Only
// the sixteen colours that a person's theme sets: others may be unreadable on
// it. No include guard: include it with STYLE defined.
STYLE(PLAIN, "")
STYLE(KEYWORD, "1;34")
STYLE(BUILTIN, "36")
STYLE(NUMBER, "33")
STYLE(STRING, "32")
STYLE(COMMENT, "2")
STYLE(DEFINITION, "1") // the name behind `def` and `class`
STYLE(DECORATOR, "35")
STYLE(COMMAND, "35")   // %time, the ? of x?
STYLE(UNKNOWN, "31")   // a name that nothing defines
STYLE(OPEN, "1;33")    // a bracket or quote that is not closed yet
STYLE(WRONG, "1;31")   // what the lexer stops at, a bracket too many
STYLE(MATCH, "1;4;36") // the brackets that belong together at the cursor
STYLE(PROMPT, "1;32")
STYLE(HINT, "2") // notes below the entry
