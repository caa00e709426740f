"""Classes that derive from containers and iterate, compare or hash in their own
way: which functions ask them, and which read the items."""
import itertools, math, collections, functools, heapq, statistics, random, json, bisect
def p(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class L(list):
    def __iter__(self): yield 'q'; yield 'r'
class T(tuple):
    def __iter__(self): yield 'q'; yield 'r'
class S(set):
    def __iter__(self): yield 'q'; yield 'r'
class D(dict):
    def __iter__(self): yield 'q'; yield 'r'
class D2(dict):
    def keys(self): return ['k','l']
    def __getitem__(self,k): return k*2
class ST(str):
    def __iter__(self): yield 'q'; yield 'r'
class B(bytes):
    def __iter__(self): yield 1; yield 2
class Dq(collections.deque):
    def __iter__(self): yield 'q'; yield 'r'
def g(*a,**k): return a,k
def rows(*values):
    for x in values:
        print(type(x).__name__)
        p(lambda: ','.join(x)); p(lambda: list(x)); p(lambda: tuple(x)); p(lambda: len(set(x))); p(lambda: len(frozenset(x)))
        p(lambda: [*x]); p(lambda: (*x,)); p(lambda: len({*x})); p(lambda: g(*x)); p(lambda: sorted(x))
        def f():
            l=[]; l.extend(x); l+=x; l[0:0]=x; return l
        p(f)
        def f():
            a,*b=x; return a,b
        p(f)
        def f():
            a,b,c=x; return a,b,c
        p(f)
        def f():
            a,b=x; return a,b
        p(f)
        p(lambda: dict(x)); p(lambda: {**x}); p(lambda: g(**x)); p(lambda: dict.fromkeys(x)); p(lambda: {}|x); p(lambda: {'z':1}.__ior__(x))
        p(lambda: [i for i in x]); p(lambda: max(x)); p(lambda: sum(x,'')); p(lambda: 'q' in x); p(lambda: all(x))
        p(lambda: list(map(str,x))); p(lambda: list(zip(x,x))); p(lambda: list(enumerate(x))); p(lambda: list(itertools.chain(x,x)))
        p(lambda: dict([x])); p(lambda: collections.Counter(x)); p(lambda: collections.deque(x)); p(lambda: len({'q'}|set(x)))
        p(lambda: len({'q'}.union(x))); p(lambda: {'q',1}.intersection(x)); p(lambda: {'q'}.difference(x)); p(lambda: len({'q'}.symmetric_difference(x)))
        p(lambda: {'q'}.issubset(x)); p(lambda: {'q'}.isdisjoint(x)); p(lambda: {'q'}.issuperset(x)); p(lambda: bytes(x)); p(lambda: math.prod([1])) 
        p(lambda: [1]+x); p(lambda: (1,)+x); p(lambda: json.dumps(x)); p(lambda: list(itertools.product(x,repeat=2))); p(lambda:list(itertools.permutations(x,2)))
        p(lambda: '%s %s %s' % x); p(lambda: list(reversed(x))); p(lambda: isinstance(1,x)); p(lambda: random.Random(1).choice(x)); p(lambda: heapq.nsmallest(2,x))
        p(lambda: b','.join(x)); p(lambda: x==list(x)); p(lambda: repr(x)); p(lambda: len(x)); p(lambda: x.copy()); p(lambda: 'abc'.startswith(x)); p(lambda: bool(x)); p(lambda: list(itertools.combinations(x,2)))
        p(lambda: x*2); p(lambda: x[1:]); p(lambda: print(*x)); p(lambda: 'a b'.split(x)); p(lambda: 'abc'.replace(x,'d')); p(lambda: 'abcabc'.find(x)); p(lambda: x+x)
