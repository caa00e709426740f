// More faulty programs and what is said of each, as CPython 3.11 says it:
//     FAULT(kind, line, column, program, message)
// No include guard: include it with FAULT defined.
FAULT(SYNTAX, 1, 15, "from a import (b, c", "'(' was never closed")
FAULT(SYNTAX, 1, 17, "from .a import *, c", "invalid syntax")
FAULT(SYNTAX, 3, 7, "try:\n a\nexcept\n b", "expected ':'")
FAULT(SYNTAX, 3, 9, "try:\n a\nexcept A\n b", "expected ':'")
FAULT(SYNTAX, 3, 14, "try:\n a\nexcept A as b.c:\n d", "invalid syntax")
FAULT(SYNTAX, 3, 8, "try:\n a\nfinally\n b", "expected ':'")
FAULT(INDENTATION, 4, 1, "try:\n a\nfinally:\nb",
      "expected an indented block after 'finally' statement on line 3")
FAULT(INDENTATION, 4, 1, "try:\n a\nexcept A:\nb",
      "expected an indented block after 'except' statement on line 3")
FAULT(INDENTATION, 4, 1, "if x:\n a\nelif y:\nb",
      "expected an indented block after 'elif' statement on line 3")
FAULT(INDENTATION, 4, 1, "if x:\n a\nelse:\nb",
      "expected an indented block after 'else' statement on line 3")
FAULT(INDENTATION, 2, 1, "for x in y:\nz",
      "expected an indented block after 'for' statement on line 1")
FAULT(INDENTATION, 2, 1, "while x:\ny",
      "expected an indented block after 'while' statement on line 1")
FAULT(INDENTATION, 2, 1, "with a as b:\nc",
      "expected an indented block after 'with' statement on line 1")
FAULT(INDENTATION, 2, 1, "with (a as b, c as d):\ne",
      "expected an indented block after 'with' statement on line 1")
FAULT(SYNTAX, 1, 22, "with (a as b, c as d)\n e", "expected ':'")
FAULT(INDENTATION, 2, 1, "class A:\npass",
      "expected an indented block after class definition on line 1")
FAULT(INDENTATION, 3, 3, "def f():\n  def g():\n  x",
      "expected an indented block after function definition on line 2")
