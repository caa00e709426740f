"""Operators of classes that define some of them anew, over built-in bases: who
is asked, in which order, and how it is refused."""
import operator


def p(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class A(int):
    def __sub__(s,o): return 'asub'
class B(A):
    def __radd__(s,o): return 'bradd'
class C(float):
    def __rsub__(s,o): return 'crsub'
class D(A): pass
class S(set):
    def __add__(s,o): return 'sadd'
class M(dict):
    def __sub__(s,o): return 'msub'
class X:
    def __radd__(s,o): return 'xradd'
    def __ror__(s,o): return 'xror'


OPERATORS = (operator.add, operator.sub, operator.mul, operator.or_,
             operator.and_, operator.floordiv, operator.xor)
NUMBERS = [A(1), B(2), C(1.5), D(4)]
PLAIN = [1, 2.5, True, 'a']
SETS = [S([1]), {2}, frozenset([3])]
OTHERS = [M(a=1), {'b': 2}, X(), [1], None]


def answer(op, a, b):
    result = op(a, b)
    shown = 'X' if type(result) is X else result
    return type(a).__name__, op.__name__, type(b).__name__, shown


def rows(left):
    for a in left:
        for b in NUMBERS + PLAIN + SETS + OTHERS:
            for op in OPERATORS:
                p(lambda: answer(op, a, b))
