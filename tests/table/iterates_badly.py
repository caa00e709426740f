"""Classes that iterate badly, under all that iterates: whose words are told."""
class A:
    __contains__=None
class B:
    __iter__=None
class C:
    __iter__=None
    def __getitem__(self,i): return 1
class D:
    def __iter__(self): return iter(None)
class E:
    def __iter__(self): raise TypeError('own')
class F:
    def __iter__(self): raise ValueError('own')
class G:
    def __iter__(self): return 5
class H:
    def __getitem__(self,i): raise TypeError('gi')
class I:
    __getitem__=None
class J:
    __iter__=None
    __contains__=None
class K:
    def __iter__(self): return self
    def __next__(self): raise TypeError('next')
class L:
    def __iter__(self): return iter(None)
    def __len__(self): raise TypeError('len')
class M(list):
    def __iter__(self): raise TypeError('m')
class N(list):
    __iter__ = None
class O(dict):
    __iter__ = None
class P(str):
    __iter__ = None
class Q(tuple):
    def __len__(self): return -1
class R(tuple):
    def __iter__(self): raise TypeError('r')
class S(set):
    def __iter__(self): raise TypeError('s')
class T(dict):
    def __iter__(self): raise TypeError('t')
    def keys(self): raise TypeError('keys')
class U:
    def __iter__(self): return iter([1,2])
    def __len__(self): return -1
class V:
    def __iter__(self): return iter([1,2])
    def __length_hint__(self): return -1
class W:
    def __iter__(self): return iter([1,2])
    def __length_hint__(self): return 'x'
class X(list):
    def __len__(self): return -1
import itertools, collections, functools, operator, heapq, bisect, math, statistics, json, random, textwrap
def two(a,b): return a,b
def rows(*classes):
    for c in classes:
        print('---', c.__name__)
        def un():
            a,b = c()
        def un2():
            a,*b = c()
        def forl():
            for x in c(): return x
        def yf():
            yield from c()
        def setsl():
            a=[1,2]; a[0:1]=c(); return a
        def setsl2():
            a=[1,2]; a[::2]=c(); return a
        def iadd():
            a=[1]; a+=c(); return a
        fs = dict(
         inn=lambda: 1 in c(), inn2=lambda: '' in c(), it=lambda: iter(c()), list=lambda: list(c()), tuple=lambda: tuple(c()), set=lambda: set(c()), fset=lambda: frozenset(c()),
         dict=lambda: dict(c()), sum=lambda: sum(c()), sorted=lambda: sorted(c()), max=lambda: max(c()), min=lambda: min(c()), any=lambda: any(c()), all=lambda: all(c()),
         join=lambda: ''.join(c()), bjoin=lambda: b''.join(c()), zip=lambda: list(zip([1,2],c())), map=lambda: list(map(two,[1],c())), filter=lambda: list(filter(None,c())), enum=lambda: list(enumerate(c())), rev=lambda: list(reversed(c())),
         star=lambda: [*c()], star2=lambda: two(*c()), star3=lambda: print(*c(), *c()), star4=lambda: (*c(),), star5=lambda: {*c()}, star6=lambda: {**c()}, star7=lambda: dict(**c()), starf=lambda: two(1,*c()),
         starsum=lambda: print(1, 2, *c(), 3),
         un=un, un2=un2, forl=forl, yf=lambda: list(yf()), setsl=setsl, setsl2=setsl2, iadd=iadd, ext=lambda: [].extend(c()), upd=lambda: {}.update(c()), supd=lambda: set().update(c()), union=lambda: set().union(c()), inter=lambda: {1}.intersection(c()), diff=lambda: {1}.difference(c()), sd=lambda: {1}.symmetric_difference(c()), isd=lambda: {1}.isdisjoint(c()), sub=lambda: {1}.issubset(c()), sup=lambda: {1}.issuperset(c()),
         fk=lambda: dict.fromkeys(c()), bytes=lambda: bytes(c()), chain=lambda: list(itertools.chain([1],c())), chainf=lambda: list(itertools.chain.from_iterable([c()])), isl=lambda: list(itertools.islice(c(),1)), prod=lambda: list(itertools.product(c(),[1])), perm=lambda: list(itertools.permutations(c(),1)), zl=lambda: list(itertools.zip_longest(c(),[1])), starm=lambda: list(itertools.starmap(two,[c()])), acc=lambda: list(itertools.accumulate(c())), pw=lambda: list(itertools.pairwise(c())), cyc=lambda: list(itertools.islice(itertools.cycle(c()),3)), gb=lambda: list(itertools.groupby(c())), tee=lambda: list(itertools.tee(c())[0]),
         red=lambda: functools.reduce(two,c()), dq=lambda: collections.deque(c()), cnt=lambda: collections.Counter(c()), dqe=lambda: collections.deque().extend(c()), od=lambda: collections.OrderedDict(c()), dd=lambda: collections.defaultdict(int,c()), nl=lambda: heapq.nlargest(2,c()), nl1=lambda: heapq.nlargest(1,c()), ns=lambda: heapq.nsmallest(2,c()), merge=lambda: list(heapq.merge(c(),[1])), fsum=lambda: math.fsum(c()), mprod=lambda: math.prod(c()), mean=lambda: statistics.mean(c()), opc=lambda: operator.contains(c(),1), opi=lambda: operator.indexOf(c(),1), opco=lambda: operator.countOf(c(),1), js=lambda: json.dumps(c())[:3], ge=lambda: list(x for x in c()), lc=lambda: [x for x in c()], sc=lambda: {x for x in c()}, ladd=lambda: [1]+c(), tadd=lambda: (1,)+c(), len=lambda: len(c()), hint=lambda: operator.length_hint(c()), comb=lambda: list(itertools.combinations(c(),1)), hyp=lambda: math.dist(c(),(1,2)), lidx=lambda: [1,2].index(c()), sw=lambda: 'a'.startswith(c()), isi=lambda: isinstance(1,c()), mt=lambda: ''.translate(c()), fmt=lambda: '%s' % c(), fm=lambda: '%(a)s' % c(), sum2=lambda: sum([[1]],c()), choice=lambda: random.Random(1).choice(c()), sample=lambda: random.Random(1).sample(c(),1), bis=lambda: bisect.bisect(c(),1), hp=lambda: heapq.heapify(c()), bool=lambda: bool(c()), next=lambda: next(c()))
        for k,f in fs.items():
            try: r = f(); print(k, ascii(r) if ' at 0x' not in repr(r) else '')
            except BaseException as e:
                m = str(e)
                print(k, type(e).__name__, m if ' at 0x' not in m else '', type(e.__cause__).__name__, type(e.__context__).__name__)