FAULT(SYNTAX, 1, 16, "x = 1 if 2 else", "invalid syntax")
FAULT(SYNTAX, 1, 8, "a = 1 +", "invalid syntax")
FAULT(SYNTAX, 1, 7, "a = 1 2", "invalid syntax")
FAULT(SYNTAX, 1, 6, "a == = b", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a = = b", "invalid syntax")
FAULT(SYNTAX, 1, 6, "a, = ", "invalid syntax")
FAULT(SYNTAX, 1, 5, "1 + = 2", "invalid syntax")
FAULT(SYNTAX, 1, 5, "x = (1, 2", "'(' was never closed")
FAULT(SYNTAX, 1, 6, "x = 1)", "unmatched ')'")
FAULT(SYNTAX, 1, 5, "x = ]", "unmatched ']'")
FAULT(SYNTAX, 1, 2, "{]",
      "closing parenthesis ']' does not match opening parenthesis '{'")
FAULT(SYNTAX, 1, 2, "(]",
      "closing parenthesis ']' does not match opening parenthesis '('")
FAULT(SYNTAX, 1, 3, "[(])",
      "closing parenthesis ']' does not match opening parenthesis '('")
FAULT(SYNTAX, 1, 5, "x = '\n'",
      "unterminated string literal (detected at line 1)")
FAULT(SYNTAX, 1, 5, "x = \"abc\ny",
      "unterminated string literal (detected at line 1)")
FAULT(SYNTAX, 1, 5, "x = '''abc",
      "unterminated triple-quoted string literal (detected at line 1)")
FAULT(SYNTAX, 1, 1, "\"\"\"abc",
      "unterminated triple-quoted string literal (detected at line 1)")
FAULT(SYNTAX, 1, 6, "x = 0xg", "invalid hexadecimal literal")
FAULT(SYNTAX, 1, 7, "x = 0b2", "invalid digit '2' in binary literal")
FAULT(SYNTAX, 1, 10, "x = 1_000_", "invalid decimal literal")
FAULT(SYNTAX, 1, 8, "x = 1.5.2", "invalid syntax")
FAULT(SYNTAX, 1, 7, "x = 1e5x", "invalid decimal literal")
FAULT(SYNTAX, 1, 6, "x = 12abc", "invalid decimal literal")
FAULT(SYNTAX, 1, 1, "0_7",
      "leading zeros in decimal integer literals are not permitted; "
      "use an 0o prefix for octal integers")
FAULT(SYNTAX, 1, 5, "x = 007",
      "leading zeros in decimal integer literals are not permitted; "
      "use an 0o prefix for octal integers")
FAULT(SYNTAX, 1, 1, "\342\202\254", "invalid character '\342\202\254' (U+20AC)")
FAULT(SYNTAX, 1, 5, "x = \342\202\254",
      "invalid character '\342\202\254' (U+20AC)")
FAULT(SYNTAX, 1, 2, "a\302\240b", "invalid non-printable character U+00A0")
FAULT(SYNTAX, 1, 5, "x = \342\200\234a\342\200\235",
      "invalid character '\342\200\234' (U+201C)")
FAULT(SYNTAX, 1, 6, "x = \\", "unexpected EOF while parsing")
FAULT(SYNTAX, 1, 6, "x = \\ y",
      "unexpected character after line continuation character")
FAULT(TAB, 3, 1, "if True:\n\tx\n        y",
      "inconsistent use of tabs and spaces in indentation")
FAULT(TAB, 3, 1, "if True:\n        x\n\ty",
      "inconsistent use of tabs and spaces in indentation")
FAULT(INDENTATION, 1, 1, "\tx", "unexpected indent")
FAULT(INDENTATION, 1, 2, "  x = 1\ny", "unexpected indent")
FAULT(INDENTATION, 2, 1, "x\n y", "unexpected indent")
FAULT(INDENTATION, 3, 5, "def f(x):\n    return x\n   y",
      "unindent does not match any outer indentation level")
FAULT(SYNTAX, 1, 5, "del f(x)", "cannot delete function call")
FAULT(SYNTAX, 1, 5, "del 1", "cannot delete literal")
FAULT(SYNTAX, 1, 5, "del a + b", "cannot delete expression")
FAULT(SYNTAX, 1, 13, "del (a, b), 1", "cannot delete literal")
FAULT(SYNTAX, 1, 9, "del [a, 1]", "cannot delete literal")
FAULT(SYNTAX, 1, 5, "for f(x) in y: pass", "cannot assign to function call")
FAULT(SYNTAX, 1, 5, "for a + b in c: pass", "cannot assign to expression")
FAULT(SYNTAX, 1, 9, "for (a, 1) in c: pass", "cannot assign to literal")
FAULT(SYNTAX, 1, 8, "for x, 1 in c: pass", "cannot assign to literal")
FAULT(SYNTAX, 1, 6, "for *a + 1 in b: pass", "cannot assign to expression")
FAULT(SYNTAX, 1, 11, "with a as f(): pass", "cannot assign to function call")
FAULT(SYNTAX, 1, 11, "with a as 1, b: pass", "cannot assign to literal")
FAULT(SYNTAX, 1, 12, "with (a as 1): pass", "cannot assign to literal")
FAULT(SYNTAX, 1, 8, "[x for f() in y]", "cannot assign to function call")
FAULT(SYNTAX, 1, 5, "(a, f()) = 1", "cannot assign to function call")
FAULT(SYNTAX, 1, 5, "[a, b + 1] = c", "cannot assign to expression")
FAULT(SYNTAX, 1, 1, "a + b += 1",
      "'expression' is an illegal expression for augmented assignment")
FAULT(SYNTAX, 1, 1, "(a) + 1 = 2",
      "cannot assign to expression here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 1, "'a' += 1",
      "'literal' is an illegal expression for augmented assignment")
FAULT(SYNTAX, 1, 1, "f(x) += 1",
      "'function call' is an illegal expression for augmented assignment")
FAULT(SYNTAX, 1, 1, "[a] += 1",
      "'list' is an illegal expression for augmented assignment")
FAULT(SYNTAX, 1, 1, "f'{x}' += 1",
      "'f-string expression' is an illegal expression for augmented "
      "assignment")
FAULT(SYNTAX, 1, 7, "x: int: y", "invalid syntax")
FAULT(SYNTAX, 1, 1, "(a, b): int",
      "only single target (not tuple) can be annotated")
FAULT(SYNTAX, 1, 1, "[a, b]: int",
      "only single target (not list) can be annotated")
FAULT(SYNTAX, 1, 1, "f(): int", "illegal target for annotation")
FAULT(SYNTAX, 1, 1, "1: int", "illegal target for annotation")
FAULT(SYNTAX, 1, 1, "a + b: int", "illegal target for annotation")
FAULT(SYNTAX, 1, 1, "lambda: 1: 2", "illegal target for annotation")
FAULT(SYNTAX, 1, 1, "not x = 1", "cannot assign to expression")
FAULT(SYNTAX, 1, 1, "x if y else z = 1",
      "cannot assign to conditional expression")
FAULT(SYNTAX, 1, 1, "a.b().c() = 1",
      "cannot assign to function call here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 1, "a[1]() = 2",
      "cannot assign to function call here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 2, "(lambda: 1) = 2",
      "cannot assign to lambda here. Maybe you meant '==' instead of '='\?")
FAULT(SYNTAX, 1, 3, "f(1=2)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 3, "f('a'=1)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 6, "f(a, None=1)", "cannot assign to None")
FAULT(SYNTAX, 1, 3, "f(a.b = 1, c)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 3, "f(a[0]=1)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 3, "f(x + y = 1)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 9, "f(a=1, a)", "positional argument follows keyword argument")
FAULT(SYNTAX, 1, 14, "f(**a, b=1, c)",
      "positional argument follows keyword argument unpacking")
FAULT(SYNTAX, 1, 3, "f(a for a in b, *c)",
      "Generator expression must be parenthesized")
FAULT(SYNTAX, 1, 15, "(x := 1, y := )", "invalid syntax")
FAULT(SYNTAX, 1, 2, "(1 := 2)",
      "cannot use assignment expressions with literal")
FAULT(SYNTAX, 1, 12, "(a, b := 1 := 2)", "invalid syntax")
FAULT(SYNTAX, 1, 7, "x = y := 1", "invalid syntax")
FAULT(SYNTAX, 1, 9, "def f(x := 1): pass", "invalid syntax")
FAULT(SYNTAX, 1, 10, "lambda x := 1: 2", "invalid syntax")
FAULT(SYNTAX, 1, 5, "if (x = 1): pass",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 11, "if x == 1 = 2: pass", "invalid syntax")
FAULT(SYNTAX, 1, 7, "while x = 1: pass",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 2, "[x = 1]",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 2, "{x = 1}",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 3, "x[y = 1]",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 13, "assert x, y = 1", "invalid syntax")
FAULT(SYNTAX, 1, 10, "return x = 1", "invalid syntax")
FAULT(SYNTAX, 1, 1, "print x",
      "Missing parentheses in call to 'print'. Did you mean print(...)\?")
FAULT(SYNTAX, 1, 1, "print 'a', 'b'",
      "Missing parentheses in call to 'print'. Did you mean print(...)\?")
FAULT(SYNTAX, 1, 1, "exec x",
      "Missing parentheses in call to 'exec'. Did you mean exec(...)\?")
FAULT(SYNTAX, 1, 1, "yield = 1", "assignment to yield expression not possible")
FAULT(SYNTAX, 1, 5, "x = yield y = 1",
      "assignment to yield expression not possible")
FAULT(SYNTAX, 1, 9, "nonlocal", "invalid syntax")
FAULT(SYNTAX, 1, 11, "global x, ", "invalid syntax")
FAULT(SYNTAX, 1, 8, "global 1", "invalid syntax")
FAULT(SYNTAX, 1, 8, "import 1", "invalid syntax")
FAULT(SYNTAX, 1, 10, "import a.", "invalid syntax")
FAULT(SYNTAX, 1, 14, "from . import", "invalid syntax")
FAULT(SYNTAX, 1, 17, "from .. import a.b", "invalid syntax")
FAULT(SYNTAX, 1, 6, "pass 1", "invalid syntax")
FAULT(SYNTAX, 1, 7, "break 1", "invalid syntax")
FAULT(SYNTAX, 1, 10, "continue x", "invalid syntax")
FAULT(SYNTAX, 1, 8, "raise 1, 2", "invalid syntax")
FAULT(SYNTAX, 1, 16, "raise a from b from c", "invalid syntax")
FAULT(SYNTAX, 1, 7, "assert", "invalid syntax")
FAULT(SYNTAX, 1, 10, "assert a b", "invalid syntax")
FAULT(SYNTAX, 1, 8, "return return", "invalid syntax")
FAULT(SYNTAX, 1, 3, "if:", "invalid syntax")
FAULT(SYNTAX, 1, 5, "for in x: pass", "invalid syntax")
FAULT(SYNTAX, 1, 9, "for x in: pass", "invalid syntax")
FAULT(SYNTAX, 1, 6, "while: pass", "invalid syntax")
FAULT(SYNTAX, 1, 5, "with: pass", "invalid syntax")
FAULT(SYNTAX, 1, 4, "def: pass", "invalid syntax")
FAULT(SYNTAX, 1, 6, "def f: pass", "expected '('")
FAULT(SYNTAX, 1, 5, "def 1(): pass", "invalid syntax")
FAULT(SYNTAX, 1, 6, "class: pass", "invalid syntax")
FAULT(SYNTAX, 1, 7, "class 1: pass", "invalid syntax")
FAULT(SYNTAX, 1, 11, "class A() pass", "invalid syntax")
FAULT(SYNTAX, 1, 9, "def f() pass", "expected ':'")
FAULT(SYNTAX, 1, 9, "def f() -> : pass", "expected ':'")
FAULT(SYNTAX, 1, 7, "lambda", "invalid syntax")
FAULT(SYNTAX, 1, 9, "lambda x", "invalid syntax")
FAULT(SYNTAX, 1, 8, "lambda:", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a if", "invalid syntax")
FAULT(SYNTAX, 1, 12, "a if b else", "invalid syntax")
FAULT(SYNTAX, 1, 6, "a not", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a is", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a in", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a < > b", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a <> b", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a ! b", "invalid syntax")
FAULT(SYNTAX, 1, 1, "!", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a !", "invalid syntax")
FAULT(SYNTAX, 1, 1, "$", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a $ b", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a \? b : c", "invalid syntax")
FAULT(SYNTAX, 1, 1, "`a`", "invalid syntax")
FAULT(SYNTAX, 1, 4, "x++", "invalid syntax")
FAULT(SYNTAX, 1, 6, "++x--", "invalid syntax")
FAULT(SYNTAX, 1, 4, "a &&  b", "invalid syntax")
FAULT(SYNTAX, 1, 4, "a || b", "invalid syntax")
FAULT(SYNTAX, 1, 10, "x = {1, 2: 3}", "invalid syntax")
FAULT(SYNTAX, 1, 12, "x = {1: 2, 3, 4: 5}", "':' expected after dictionary key")
FAULT(SYNTAX, 1, 9, "x = {**a: 1}", "invalid syntax")
FAULT(SYNTAX, 1, 8, "x = {*a: 1}", "invalid syntax")
FAULT(SYNTAX, 1, 9, "x = {a: *b}",
      "cannot use a starred expression in a dictionary value")
FAULT(SYNTAX, 1, 7, "x = {a: }",
      "expression expected after dictionary key and ':'")
FAULT(SYNTAX, 1, 7, "x = {a: , b: 1}",
      "expression expected after dictionary key and ':'")
FAULT(SYNTAX, 1, 6, "x = {: 1}", "invalid syntax")
FAULT(SYNTAX, 1, 5, "{a:b:c}", "invalid syntax")
FAULT(SYNTAX, 1, 3, "[a:b]", "invalid syntax")
FAULT(SYNTAX, 1, 3, "(a:b)", "invalid syntax")
FAULT(SYNTAX, 1, 5, "x[:::]", "invalid syntax")
FAULT(SYNTAX, 1, 7, "x[a:=1:2]", "invalid syntax")
FAULT(SYNTAX, 1, 5, "f(*a=1)", "invalid syntax")
FAULT(SYNTAX, 1, 6, "f(**a=1)", "invalid syntax")
FAULT(SYNTAX, 1, 2, "a.1", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a.", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a.if", "invalid syntax")
FAULT(SYNTAX, 1, 2, "1.a", "invalid decimal literal")
FAULT(SYNTAX, 1, 2, "1.real", "invalid decimal literal")
FAULT(SYNTAX, 1, 2, "1.e", "invalid decimal literal")
FAULT(SYNTAX, 1, 1, "'a' 'b' = 1",
      "cannot assign to literal here. Maybe you meant '==' instead of '='\?")
FAULT(SYNTAX, 1, 11, "match = 1 2", "invalid syntax")
FAULT(SYNTAX, 1, 6, "case 1", "invalid syntax")
FAULT(SYNTAX, 1, 3, "_ 1", "invalid syntax")
FAULT(SYNTAX, 1, 8, "(match x)", "invalid syntax")
FAULT(SYNTAX, 1, 4, "(_ 1)", "invalid syntax")
FAULT(SYNTAX, 1, 11, "x = match y", "invalid syntax")
FAULT(SYNTAX, 1, 7, "f(a, (b c), d)",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 3, "[[1 2], 3]",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 6, "{a: [b c]}",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 6, "x = (a b\n c)",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "foo(a\n b)",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 2, 2, "x = [\n 1\n 2\n]",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "if (a and\n b c): pass",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 6, "f(a)(b c)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 4, "(a 'b')", "invalid syntax")
FAULT(SYNTAX, 1, 4, "(a f'b')", "invalid syntax")
FAULT(SYNTAX, 1, 4, "(kf'b')", "invalid syntax")
FAULT(SYNTAX, 1, 2, "a'b'", "invalid syntax")
FAULT(SYNTAX, 1, 2, "('a' b)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 2, "(1 'a')", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 2, "(1 if 2)", "expected 'else' after 'if' expression")
FAULT(SYNTAX, 1, 2, "(a if b c)", "expected 'else' after 'if' expression")
FAULT(SYNTAX, 1, 2, "[a if b for c in d]",
      "expected 'else' after 'if' expression")
FAULT(SYNTAX, 1, 3, "f(a if b)", "expected 'else' after 'if' expression")
FAULT(SYNTAX, 1, 8, "{a if b: c}", "invalid syntax")
FAULT(SYNTAX, 1, 12, "x = (yield = 1)", "invalid syntax")
FAULT(SYNTAX, 1, 13, "def f(*, a, *b): pass", "* argument may appear only once")
FAULT(SYNTAX, 1, 16, "def f(*a, **k, b): pass",
      "arguments cannot follow var-keyword argument")
FAULT(SYNTAX, 1, 12, "def f(**k, *a): pass",
      "arguments cannot follow var-keyword argument")
FAULT(SYNTAX, 1, 12, "def f(**k, /): pass",
      "arguments cannot follow var-keyword argument")
FAULT(SYNTAX, 1, 13, "def f(a, /, /): pass", "/ may appear only once")
FAULT(SYNTAX, 1, 10, "def f(*, /): pass", "/ must be ahead of *")
FAULT(SYNTAX, 1, 15, "def f(a=1, /, b): pass",
      "non-default argument follows default argument")
FAULT(SYNTAX, 1, 10, "def f(a, (b, c)): pass",
      "Function parameters cannot be parenthesized")
FAULT(SYNTAX, 1, 7, "def f((a)): pass",
      "Function parameters cannot be parenthesized")
FAULT(SYNTAX, 1, 7, "def f(1): pass", "invalid syntax")
FAULT(SYNTAX, 1, 8, "def f(a.b): pass", "invalid syntax")
FAULT(SYNTAX, 1, 12, "def f(a, *b=1): pass",
      "var-positional argument cannot have default value")
FAULT(SYNTAX, 1, 10, "def f(a: int b): pass",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 9, "def f(a=1 b=2): pass",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 6, "def f(a, b", "'(' was never closed")
FAULT(SYNTAX, 1, 8, "class A(B", "'(' was never closed")
FAULT(SYNTAX, 1, 4, "@a b\nx", "invalid syntax")
FAULT(SYNTAX, 1, 2, "@\ndef f(): pass", "invalid syntax")
FAULT(SYNTAX, 3, 1, "@a\n@b\nx = 1", "invalid syntax")
FAULT(SYNTAX, 1, 9, "with a, : pass", "invalid syntax")
FAULT(SYNTAX, 1, 13, "with (a, b) c: pass", "invalid syntax")
FAULT(SYNTAX, 1, 11, "import a, ", "invalid syntax")
FAULT(SYNTAX, 1, 8, "import (a)", "invalid syntax")
FAULT(SYNTAX, 1, 18, "from a import (b,, c)", "invalid syntax")
FAULT(SYNTAX, 1, 16, "from a import ()", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a;;b", "invalid syntax")
FAULT(SYNTAX, 1, 1, ";", "invalid syntax")
FAULT(SYNTAX, 1, 6, "a; b c", "invalid syntax")
FAULT(SYNTAX, 1, 1, ":", "invalid syntax")
FAULT(SYNTAX, 1, 1, "=", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a = ", "invalid syntax")
FAULT(SYNTAX, 1, 1, ")", "unmatched ')'")
FAULT(SYNTAX, 1, 11, "*a = 1, 2 3", "invalid syntax")
FAULT(SYNTAX, 1, 3, "* = 1", "invalid syntax")
FAULT(SYNTAX, 1, 1, "**a", "invalid syntax")
FAULT(SYNTAX, 1, 5, "f(**a b)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "x = **a", "invalid syntax")
FAULT(SYNTAX, 1, 2, "[**a]", "invalid syntax")
FAULT(SYNTAX, 1, 6, "(*a, b c)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 2, "(*a) = 1", "cannot use starred expression here")
FAULT(SYNTAX, 1, 2, "(**a, b)", "invalid syntax")
FAULT(SYNTAX, 1, 6, "*(a) b", "invalid syntax")
FAULT(SYNTAX, 3, 1, "try:\n a\nelse:\n b",
      "expected 'except' or 'finally' block")
FAULT(SYNTAX, 1, 7, "try: a", "expected 'except' or 'finally' block")
FAULT(SYNTAX, 2, 1, "try: a\nb", "expected 'except' or 'finally' block")
FAULT(SYNTAX, 2, 8, "try: a\nexcept B, C: d",
      "multiple exception types must be parenthesized")
FAULT(SYNTAX, 2, 8, "try: a\nexcept B, C as D: d",
      "multiple exception types must be parenthesized")
FAULT(SYNTAX, 2, 18, "try: a\nexcept (B, C) as (d): e", "invalid syntax")
FAULT(SYNTAX, 1, 12, "while True print(1)", "invalid syntax")
FAULT(SYNTAX, 1, 9, "if a: b else: c", "invalid syntax")
FAULT(SYNTAX, 1, 19, "for i in range(3) print(i)", "invalid syntax")
FAULT(SYNTAX, 1, 19, "def f(): return 1 2", "invalid syntax")
FAULT(SYNTAX, 1, 5, "x = [i for i in range(3)", "'[' was never closed")
FAULT(SYNTAX, 1, 6, "print('a'", "'(' was never closed")
FAULT(SYNTAX, 1, 7, "print('a)",
      "unterminated string literal (detected at line 1)")
FAULT(SYNTAX, 1, 13, "print(\"a\" + 'b)",
      "unterminated string literal (detected at line 1)")
FAULT(SYNTAX, 1, 23, "a = {'x': [1, 2, (3, 4]}",
      "closing parenthesis ']' does not match opening parenthesis '('")
FAULT(SYNTAX, 3, 2, "a = (\n[1,\n2)\n",
      "closing parenthesis ')' does not match opening parenthesis "
      "'[' on line 2")
