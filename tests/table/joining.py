"""+ and * of sequences: who is asked, in which order, and the words at the end."""
from collections import deque
import operator
def p(f):
    try: print(ascii(f()))
    except BaseException as e: print(type(e).__name__, e)
class R:
    def __radd__(s,o): print('radd'); return NotImplemented
    def __rmul__(s,o): print('rmul'); return NotImplemented
class R2:
    def __radd__(s,o): print('radd'); return 'R2'
    def __rmul__(s,o): print('rmul'); return 'R2'
class R3(R2):
    def __index__(s): return 2
class R4(R):
    def __index__(s): return 2
class R5:
    def __index__(s): raise ValueError('ix')
class A:
    def __add__(s,o): print('add'); return NotImplemented
    def __mul__(s,o): print('mul'); return NotImplemented
class L(list): pass
class L2(list):
    def __add__(s,o): print('ladd'); return NotImplemented
    def __mul__(s,o): print('lmul'); return NotImplemented
class L3(list):
    def __radd__(s,o): print('lradd'); return NotImplemented
    def __rmul__(s,o): print('lrmul'); return NotImplemented
class L4(list):
    def __iadd__(s,o): print('liadd'); return NotImplemented
    def __imul__(s,o): print('limul'); return NotImplemented
class L5(list):
    def __radd__(s,o): print('lradd'); return 'r5'
    def __rmul__(s,o): print('lrmul'); return 'r5'
class S(str): pass
class S3(str):
    def __radd__(s,o): print('sradd'); return NotImplemented
    def __rmul__(s,o): print('srmul'); return NotImplemented
class D(deque): pass
class D2(deque):
    def __radd__(s,o): print('dradd'); return NotImplemented
    def __rmul__(s,o): print('drmul'); return NotImplemented
class T(tuple): pass
class Big:
    def __index__(s): return 2**70
VALUES = [lambda:'a', lambda:b'b', lambda:[1], lambda:deque([3]), R, R2, R4,
          R5, A, lambda:L([1]), lambda:L3([1]), lambda:L5([1]),
          lambda:S3('s'), lambda:D2([1]), lambda:T([1]), lambda:2, lambda:1.5, lambda:None, Big]
def show(x): return '<obj>' if ' at 0x' in repr(x) else x
def rows(left):
    for a in left:
        for b in VALUES:
            x, y = a(), b()
            print(type(x).__name__, type(y).__name__)
            p(lambda: show(a()+b())); p(lambda: show(a()*b()))
            def ia():
                z=a(); z+=b(); return show(z)
            def im():
                z=a(); z*=b(); return show(z)
            p(ia); p(im)
            p(lambda: show(operator.concat(a(),b()))); p(lambda: show(operator.iconcat(a(),b())))
def methods(left):
    for x in left:
        for m in ('__add__','__mul__','__rmul__','__iadd__','__imul__','__radd__','__or__'):
            for y in ('q', b'w', [3], 2, 1.5, None, 2**70, True):
                p(lambda: getattr(x,m)(y))
