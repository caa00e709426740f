"""Items of what has none: which type takes the key for an index first."""
import collections, itertools, functools
def p(f):
    try: print(f())
    except BaseException as e: print(type(e).__name__, str(e).split(' at 0x')[0])
def setit(o,k,v=1):
    def f():
        o[k]=v
    return f
def delit(o,k):
    def f():
        del o[k]
    return f
class C: pass
class I:
    def __index__(self): print('idx'); return 3
class J:
    def __index__(self): raise KeyError('j')
class D(dict): pass
class N:
    __setitem__ = None
    __getitem__ = None
    __delitem__ = None
def rows(*values):
    for o in values:
        for k in (2**70, I(), J(), 'a', 1.5):
            print(type(o).__name__, type(k).__name__)
            p(setit(o, k)); p(delit(o, k)); p(lambda: type(o[k]).__name__)
