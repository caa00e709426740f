// Faulty programs and what is said of each, as CPython 3.11 says it:
//     FAULT(kind, line, column, program, message)
// No include guard: include it with FAULT defined.
FAULT(SYNTAX, 1, 5, "x = $", "invalid syntax")
FAULT(SYNTAX, 1, 5, "x = 1a", "invalid decimal literal")
FAULT(SYNTAX, 1, 8, "x = 0b12", "invalid digit '2' in binary literal")
FAULT(SYNTAX, 1, 5, "x = 0777",
      "leading zeros in decimal integer literals are not permitted; "
      "use an 0o prefix for octal integers")
FAULT(SYNTAX, 1, 6, "x = 1_", "invalid decimal literal")
FAULT(SYNTAX, 1, 6, "x = 0x", "invalid hexadecimal literal")
FAULT(SYNTAX, 1, 5, "x = 'abc",
      "unterminated string literal (detected at line 1)")
FAULT(SYNTAX, 1, 3, "x='''a\nb",
      "unterminated triple-quoted string literal (detected at line 2)")
FAULT(INDENTATION, 1, 2, "  x", "unexpected indent")
FAULT(INDENTATION, 2, 1, "if x:\ny",
      "expected an indented block after 'if' statement on line 1")
FAULT(INDENTATION, 1, 6, "if x:\n",
      "expected an indented block after 'if' statement on line 1")
FAULT(INDENTATION, 3, 4, "if x:\n    y\n  z",
      "unindent does not match any outer indentation level")
FAULT(TAB, 3, 1, "if x:\n\ty\n        z",
      "inconsistent use of tabs and spaces in indentation")
FAULT(SYNTAX, 1, 5, "x = (1", "'(' was never closed")
FAULT(SYNTAX, 1, 7, "x = (1]",
      "closing parenthesis ']' does not match opening parenthesis '('")
FAULT(SYNTAX, 1, 5, "x = )", "unmatched ')'")
FAULT(SYNTAX, 2, 2, "x = (\n1]",
      "closing parenthesis ']' does not match opening parenthesis "
      "'(' on line 1")
FAULT(SYNTAX, 1, 8, "x = 1 \\ 3",
      "unexpected character after line continuation character")
FAULT(SYNTAX, 1, 4, "x \\", "unexpected EOF while parsing")
FAULT(SYNTAX, 1, 2, "a\342\202\254",
      "invalid character '\342\202\254' (U+20AC)")
