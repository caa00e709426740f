// The grammar in which faults are looked for: Python 3.11's, with rules for
// what people write in error.
//
// Each text is a rule, `name: alternative | alternative`. The order matters:
// the first alternative that fits is taken, and faults are told in the order in
// which they are met. A rule called invalid_… is tried in the second pass only;
// faulty_… in the first too, which decides which of two faults is told.
//
//     'if'  NAME  rule        a token, a kind of token, a rule
//     <match>                 a name that is spelled so
//     x?  x*  x+  (x | y)     as in regular expressions; s.x+ divides by s
//     &x  !x                  looks ahead
//     &&'x'                   must follow: "expected 'x'"
//     ~                       no other alternative is tried after this
//     a=x                     names what an action needs
//     -> kind                 what the match is called in messages;
//                             `-> a` is the match of a itself
//     {where: message}        raises (peg_raise.c); %s is a's kind, %t its
//                             text, %l its line
//     DEF LAMBDA CLOSE        whether the parameters are those of a def or of
//                             a lambda, and the token behind them
//
// A `!` behind the name keeps results by place, where the same is asked for
// often. Statements of `match` are there as far as their heads can be faulty.
#include "parser/peg.h"

const char *const peg_grammar[] = {
    // The three ways in: a module, an expression for eval(), and the fields of
    // an f-string.
    "file: statement* END",
    "eval: expressions NEWLINE* END",
    "fstring: star_expressions END",

    // Statements.
    "statement: compound_stmt | simple_stmts",
    // The usual case, one statement on its line, is tried first.
    "simple_stmts: simple_stmt !';' NEWLINE"
    " | ';'.simple_stmt+ ';'? NEWLINE",
    // A look ahead at the keyword in front of a rule saves trying it in vain.
    "simple_stmt!: assignment | star_expressions | &'return' return_stmt"
    " | &('import' | 'from') import_stmt | &'raise' raise_stmt | 'pass'"
    " | &'del' del_stmt | &'yield' yield_expr | &'assert' assert_stmt"
    " | 'break' | 'continue' | &'global' 'global' ','.NAME+"
    " | &'nonlocal' 'nonlocal' ','.NAME+",
    "compound_stmt: &('def' | '@' | 'async') function_def | &'if' if_stmt"
    " | &('class' | '@') class_def | &('with' | 'async') with_stmt"
    " | &('for' | 'async') for_stmt | &'try' try_stmt"
    " | &'while' while_stmt | match_stmt",
    // Annotated, then plain (chains included), then augmented.
    "assignment: NAME ':' expression ('=' annotated_rhs)?"
    " | ('(' single_target ')' | single_subscript_attribute_target)"
    " ':' expression ('=' annotated_rhs)?"
    " | (star_targets '=')+ annotated_rhs !'='"
    " | single_target augassign ~ annotated_rhs"
    " | invalid_assignment",
    // What can stand on the left only by mistake; %s tells its name.
    "invalid_assignment:"
    " a=invalid_ann_assign_target ':' expression"
    " {a: only single target (not %s) can be annotated}"
    " | a=star_named_expression ',' star_named_expressions* ':' expression"
    " {a: only single target (not tuple) can be annotated}"
    " | a=expression ':' expression {a: illegal target for annotation}"
    " | (star_targets '=')* a=star_expressions '=' {store:}"
    " | (star_targets '=')* a=yield_expr '='"
    " {a: assignment to yield expression not possible}"
    " | a=star_expressions augassign annotated_rhs"
    " {a: '%s' is an illegal expression for augmented assignment}",
    "invalid_ann_assign_target: a=list -> a | a=tuple -> a"
    " | '(' a=invalid_ann_assign_target ')' -> a",
    "annotated_rhs: yield_expr | star_expressions",
    "augassign: '+=' | '-=' | '*=' | '@=' | '/=' | '%=' | '&=' | '|=' | '^='"
    " | '<<=' | '>>=' | '**=' | '//='",
    "return_stmt: 'return' star_expressions?",
    "raise_stmt: 'raise' expression ('from' expression)? | 'raise'",
    // What follows must end the statement; else all of it is told as what
    // cannot be deleted.
    "del_stmt: 'del' del_targets &(';' | NEWLINE) | invalid_del_stmt",
    "invalid_del_stmt: 'del' a=star_expressions {delete:}",
    "assert_stmt: 'assert' expression (',' expression)?",
    "import_stmt: 'import' ','.dotted_as_name+ | import_from",
    "dotted_as_name: dotted_name ('as' NAME)?",
    "dotted_name: NAME ('.' NAME)*",
    "import_from:"
    " 'from' ('.' | '...')* dotted_name 'import' import_from_targets"
    " | 'from' ('.' | '...')+ 'import' import_from_targets",
    "import_from_targets: '(' import_from_as_names ','? ')'"
    " | import_from_as_names !',' | '*' | invalid_import_from_targets",
    "import_from_as_names: ','.import_from_as_name+",
    "import_from_as_name: NAME ('as' NAME)?",
    // Without parentheses a comma at the end has nothing to continue.
    "invalid_import_from_targets: import_from_as_names ',' NEWLINE"
    " {last: trailing comma not allowed without surrounding parentheses}",

    // Compound statements.
    // The second pass tells a block that is missing at its place, not where the
    // next token is.
    "block!: NEWLINE INDENT statement+ DEDENT | simple_stmts | invalid_block",
    "invalid_block: NEWLINE !INDENT {indent: expected an indented block}",
    "decorators: ('@' named_expression NEWLINE)+",
    "class_def: decorators class_def_raw | class_def_raw",
    "class_def_raw: invalid_class_def_raw"
    " | 'class' NAME ('(' arguments? ')')? ':' block",
    // Each head has two faults of its own: no colon, and no block behind it.
    "invalid_class_def_raw:"
    " 'class' NAME ('(' arguments? ')')? NEWLINE {last: expected ':'}"
    " | a='class' NAME ('(' arguments? ')')? ':' NEWLINE !INDENT"
    " {indent: expected an indented block after class definition on line %l}",
    "function_def: decorators function_def_raw | function_def_raw",
    "function_def_raw: invalid_def_raw"
    " | 'async'? 'def' NAME &&'(' params? ')' ('->' expression)? &&':' block",
    "invalid_def_raw: 'async'? a='def' NAME '(' params? ')'"
    " ('->' expression)? ':' NEWLINE !INDENT"
    " {indent: expected an indented block after function definition on line"
    " %l}",
    "if_stmt: invalid_if_stmt | 'if' named_expression ':' block elif_stmt"
    " | 'if' named_expression ':' block else_block?",
    "invalid_if_stmt: 'if' named_expression NEWLINE {last: expected ':'}"
    " | a='if' named_expression ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'if' statement on line %l}",
    "elif_stmt: invalid_elif_stmt"
    " | 'elif' named_expression ':' block elif_stmt"
    " | 'elif' named_expression ':' block else_block?",
    "invalid_elif_stmt: 'elif' named_expression NEWLINE {last: expected ':'}"
    " | a='elif' named_expression ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'elif' statement on line %l}",
    // `&&` raises in the first pass already.
    "else_block: invalid_else_stmt | 'else' &&':' block",
    "invalid_else_stmt: a='else' ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'else' statement on line %l}",
    "while_stmt: invalid_while_stmt"
    " | 'while' named_expression ':' block else_block?",
    "invalid_while_stmt: 'while' named_expression NEWLINE {last: expected ':'}"
    " | a='while' named_expression ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'while' statement on line %l}",
    // Once `in` is met the target was good: the cut `~` keeps the last
    // alternative, a bad target, from being tried.
    "for_stmt: invalid_for_stmt"
    " | 'async'? 'for' star_targets 'in' ~ star_expressions ':' block"
    " else_block? | invalid_for_target",
    "invalid_for_stmt:"
    " 'async'? 'for' star_targets 'in' star_expressions NEWLINE"
    " {last: expected ':'}"
    " | 'async'? a='for' star_targets 'in' star_expressions ':' NEWLINE"
    " !INDENT"
    " {indent: expected an indented block after 'for' statement on line %l}",
    "invalid_for_target: 'async'? 'for' a=star_expressions {loop:}",
    "with_stmt: invalid_with_stmt_indent"
    " | 'async'? 'with' '(' ','.with_item+ ','? ')' ':' block"
    " | 'async'? 'with' ','.with_item+ ':' block | invalid_with_stmt",
    // The look ahead asks for the end of the target, so that `as a + b` is told
    // as a bad one.
    "with_item: expression 'as' star_target &(',' | ')' | ':')"
    " | invalid_with_item | expression",
    "invalid_with_item: expression 'as' a=expression &(',' | ')' | ':')"
    " {store:}",
    "invalid_with_stmt:"
    " 'async'? 'with' ','.(expression ('as' star_target)?)+ NEWLINE"
    " {last: expected ':'}"
    " | 'async'? 'with' '(' ','.(expressions ('as' star_target)?)+ ','? ')'"
    " NEWLINE {last: expected ':'}",
    "invalid_with_stmt_indent:"
    " 'async'? a='with' ','.(expression ('as' star_target)?)+ ':' NEWLINE"
    " !INDENT"
    " {indent: expected an indented block after 'with' statement on line %l}"
    " | 'async'? a='with' '(' ','.(expressions ('as' star_target)?)+ ','? ')'"
    " ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'with' statement on line %l}",
    // A try needs a finally, or handlers all of one kind.
    "try_stmt: invalid_try_stmt | 'try' &&':' block finally_block"
    " | 'try' &&':' block except_block+ else_block? finally_block?"
    " | 'try' &&':' block except_star_block+ else_block? finally_block?",
    "invalid_try_stmt: a='try' ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'try' statement on line %l}"
    " | 'try' ':' block !('except' | 'finally')"
    " {last: expected 'except' or 'finally' block}"
    " | 'try' ':' block* ((except_block+ except_star_block)"
    " | (except_star_block+ except_block)) block*"
    " {last: cannot have both 'except' and 'except*' on the same 'try'}",
    "except_block: invalid_except_stmt_indent"
    " | 'except' expression ('as' NAME)? ':' block | 'except' ':' block"
    " | invalid_except_stmt",
    "except_star_block: invalid_except_star_stmt_indent"
    " | 'except' '*' expression ('as' NAME)? ':' block | invalid_except_stmt",
    "invalid_except_stmt:"
    " 'except' '*'? a=expression ',' expressions ('as' NAME)? ':'"
    " {from: multiple exception types must be parenthesized}"
    " | 'except' '*'? expression ('as' NAME)? NEWLINE {last: expected ':'}"
    " | 'except' NEWLINE {last: expected ':'}"
    " | 'except' '*' (NEWLINE | ':')"
    " {last: expected one or more exception types}",
    "invalid_except_stmt_indent:"
    " a='except' expression ('as' NAME)? ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'except' statement on line %l}"
    " | a='except' ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'except' statement on line %l}",
    "invalid_except_star_stmt_indent:"
    " a='except' '*' expression ('as' NAME)? ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'except*' statement on line"
    " %l}",
    "finally_block: invalid_finally_stmt | 'finally' &&':' block",
    "invalid_finally_stmt: a='finally' ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'finally' statement on line"
    " %l}",
    // Patterns are read as expressions, which is enough to tell what the heads
    // lack.
    "match_stmt: <match> subject_expr ':' NEWLINE INDENT"
    " (<case> star_named_expressions ('as' NAME)? ('if' named_expression)? ':'"
    " block)+ DEDENT | invalid_match_stmt",
    "subject_expr: star_named_expression ',' star_named_expressions?"
    " | named_expression",
    "invalid_match_stmt: <match> subject_expr NEWLINE {last: expected ':'}"
    " | a=<match> subject_expr ':' NEWLINE !INDENT"
    " {indent: expected an indented block after 'match' statement on line %l}",

    // Parameters.
    "params: invalid_parameters | parameters",
    "lambda_params: invalid_parameters | parameters",
    // Positional only, plain, with defaults, then what is behind the star.
    "parameters:"
    " slash_no_default param_no_default* param_with_default* star_etc?"
    " | slash_with_default param_with_default* star_etc?"
    " | param_no_default+ param_with_default* star_etc?"
    " | param_with_default+ star_etc? | star_etc",
    "slash_no_default: param_no_default+ '/' (',' | &CLOSE)",
    "slash_with_default:"
    " param_no_default* param_with_default+ '/' (',' | &CLOSE)",
    "star_etc: invalid_star_etc"
    " | '*' param_no_default param_maybe_default* kwds?"
    " | DEF '*' NAME ':' star_expression (',' | &CLOSE)"
    " param_maybe_default* kwds?"
    " | '*' ',' param_maybe_default+ kwds? | kwds",
    "kwds: invalid_kwds | '**' param_no_default",
    "param_no_default: a=param (',' | &CLOSE) -> a",
    "param_with_default: param default (',' | &CLOSE)",
    "param_maybe_default: param default? (',' | &CLOSE)",
    "param: DEF NAME (':' expression)? | LAMBDA NAME",
    "default: '=' expression | invalid_default",
    "invalid_default: a='=' &(')' | ',')"
    " {a: expected default value expression}",
    // The order of these decides which fault of several is told.
    "invalid_parameters:"
    " param_no_default* invalid_parameters_helper a=param_no_default"
    " {a: non-default argument follows default argument}"
    " | DEF param_no_default* a='(' param_no_default+ ','? b=')'"
    " {ab: Function parameters cannot be parenthesized}"
    " | LAMBDA param_no_default* a='(' ','.param+ ','? b=')'"
    " {ab: Lambda expression parameters cannot be parenthesized}"
    " | a='/' ',' {a: at least one argument must precede /}"
    " | (slash_no_default | slash_with_default) param_maybe_default* a='/'"
    " {a: / may appear only once}"
    " | (slash_no_default | slash_with_default)? param_maybe_default*"
    " '*' (',' | param_no_default) param_maybe_default* a='/'"
    " {a: / must be ahead of *}"
    " | param_maybe_default+ '/' a='*' {a: expected comma between / and *}",
    "invalid_parameters_helper: slash_with_default | param_with_default+",
    "invalid_star_etc:"
    " DEF a='*' (CLOSE | ',' (CLOSE | '**'))"
    " {a: named arguments must follow bare *}"
    " | LAMBDA '*' (CLOSE | ',' (CLOSE | '**'))"
    " {last: named arguments must follow bare *}"
    " | '*' param a='='"
    " {a: var-positional argument cannot have default value}"
    " | '*' (param_no_default | ',') param_maybe_default* a='*'"
    " (param_no_default | ',') {a: * argument may appear only once}",
    "invalid_kwds: '**' param a='='"
    " {a: var-keyword argument cannot have default value}"
    " | '**' param ',' a=param"
    " {a: arguments cannot follow var-keyword argument}"
    " | '**' param ',' a=('*' | '**' | '/')"
    " {a: arguments cannot follow var-keyword argument}",

    // Expressions.
    "expressions: expression (',' expression)+ ','? -> tuple"
    " | expression ',' -> tuple | expression",
    // Kept by place: each level of the expression grammar would ask again.
    "expression!: invalid_expression | invalid_legacy_expression"
    " | disjunction 'if' disjunction 'else' expression"
    " -> conditional expression | disjunction | lambdef",
    // As expression; within the search for a comma no further fault is looked
    // for.
    "expression_without_invalid:"
    " disjunction 'if' disjunction 'else' expression"
    " -> conditional expression | disjunction | lambdef",
    // Two expressions side by side; not where a string prefix or a soft keyword
    // explains them.
    "invalid_expression:"
    " !(NAME STRING | SOFT) a=disjunction b=expression_without_invalid"
    " {comma: invalid syntax. Perhaps you forgot a comma?}"
    " | a=disjunction 'if' b=disjunction !('else' | ':')"
    " {ab: expected 'else' after 'if' expression}",
    // print and exec, as statements of Python 2.
    "invalid_legacy_expression: a=NAME !'(' b=star_expressions"
    " {legacy: Missing parentheses in call to '%t'. Did you mean %t(...)?}",
    "yield_expr: 'yield' 'from' expression -> yield expression"
    " | 'yield' star_expressions? -> yield expression",
    "star_expressions: star_expression (',' star_expression)+ ','? -> tuple"
    " | star_expression ',' -> tuple | star_expression",
    "star_expression!: '*' bitwise_or -> starred | expression",
    "star_named_expressions: ','.star_named_expression+ ','?",
    "star_named_expression: '*' bitwise_or -> starred | named_expression",
    "assignment_expression: NAME ':=' ~ expression -> named expression",
    "named_expression: assignment_expression | invalid_named_expression"
    " | a=expression !':=' -> a",
    "invalid_named_expression!: a=expression ':=' expression"
    " {a: cannot use assignment expressions with %s}"
    " | a=NAME '=' b=bitwise_or !('=' | ':=')"
    " {ab: invalid syntax. Maybe you meant '==' or ':=' instead of '='?}"
    " | !(list | tuple | genexp | 'True' | 'None' | 'False') a=bitwise_or"
    " '=' bitwise_or !('=' | ':=')"
    " {a: cannot assign to %s here. Maybe you meant '==' instead of '='?}",
    // From here on one rule for each level of precedence, from weak to strong,
    // each kept by place: without that a name would be read 2^n times.
    "disjunction!: conjunction ('or' conjunction)+ -> expression"
    " | conjunction",
    "conjunction!: inversion ('and' inversion)+ -> expression | inversion",
    "inversion!: 'not' inversion -> expression | comparison",
    "comparison: bitwise_or compare_pair+ -> comparison | bitwise_or",
    "compare_pair: ('==' | '!=' | '<=' | '<' | '>=' | '>' | 'not' 'in' | 'in'"
    " | 'is' 'not' | 'is') bitwise_or",
    "bitwise_or!: bitwise_xor ('|' bitwise_xor)+ -> expression | bitwise_xor",
    "bitwise_xor!: bitwise_and ('^' bitwise_and)+ -> expression"
    " | bitwise_and",
    "bitwise_and!: shift_expr ('&' shift_expr)+ -> expression | shift_expr",
    "shift_expr!: sum (('<<' | '>>') sum)+ -> expression | sum",
    "sum!: term (('+' | '-') term)+ -> expression | term",
    "term!: factor (('*' | '/' | '//' | '%' | '@') factor)+ -> expression"
    " | factor",
    "factor!: ('+' | '-' | '~') factor -> expression | power",
    // Binds tighter than a sign on its left and weaker than one on its right.
    "power: await_primary '**' factor -> expression | await_primary",
    "await_primary!: 'await' primary -> await expression | primary",
    // What begins with the same tokens is read once, and called by the last
    // step: an attribute, a call or a subscript.
    "primary!: atom primary_step+ -> step | atom",
    "primary_step: '.' NAME -> attribute | genexp -> function call"
    " | '(' arguments? ')' -> function call | '[' slices ']' -> subscript",
    // One slice is itself; several, or a star, make a tuple.
    "slices: a=slice !',' -> a"
    " | ','.(slice | starred_expression)+ ','? -> tuple",
    "slice: expression? ':' expression? (':' expression?)? -> slice"
    " | named_expression",
    // The kinds are those that messages use: "cannot assign to True".
    "atom: NAME -> name | 'True' -> True | 'False' -> False | 'None' -> None"
    " | &STRING strings | NUMBER -> literal | &'(' (tuple | group | genexp)"
    " | &'[' (list | listcomp) | &'{' (dict | set | dictcomp | setcomp)"
    " | '...' -> ellipsis",
    "strings!: STRING+ -> text",
    // A group is what stands in it: a fault names that.
    "group: '(' a=annotated_group ')' -> a | invalid_group",
    "annotated_group: yield_expr | named_expression",
    "invalid_group: '(' a=starred_expression ')'"
    " {a: cannot use starred expression here}"
    " | '(' a='**' expression ')'"
    " {a: cannot use double starred expression here}",
    "lambdef: 'lambda' lambda_params? ':' expression -> lambda",
    "list: '[' star_named_expressions? ']' -> list",
    "tuple: '(' (star_named_expression ',' star_named_expressions?)? ')'"
    " -> tuple",
    "set: '{' star_named_expressions '}' -> set display",
    "dict: '{' (','.double_starred_kvpair+ ','?)? '}' -> dict literal"
    " | '{' faulty_double_starred_kvpairs '}'",
    // The faulty ones are tried in both passes, which is why they are not
    // called invalid.
    "double_starred_kvpair: '**' bitwise_or | kvpair",
    "kvpair: expression ':' expression",
    "faulty_double_starred_kvpairs:"
    " ','.double_starred_kvpair+ ',' faulty_kvpair"
    " | expression ':' a='*' bitwise_or"
    " {from: cannot use a starred expression in a dictionary value}"
    " | expression a=':' &('}' | ',')"
    " {a: expression expected after dictionary key and ':'}",
    "faulty_kvpair: a=expression !':'"
    " {key: ':' expected after dictionary key}"
    " | expression ':' a='*' bitwise_or"
    " {from: cannot use a starred expression in a dictionary value}"
    " | expression a=':' &('}' | ',')"
    " {a: expression expected after dictionary key and ':'}",
    // Shared by all four comprehensions.
    "for_if_clauses: for_if_clause+",
    "for_if_clause: 'async'? 'for' star_targets 'in' ~ disjunction"
    " ('if' disjunction)* | invalid_for_target",
    "listcomp: '[' named_expression for_if_clauses ']' -> list comprehension"
    " | invalid_comprehension",
    "setcomp: '{' named_expression for_if_clauses '}' -> set comprehension"
    " | invalid_comprehension",
    "genexp: '(' (assignment_expression | expression !':=') for_if_clauses ')'"
    " -> generator expression | invalid_comprehension",
    "dictcomp: '{' kvpair for_if_clauses '}' -> dict comprehension"
    " | invalid_dict_comprehension",
    // Tuples at the head of a comprehension need parentheses of their own.
    "invalid_comprehension:"
    " ('[' | '(' | '{') a=starred_expression for_if_clauses"
    " {a: iterable unpacking cannot be used in comprehension}"
    " | ('[' | '{') a=star_named_expression ',' b=star_named_expressions"
    " for_if_clauses {list: did you forget parentheses around the"
    " comprehension target?}"
    " | ('[' | '{') a=star_named_expression b=',' for_if_clauses"
    " {ab: did you forget parentheses around the comprehension target?}",
    "invalid_dict_comprehension: '{' a='**' bitwise_or for_if_clauses '}'"
    " {a: dict unpacking cannot be used in dict comprehension}",

    // Arguments.
    "arguments!: args ','? &')' | invalid_arguments",
    "args: ','.(starred_expression | a=positional !'=' -> a)+ (',' kwargs)?"
    " | kwargs",
    "positional: assignment_expression | a=expression !':=' -> a",
    // *x may still follow a keyword, **x ends that.
    "kwargs: ','.kwarg_or_starred+ ',' ','.kwarg_or_double_starred+"
    " | ','.kwarg_or_starred+ | ','.kwarg_or_double_starred+",
    "starred_expression: '*' expression -> starred",
    "kwarg_or_starred: invalid_kwarg | NAME '=' expression -> keyword"
    " | starred_expression",
    "kwarg_or_double_starred: invalid_kwarg"
    " | NAME '=' expression -> keyword | '**' expression -> mapping",
    // The order decides between a generator and a bad order.
    "invalid_arguments: a=args ',' '*'"
    " {a: iterable argument unpacking follows keyword argument unpacking}"
    " | a=expression b=for_if_clauses ',' (args | expression for_if_clauses)?"
    " {clause: Generator expression must be parenthesized}"
    " | a=NAME b='=' expression for_if_clauses"
    " {ab: invalid syntax. Maybe you meant '==' or ':=' instead of '='?}"
    " | a=args b=for_if_clauses"
    " {call: Generator expression must be parenthesized}"
    " | args ',' a=expression b=for_if_clauses"
    " {target: Generator expression must be parenthesized}"
    " | a=args ',' args"
    " {order: positional argument follows keyword argument}",
    // f(True=1) and f(a.b=1) look like keywords and are none.
    "invalid_kwarg: a=('True' | 'False' | 'None') b='='"
    " {ab: cannot assign to %t}"
    " | a=NAME b='=' expression for_if_clauses"
    " {ab: invalid syntax. Maybe you meant '==' or ':=' instead of '='?}"
    " | !(NAME '=') a=expression b='='"
    " {ab: expression cannot contain assignment, perhaps you meant \"==\"?}",

    // Targets.
    // A target is read as long as it could go on: t_lookahead tells `a.b` in
    // `a.b.c = 1` from the target itself.
    "star_targets: a=star_target !',' -> a"
    " | star_target (',' star_target)* ','? -> tuple",
    "star_target!: '*' (!'*' star_target) -> starred | target_with_star_atom",
    "target_with_star_atom!: t_primary '.' NAME !t_lookahead -> attribute"
    " | t_primary '[' slices ']' !t_lookahead -> subscript | star_atom",
    "star_atom: NAME -> name | '(' a=target_with_star_atom ')' -> a"
    " | '(' (star_target (',' star_target)+ ','? | star_target ',')? ')'"
    " -> tuple | '[' (','.star_target+ ','?)? ']' -> list",
    "single_target: single_subscript_attribute_target | NAME -> name"
    " | '(' a=single_target ')' -> a",
    "single_subscript_attribute_target: t_primary '.' NAME !t_lookahead"
    " | t_primary '[' slices ']' !t_lookahead",
    // What stands in front of the last step of a target.
    "t_primary!: atom &t_lookahead t_step*",
    "t_step: '.' NAME &t_lookahead | '[' slices ']' &t_lookahead"
    " | genexp &t_lookahead | '(' arguments? ')' &t_lookahead",
    "t_lookahead: '(' | '[' | '.'",
    "del_targets: ','.del_target+ ','?",
    "del_target!: t_primary '.' NAME !t_lookahead"
    " | t_primary '[' slices ']' !t_lookahead | del_t_atom",
    "del_t_atom: NAME | '(' del_target ')' | '(' del_targets? ')'"
    " | '[' del_targets? ']'",
    NULL,
};