FAULT(SYNTAX, 1, 5, "a = \302\240", "invalid non-printable character U+00A0")
FAULT(SYNTAX, 1, 4, "x =", "invalid syntax")
FAULT(SYNTAX, 1, 8, "x = f'{a b}'",
      "f-string: invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "f'{'\n", "f-string: expecting '}'")
FAULT(SYNTAX, 1, 13, "x = f'{a!x}'\nfoo",
      "f-string: invalid conversion character: expected 's', 'r', or 'a'")
FAULT(SYNTAX, 1, 6, "'\\x1'\n",
      "(unicode error) 'unicodeescape' codec can't decode bytes in "
      "position 0-2: truncated \\xXX escape")
FAULT(SYNTAX, 1, 5, "b'\303\251'",
      "bytes can only contain ASCII literal characters")
FAULT(SYNTAX, 1, 5, "f'}'", "f-string: single '}' is not allowed")
FAULT(SYNTAX, 1, 15, "f'{a:{b:{c}}}'",
      "f-string: expressions nested too deeply")
FAULT(SYNTAX, 1, 6, "f'{}'", "f-string: empty expression not allowed")
FAULT(SYNTAX, 1, 9, "f'{a\\n}'",
      "f-string expression part cannot include a backslash")
FAULT(SYNTAX, 1, 7, "f'{#}'", "f-string expression part cannot include '#'")
FAULT(SYNTAX, 1, 8, "f'{a)}'", "f-string: unmatched ')'")
FAULT(SYNTAX, 1, 8, "f'{(a}'",
      "f-string: closing parenthesis '}' does not match opening "
      "parenthesis '('")
FAULT(INDENTATION, 4, 3, "if x:\n  y\n\n   z", "unexpected indent")
FAULT(SYNTAX, 1, 3, "1 <> 2", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a \? b", "invalid syntax")
FAULT(SYNTAX, 1, 5, "x = 08",
      "leading zeros in decimal integer literals are not permitted; "
      "use an 0o prefix for octal integers")
FAULT(SYNTAX, 1, 3, "0o8", "invalid digit '8' in octal literal")
FAULT(SYNTAX, 1, 1, "1e", "invalid decimal literal")
FAULT(SYNTAX, 1, 2, "1__0", "invalid decimal literal")
FAULT(SYNTAX, 1, 2, "0_", "invalid decimal literal")
FAULT(SYNTAX, 1, 3, "0x_", "invalid hexadecimal literal")
FAULT(SYNTAX, 1, 2, "0b", "invalid binary literal")
FAULT(SYNTAX, 1, 5, "x = (1 2\n", "'(' was never closed")
FAULT(SYNTAX, 1, 3, "x=(\n1 2\n", "'(' was never closed")
FAULT(SYNTAX, 1, 3, "ab'c'", "invalid syntax")
FAULT(INDENTATION, 2, 2, "\\\n  x", "unexpected indent")
FAULT(SYNTAX, 1, 9, "class A x: pass", "invalid syntax")
FAULT(SYNTAX, 1, 8, "class A\n x", "expected ':'")
FAULT(SYNTAX, 1, 12, "for x in y z: pass", "invalid syntax")
FAULT(SYNTAX, 1, 6, "if x y: pass", "invalid syntax")
FAULT(SYNTAX, 1, 9, "while x y: pass", "invalid syntax")
FAULT(SYNTAX, 1, 8, "with a b: pass", "invalid syntax")
FAULT(SYNTAX, 1, 7, "with a\n b", "expected ':'")
FAULT(SYNTAX, 1, 7, "def f x", "expected '('")
FAULT(SYNTAX, 1, 10, "def f(x) y", "expected ':'")
FAULT(INDENTATION, 1, 10, "def f(x):\n",
      "expected an indented block after function definition on line 1")
FAULT(SYNTAX, 1, 5, "try x:\n pass", "expected ':'")
FAULT(SYNTAX, 3, 1, "try:\n x\ny", "expected 'except' or 'finally' block")
FAULT(SYNTAX, 3, 10, "try:\n x\nexcept a b: pass", "invalid syntax")
FAULT(SYNTAX, 1, 1, "else: x", "invalid syntax")
FAULT(SYNTAX, 3, 6, "if x:\n y\nelse x: pass", "expected ':'")
FAULT(SYNTAX, 1, 10, "lambda x y", "invalid syntax")
FAULT(SYNTAX, 1, 4, "f'{a b}' 'c'",
      "f-string: invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 9, "f(a=1, b)", "positional argument follows keyword argument")
FAULT(SYNTAX, 1, 9, "f(**a, b)",
      "positional argument follows keyword argument unpacking")
FAULT(SYNTAX, 1, 3, "f(**a, *b)",
      "iterable argument unpacking follows keyword argument unpacking")
FAULT(SYNTAX, 1, 3, "f(x for x in y, 1)",
      "Generator expression must be parenthesized")
FAULT(SYNTAX, 1, 6, "f(1, x for x in y)",
      "Generator expression must be parenthesized")
FAULT(SYNTAX, 1, 3, "f(a.b=1)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 3, "f(True=1)", "cannot assign to True")
FAULT(SYNTAX, 1, 3, "f(a=1 for x in y)",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 1, "x + 1 = 2",
      "cannot assign to expression here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 5, "x = 1 = y", "cannot assign to literal")
FAULT(SYNTAX, 1, 1, "1 = x",
      "cannot assign to literal here. Maybe you meant '==' instead of '='\?")
FAULT(SYNTAX, 1, 1, "None = 1", "cannot assign to None")
FAULT(SYNTAX, 1, 5, "(a, 1) = x", "cannot assign to literal")
FAULT(SYNTAX, 1, 1, "f() = 1",
      "cannot assign to function call here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 1, "f() += 1",
      "'function call' is an illegal expression for augmented assignment")
FAULT(SYNTAX, 1, 1, "(a,b) += 1",
      "'tuple' is an illegal expression for augmented assignment")
FAULT(SYNTAX, 1, 1, "a, b: int",
      "only single target (not tuple) can be annotated")
FAULT(SYNTAX, 1, 1, "[a]: int",
      "only single target (not list) can be annotated")
FAULT(SYNTAX, 1, 1, "x if y", "expected 'else' after 'if' expression")
FAULT(SYNTAX, 1, 2, "(x if y)", "expected 'else' after 'if' expression")
FAULT(SYNTAX, 1, 5, "del f()", "cannot delete function call")
FAULT(SYNTAX, 1, 9, "del (a, 1)", "cannot delete literal")
FAULT(SYNTAX, 1, 5, "for 1 in x: pass", "cannot assign to literal")
FAULT(SYNTAX, 1, 5, "for f() in x: pass", "cannot assign to function call")
FAULT(SYNTAX, 1, 8, "[x for 1 in y]", "cannot assign to literal")
FAULT(SYNTAX, 1, 11, "with a as 1: pass", "cannot assign to literal")
FAULT(SYNTAX, 1, 16, "import a.b as c.d", "invalid syntax")
FAULT(SYNTAX, 1, 17, "from a import b,",
      "trailing comma not allowed without surrounding parentheses")
FAULT(SYNTAX, 1, 14, "from a import", "invalid syntax")
FAULT(SYNTAX, 1, 7, "import", "invalid syntax")
FAULT(SYNTAX, 1, 18, "from . import (a b)", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a = yield = 1",
      "assignment to yield expression not possible")
FAULT(SYNTAX, 1, 2, "(*a)", "cannot use starred expression here")
FAULT(SYNTAX, 1, 2, "(**a)", "cannot use double starred expression here")
FAULT(SYNTAX, 1, 2, "[*a for a in b]",
      "iterable unpacking cannot be used in comprehension")
FAULT(SYNTAX, 1, 2, "[a, b for a, b in c]",
      "did you forget parentheses around the comprehension target\?")
FAULT(SYNTAX, 1, 2, "{**a for a in b}",
      "dict unpacking cannot be used in dict comprehension")
FAULT(SYNTAX, 1, 7, "{1:2, 3}", "':' expected after dictionary key")
FAULT(SYNTAX, 1, 3, "{1:}", "expression expected after dictionary key and ':'")
FAULT(SYNTAX, 1, 4, "{1:*a}",
      "cannot use a starred expression in a dictionary value")
FAULT(SYNTAX, 1, 12, "def f(a=1, b): pass",
      "non-default argument follows default argument")
FAULT(SYNTAX, 1, 7, "def f(*): pass", "named arguments must follow bare *")
FAULT(SYNTAX, 1, 7, "def f(*, **k): pass", "named arguments must follow bare *")
FAULT(SYNTAX, 1, 12, "def f(**k, a): pass",
      "arguments cannot follow var-keyword argument")
FAULT(SYNTAX, 1, 11, "def f(*a, *b): pass", "* argument may appear only once")
FAULT(SYNTAX, 1, 7, "def f(/): pass", "invalid syntax")
FAULT(SYNTAX, 1, 16, "def f(a, /, b, /): pass", "/ may appear only once")
FAULT(SYNTAX, 1, 11, "def f(*a, /): pass", "/ must be ahead of *")
FAULT(SYNTAX, 1, 7, "def f((a, b)): pass",
      "Function parameters cannot be parenthesized")
FAULT(SYNTAX, 1, 8, "lambda (a,b): 1",
      "Lambda expression parameters cannot be parenthesized")
FAULT(SYNTAX, 1, 8, "def f(a=): pass", "expected default value expression")
FAULT(SYNTAX, 1, 9, "def f(*a=1): pass",
      "var-positional argument cannot have default value")
FAULT(SYNTAX, 1, 10, "def f(**a=1): pass",
      "var-keyword argument cannot have default value")
FAULT(SYNTAX, 1, 8, "def f(a/ *b): pass", "invalid syntax")
FAULT(SYNTAX, 1, 1, "except: pass", "invalid syntax")
FAULT(SYNTAX, 3, 8, "try:\n a\nexcept a, b:\n c",
      "multiple exception types must be parenthesized")
FAULT(SYNTAX, 1, 1, "print 1",
      "Missing parentheses in call to 'print'. Did you mean print(...)\?")
FAULT(SYNTAX, 1, 1, "exec 'a'",
      "Missing parentheses in call to 'exec'. Did you mean exec(...)\?")
FAULT(SYNTAX, 1, 1, "print a b",
      "Missing parentheses in call to 'print'. Did you mean print(...)\?")
FAULT(SYNTAX, 1, 2, "(a not b)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 7, "a not b", "invalid syntax")
FAULT(SYNTAX, 1, 4, "if x = 3: pass",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 4, "if x.y = 3: pass",
      "cannot assign to attribute here. Maybe you meant '==' instead of '='\?")
FAULT(SYNTAX, 1, 8, "while (a = 1): pass",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 15, "f(a := 1, b=2 := 3)", "invalid syntax")
FAULT(SYNTAX, 1, 2, "(a.b := 1)",
      "cannot use assignment expressions with attribute")
FAULT(SYNTAX, 1, 3, "a := 1", "invalid syntax")
FAULT(SYNTAX, 1, 6, "x = (a = 1)",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 10, "assert x = 1", "invalid syntax")
FAULT(SYNTAX, 1, 4, "not", "invalid syntax")
FAULT(SYNTAX, 1, 4, "a +", "invalid syntax")
FAULT(SYNTAX, 1, 5, "a + not b", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a..b", "invalid syntax")
FAULT(SYNTAX, 1, 3, "a b c", "invalid syntax")
FAULT(SYNTAX, 1, 2, "@\nx", "invalid syntax")
FAULT(SYNTAX, 1, 4, "@a b\ndef f(): pass", "invalid syntax")
FAULT(SYNTAX, 2, 1, "@a\nx", "invalid syntax")
FAULT(SYNTAX, 1, 10, "return 1 2", "invalid syntax")
FAULT(SYNTAX, 1, 7, "global", "invalid syntax")
FAULT(SYNTAX, 1, 9, "global a.b", "invalid syntax")
FAULT(SYNTAX, 1, 6, "pass x", "invalid syntax")
FAULT(SYNTAX, 1, 13, "raise a from", "invalid syntax")
FAULT(SYNTAX, 1, 7, "raise from x", "invalid syntax")
FAULT(SYNTAX, 1, 8, "print(*a b)",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 3, "x[1 2]", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "x[a:b c]", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 2, "{a b}", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "{a: b c}", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "[1, 2 3]", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "(a, b c)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(INDENTATION, 3, 2, "if True:\n pass\n  x", "unexpected indent")
FAULT(INDENTATION, 2, 1, "def f():\nx",
      "expected an indented block after function definition on line 1")
FAULT(SYNTAX, 1, 1, "a = b if c else d = e",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 1, "a if b else c = 1",
      "cannot assign to conditional expression")
FAULT(SYNTAX, 1, 1, "-a = 1",
      "cannot assign to expression here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 1, "a < b = 1", "cannot assign to comparison")
FAULT(SYNTAX, 1, 1, "a and b = 1", "cannot assign to expression")
FAULT(SYNTAX, 1, 1, "lambda: 1 = 2", "cannot assign to lambda")
FAULT(SYNTAX, 1, 1, "'a' = 1",
      "cannot assign to literal here. Maybe you meant '==' instead of '='\?")
FAULT(SYNTAX, 1, 1, "f'{a}' = 1",
      "cannot assign to f-string expression here. Maybe you meant "
      "'==' instead of '='\?")
FAULT(SYNTAX, 1, 5, "[a, 1] = 2", "cannot assign to literal")
FAULT(SYNTAX, 1, 1, "{} = 1",
      "cannot assign to dict literal here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 1, "{1} = 2",
      "cannot assign to set display here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 1, "... = 1",
      "cannot assign to ellipsis here. Maybe you meant '==' instead of '='\?")
FAULT(SYNTAX, 1, 7, "x.y = 1 = z", "cannot assign to literal")
FAULT(SYNTAX, 1, 1, "(a for a in b) = 1",
      "cannot assign to generator expression")
FAULT(SYNTAX, 1, 1, "[a for a in b] = 1",
      "cannot assign to list comprehension here. Maybe you meant "
      "'==' instead of '='\?")
FAULT(SYNTAX, 1, 2, "(yield) = 1",
      "cannot assign to yield expression here. Maybe you meant '==' "
      "instead of '='\?")
FAULT(SYNTAX, 1, 14, "a.b: int = 1 = 2", "invalid syntax")
FAULT(SYNTAX, 1, 1, "True += 1",
      "'True' is an illegal expression for augmented assignment")
FAULT(SYNTAX, 1, 7, "a = 1 += 2", "invalid syntax")
FAULT(SYNTAX, 1, 6, "class", "invalid syntax")
FAULT(SYNTAX, 1, 4, "def", "invalid syntax")
FAULT(SYNTAX, 1, 9, "class A(:", "invalid syntax")
FAULT(SYNTAX, 1, 6, "def f(", "'(' was never closed")
FAULT(SYNTAX, 1, 3, "if", "invalid syntax")
FAULT(SYNTAX, 1, 5, "if x", "expected ':'")
FAULT(SYNTAX, 1, 6, "while", "invalid syntax")
FAULT(SYNTAX, 1, 4, "for", "invalid syntax")
FAULT(SYNTAX, 1, 6, "for x", "invalid syntax")
FAULT(SYNTAX, 1, 9, "for x in", "invalid syntax")
FAULT(SYNTAX, 1, 7, "for x y", "invalid syntax")
FAULT(SYNTAX, 1, 5, "with", "invalid syntax")
FAULT(SYNTAX, 1, 4, "try", "expected ':'")
FAULT(SYNTAX, 1, 2, "f(", "'(' was never closed")
FAULT(SYNTAX, 1, 2, "f(a", "'(' was never closed")
FAULT(SYNTAX, 1, 2, "f(a,", "'(' was never closed")
FAULT(SYNTAX, 1, 1, "[", "'[' was never closed")
FAULT(SYNTAX, 1, 5, "x = [1,\n2\ny = 3", "'[' was never closed")
FAULT(SYNTAX, 1, 5, "a = (b\nc = d", "'(' was never closed")
FAULT(SYNTAX, 1, 5, "x = {1: 2\ny = 3", "'{' was never closed")
FAULT(SYNTAX, 1, 12, "nonlocal x y", "invalid syntax")
FAULT(SYNTAX, 1, 10, "import a b", "invalid syntax")
FAULT(SYNTAX, 1, 16, "from a import *, b", "invalid syntax")
FAULT(SYNTAX, 1, 16, "from a import (*)", "invalid syntax")
FAULT(SYNTAX, 1, 11, "from a.b. import c", "invalid syntax")
FAULT(SYNTAX, 1, 4, "del", "invalid syntax")
FAULT(SYNTAX, 1, 7, "del x y", "invalid syntax")
FAULT(SYNTAX, 1, 5, "del *a", "cannot delete starred")
FAULT(SYNTAX, 1, 5, "del (x", "'(' was never closed")
FAULT(SYNTAX, 1, 9, "del x,y z", "invalid syntax")
FAULT(SYNTAX, 1, 1, "else", "invalid syntax")
FAULT(SYNTAX, 1, 1, "elif x: y", "invalid syntax")
FAULT(SYNTAX, 1, 16, "x = 5 if y else", "invalid syntax")
FAULT(SYNTAX, 1, 5, "x = a if b", "expected 'else' after 'if' expression")
FAULT(SYNTAX, 1, 1, "finally: x", "invalid syntax")
FAULT(SYNTAX, 1, 7, "break x", "invalid syntax")
FAULT(SYNTAX, 1, 17, "f(a, b=1, c, d=2)",
      "positional argument follows keyword argument")
FAULT(SYNTAX, 1, 3, "f(a for a in b, c for c in d)",
      "Generator expression must be parenthesized")
FAULT(SYNTAX, 1, 3, "f(*a, **b, *c)",
      "iterable argument unpacking follows keyword argument unpacking")
FAULT(SYNTAX, 1, 14, "f(b=1, **a, c)",
      "positional argument follows keyword argument unpacking")
FAULT(SYNTAX, 1, 4, "f((a=1))",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 3, "f(a==1=2)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 3, "f(-a=1)",
      "expression cannot contain assignment, perhaps you meant \"==\"\?")
FAULT(SYNTAX, 1, 6, "f(a, b c)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 5, "f(a=b c)", "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 4, "f(a:1)", "invalid syntax")
FAULT(SYNTAX, 1, 5, "f(a=)", "invalid syntax")
FAULT(SYNTAX, 1, 2, "x[", "'[' was never closed")
FAULT(SYNTAX, 1, 8, "x[1:2:3:4]", "invalid syntax")
FAULT(SYNTAX, 1, 3, "x[]", "invalid syntax")
FAULT(SYNTAX, 1, 3, "x[a=1]",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 6, "x = {a=1}",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 1, 4, "x=[a=1]",
      "invalid syntax. Maybe you meant '==' or ':=' instead of '='\?")
FAULT(SYNTAX, 2, 3, "try:\n x\n", "expected 'except' or 'finally' block")
FAULT(INDENTATION, 3, 6, "if x:\n y\nelse:\n",
      "expected an indented block after 'else' statement on line 3")
FAULT(INDENTATION, 1, 9, "while 1:\n",
      "expected an indented block after 'while' statement on line 1")
FAULT(INDENTATION, 1, 9, "class A:\n",
      "expected an indented block after class definition on line 1")
FAULT(SYNTAX, 1, 11, "for x in y\n z", "expected ':'")
FAULT(INDENTATION, 1, 12, "for x in y:\n",
      "expected an indented block after 'for' statement on line 1")
FAULT(INDENTATION, 1, 8, "with a:\n",
      "expected an indented block after 'with' statement on line 1")
FAULT(SYNTAX, 1, 5, "if x\n y", "expected ':'")
FAULT(SYNTAX, 1, 8, "while x\n y", "expected ':'")
FAULT(SYNTAX, 1, 1, "elif", "invalid syntax")
FAULT(INDENTATION, 2, 2, "a = 5\n  b", "unexpected indent")
FAULT(INDENTATION, 3, 3, "if 1:\n  a\n b",
      "unindent does not match any outer indentation level")
FAULT(SYNTAX, 1, 13, "x = 'a' b'c'", "cannot mix bytes and nonbytes literals")
FAULT(SYNTAX, 1, 11, "x = b'\\x1'",
      "(value error) invalid \\x escape at position 0")
FAULT(SYNTAX, 1, 7, "'\\u12'",
      "(unicode error) 'unicodeescape' codec can't decode bytes in "
      "position 0-3: truncated \\uXXXX escape")
FAULT(SYNTAX, 1, 13, "'\\U00110000'",
      "(unicode error) 'unicodeescape' codec can't decode bytes in "
      "position 0-9: illegal Unicode character")
FAULT(SYNTAX, 1, 3, "f(**k, *a)",
      "iterable argument unpacking follows keyword argument unpacking")
FAULT(SYNTAX, 1, 3, "f(a, *)",
      "iterable argument unpacking follows keyword argument unpacking")
FAULT(SYNTAX, 1, 5, "f(**)", "invalid syntax")
FAULT(SYNTAX, 1, 4, "f(*)", "invalid syntax")
FAULT(SYNTAX, 1, 11, "def f(a, a=): pass", "expected default value expression")
FAULT(SYNTAX, 1, 9, "def f(a b): pass", "invalid syntax")
FAULT(SYNTAX, 1, 15, "def f(a, *, b c): pass", "invalid syntax")
FAULT(SYNTAX, 1, 9, "lambda *: 1", "named arguments must follow bare *")
FAULT(SYNTAX, 1, 13, "lambda a=1, b: 1",
      "non-default argument follows default argument")
FAULT(SYNTAX, 1, 13, "lambda **k, a: 1",
      "arguments cannot follow var-keyword argument")
FAULT(SYNTAX, 1, 10, "lambda a=: 1", "invalid syntax")
FAULT(SYNTAX, 1, 9, "class A(B C): pass",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 15, "class A(x=1, B): pass",
      "positional argument follows keyword argument")
FAULT(SYNTAX, 1, 12, "[x for x in]", "invalid syntax")
FAULT(SYNTAX, 1, 9, "[x for x]", "invalid syntax")
FAULT(SYNTAX, 1, 7, "[x for]", "invalid syntax")
FAULT(SYNTAX, 1, 12, "{x: y for x}", "invalid syntax")
FAULT(SYNTAX, 1, 1, "{x for x in y", "'{' was never closed")
FAULT(SYNTAX, 1, 1, "(x for x in y", "'(' was never closed")
FAULT(SYNTAX, 1, 5, "x = [1, 2, 3", "'[' was never closed")
FAULT(SYNTAX, 1, 16, "x = {'a': 1, 'b' 2}", "':' expected after dictionary key")
FAULT(SYNTAX, 1, 11, "x = {'a': 1 'b': 2}",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 7, "print(1 2)",
      "invalid syntax. Perhaps you forgot a comma\?")
FAULT(SYNTAX, 1, 8, "foo(a, b for b in c)",
      "Generator expression must be parenthesized")
FAULT(SYNTAX, 1, 14, "import a as b.c", "invalid syntax")
FAULT(SYNTAX, 1, 17, "from a import b c", "invalid syntax")
