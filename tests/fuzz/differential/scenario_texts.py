"""The features that scenarios.py writes programs about: a text and probes each.

Templates as scenarios.py describes them. `trace` (prelude.py) tells an error
with the lines that it went through.
"""

DESCRIPTORS = """
class $D:
    def __init__(self, start=<any>):
        self.start = start
   ?def __set_name__(self, owner, name):
        show('set name', owner.__name__, name)
       ?raise ValueError(name)
   ?def __get__(self, obj, owner=None):
        show('get', obj is None, owner and owner.__name__)
       ?if obj is None: return «self.start¦'class'¦<any>»
        return «self.start¦<any>¦obj.__dict__.get('hidden', <any>)¦obj.missing»
   ?def __set__(self, obj, value):
        show('set', value)
        «obj.__dict__['hidden'] = value¦self.start = value¦raise AttributeError('no')»
   ?def __delete__(self, obj):
        show('delete')
        «self.start = None¦raise AttributeError(<any>)¦pass»
class $C:
    a = $D()
   ?b = $D(<any>)
   ?c = «property¦staticmethod¦classmethod¦functools.cached_property»(lambda self=None: «<any>¦self.a¦self.nope»)
   ?d = functools.partialmethod(lambda self, x, y=0: (x, y), <any>)
   ?def __getattr__(self, name): return ('getattr', name)
   ?__slots__ = («'x'¦'x', '__dict__'»,)
class $S($C):
    tag = 1
   ?a = «<any>¦$D()¦property(lambda self: super().a)»
   ?def up(self): return super().«a¦b¦nope»
$O = $«C¦S»()
"""
DESCRIPTOR_PROBES = """
show($O.«a¦b¦c¦d»)
show($«C¦S».«a¦b»)
$O.«a¦b¦c¦x» = <any>⏎show($O.a)
del $O.«a¦b¦c¦x»
show(sorted(vars($O)))
$O.__dict__['«a¦b¦c»'] = 'own'⏎show($O.«a¦b¦c»)
show(getattr($O, '«a¦b¦nope»', <any>))
show(hasattr($O, '«a¦b¦nope»'), hasattr($C, '«a¦nope»'))
setattr($C, 'a', <any>)⏎show($O.a, $S().a)
$C.late = $D()⏎show($O.late)
show($S().up())
show($O.d(<any>), $O.d(y=1))
show(type(vars($C)['a']).__name__)
show(isinstance($O, $C), $O.__class__.__name__)
show($D().__get__($O, $C))
class $T($C): a = $D(<any>)⏎show($T().a)
show(operator.attrgetter('a')($O))
"""

METACLASSES = """
class $M(type):
   ?@classmethod
    def __prepare__(mcls, name, bases, **words):
        show('prepare', name, [base.__name__ for base in bases], words)
        return «{}¦{'made': <any>}¦collections.OrderedDict()¦<any>»
   ?def __new__(mcls, name, bases, space, **words):
        show('new', name, sorted(k for k in space if k[:2] != '__'), words)
       ?space['extra'] = <any>
        return super().__new__(mcls, «name¦'Other'», bases, space)
   ?def __init__(cls, name, bases, space, **words):
        show('init', name, words)
        super().__init__(name, bases, space)
   ?def __call__(cls, *args, **words):
        show('call', args, words)
        return «super().__call__(*args, **words)¦super().__call__()¦<any>»
   ?def __instancecheck__(cls, other): return «<any>¦other == 1¦type(other) is int»
   ?def __subclasscheck__(cls, other): return «<bool>¦super().__subclasscheck__(other)»
   ?def __iter__(cls): return iter(<iterable>)
   ?def __len__(cls): return modest(<small>)
   ?def __contains__(cls, item): return <bool>
   ?def __getitem__(cls, key): return [5, 6, 7][key]
   ?def __bool__(cls): return <bool>
   ?def __repr__(cls): return 'class ' + cls.__name__
   ?def __getattr__(cls, name): return ('meta', name) if name[0] == 'x' else getattr(cls, 'nope' * 2)
   ?def __setattr__(cls, name, value):
        show('setattr', name)
        super().__setattr__(name, value)
   ?def __add__(cls, other): return «<any>¦NotImplemented»
   ?def __lt__(cls, other): return «<bool>¦NotImplemented»
   ?def method(cls): return cls.__name__
   ?@property
    def area(cls): return <any>
class $B:
    label = 'base'
   ?def __init_subclass__(cls, **words):
        show('subclass', cls.__name__, words)
        super().__init_subclass__(«»)
class $C($B, metaclass=$M«¦¦, word=<any>»):
    count = 0
   ?def __init__(self, *args): show('made', args)
   ?def method(self): return __class__.__name__
   ?number: int = <any>
class $S($C«¦¦, deep=1»):
    tag = 2
"""
METACLASS_PROBES = """
show($C(«¦<any>¦k=<any>»))
show($«C¦S».«label¦extra¦xyz¦area¦nope¦method()¦count»)
show($S().«label¦method()¦area¦xyz¦tag»)
show(type($S).__name__, $S.__name__, $S.__qualname__, [c.__name__ for c in $S.__mro__])
show(isinstance(<any>, $C), isinstance(1, $S))
show(issubclass(«int¦$S¦bool», $C))
show(list($«C¦S»))
show(len($C), bool($C))
show(<any> in $C)
show($C[<any>])
show($C + <any>, <any> + $C)
show($C < $S)
show(sorted([$S, $C], key=lambda c: c.__name__) == [$C, $S])
$C.count = <any>⏎show($S.count)
show(type('$T', ($«C¦B»,), {'z': <any>}).z)
class $U($B, $C): pass⏎show($U.__mro__[1].__name__)
class $U($C, metaclass=type): pass⏎show(type($U).__name__)
class $U($C, int): pass⏎show($U() + 1)
show($M('made', (), {'q': 1}).q)
show(repr($C)[:6])
show({$C: 1}[$C])
"""

DATACLASSES = """
@dataclasses.dataclass«¦¦(order=True)¦(frozen=True)¦(eq=False)¦(slots=True)¦(kw_only=True)¦(unsafe_hash=True)¦(order=True, frozen=True)¦(repr=False)¦(init=False)¦(order=True, eq=False)»
class $C:
    a: «int¦'str'¦list»
   ?b: int = «<small>¦dataclasses.field(default=<small>, repr=False)¦dataclasses.field(compare=False, default=1)¦<list>»
   ?c: list = dataclasses.field(default_factory=«list¦lambda: [1]¦dict»«¦, init=False¦, kw_only=True¦, hash=False»)
   ?d: typing.ClassVar[int] = <any>
   ?e: dataclasses.InitVar[int] = <small>
   ?_: dataclasses.KW_ONLY
    f: float = <float>
   ?def __post_init__(self, *rest):
        show('post', rest)
       ?self.a = <any>
   ?def method(self): return self.a
   ?def __repr__(self): return 'own'
@dataclasses.dataclass«¦(frozen=True)¦(order=True)»
class $S($C):
   ?a: str = <str>
    g: int = «<small>¦dataclasses.field()¦dataclasses.field(default=1, metadata={'k': 1})»
$O = $C(a=<small>)
"""
DATACLASS_PROBES = """
show($C(«<any>¦<small>¦a=<any>¦<small>, <small>¦1, f=<any>¦<any>, q=1¦»))
show($S(«<any>¦<small>¦a=1, g=2¦1, 2, 3¦g=<any>¦»))
show($O)
show($O == $C(a=<small>), $O != $O, $O == 1)
show($O < $C(a=<small>))
show($O >= $O, $C(a=1) <= $S(a=2, g=1))
show(hash($O) == hash($C(a=<small>)))
show(dataclasses.replace($O, «a=<any>¦f=1¦q=2¦c=[]¦»))
show(dataclasses.asdict($O))
show(dataclasses.astuple($O))
show([(f.name, f.type, f.init, f.kw_only) for f in dataclasses.fields($«C¦S»)])
$O.a = <any>⏎show($O)
del $O.f⏎show($O)
$O.new = 1⏎show($O.new)
show($C.«b¦d¦f¦c¦a»)
show(sorted([$C(a=3), $C(a=1), $C(a=2)]))
show(copy.copy($O) == $O, copy.deepcopy($O))
show($C.__match_args__, $C.__doc__, $C.__annotations__)
show(dataclasses.is_dataclass($«C¦O¦S»))
show($O.method())
show(dataclasses.make_dataclass('X', ['x', ('y', int), ('z', int, 5)])(1, 2))
show($O.__init__.__code__.co_varnames)
show($O.c is $C(a=1).c)
show(hasattr($O, '__dict__'))
"""

ENUMS = """
«¦¦@enum.unique⏎»class $E(enum.«Enum¦Enum¦IntEnum¦Flag¦IntFlag¦StrEnum»):
   ?def _generate_next_value_(name, start, count, last): return «name.lower()¦(count + 1) * 10»
    A = «1¦enum.auto()¦<small>¦'a'¦(1, 2)»
    B = «2¦enum.auto()¦4¦'b'»
   ?C = «1¦A¦enum.auto()¦8¦'a'¦None»
   ?D = «3¦7¦enum.auto()»
   ?_ignore_ = ['q']
   ?@property
    def double(self): return self.value * 2
   ?@classmethod
    def pick(cls): return cls.A
   ?@classmethod
    def _missing_(cls, value): return «cls.A¦None¦<any>»
   ?def __str__(self): return 'own ' + self.name
   ?def __init__(self, *args): show('init', args)
"""
ENUM_PROBES = """
show($E.«A¦B¦C¦D¦nope», $E.A.«name¦value¦double¦__class__.__name__»)
show($E(«1¦2¦<any>¦'a'¦3»))
show($E['«A¦B¦C¦nope»'])
show(list($E), len($E))
show([e.name for e in $E], list($E.__members__))
show(str($E.B), repr($E.A), f'{$E.A}', format($E.B, '>5'), '%s' % $E.A)
show($E.A == «1¦$E.A¦$E.C¦'a'», $E.A is $E.«A¦C», $E.A != $E.B)
show($E.A < $E.B)
show($E.A «|¦&¦^» $E.B, ~$E.A)
show($E.A | 1)
show(«$E.A¦1¦'A'» in $E)
show($E.A in $E.B)
show(bool($E.A), isinstance($E.A, $E), type($E.A).__name__)
$E.A = 5
del $E.A
$E.A.value = 1
show($E.pick())
class $T($E): pass
class $T(enum.Enum): X = 1⏎show($T.X == $E.A, $T.X)
show({$E.A: 1}[$E.A], sorted($E, key=lambda e: e.name))
show(max($E, key=lambda e: str(e.value)))
show($E.A + 1)
show(enum.Enum('$F', 'P Q'), list(enum.IntEnum('$G', ['x', 'y'])))
show(json.dumps($E.A))
show(copy.copy($E.A) is $E.A, copy.deepcopy($E.B) is $E.B)
show(dir($E.A)[-1], $E.A.name.lower(), hash($E.A) == hash($E.A))
show([*reversed($E)])
"""

MANAGERS = """
@contextlib.contextmanager
def $M(name=<any>):
    show('enter', name)
   ?raise «ValueError('before')¦StopIteration(1)»
    try:
        «yield¦yield <any>¦yield name¦show('no yield')»
    «except ValueError as error:¦finally:¦except Exception:»
        show('leaving', name)
       ?raise KeyError('instead') «¦from None¦from TypeError(1)»
       ?return «¦»
   ?yield 'again'
class $C:
    def __init__(self, number): self.number = number
   ?def __enter__(self):
        show('enter', self.number)
        return «self¦<any>»
   ?def __exit__(self, kind, error, place):
        show('exit', self.number, kind and kind.__name__, error)
       ?raise «IndexError(self.number)¦kind¦error»
        return «True¦False¦None¦<any>»
   ?def close(self): show('close', self.number)
def $F(swallow=<bool>):
    for i in range(3):
        with «$M(i)¦$C(i)¦contextlib.suppress(ValueError)» as got:
            show(got)
           ?if i == 1: «continue¦break¦return got»
            «raise ValueError(i)¦return i¦show(1 // i)¦pass»
   ?return 'end'
"""
MANAGER_PROBES = """
show($F())
with $M(<any>) as v: show(v)
with $M(1) as v, $M(2) as w: raise «ValueError(v)¦KeyError¦StopIteration(3)»
with $C(1), $C(2) as v: raise «ValueError(1)¦KeyError(2)¦SystemExit(3)»
with $C(3) as v: show(v)
with contextlib.ExitStack() as s:⏎    s.enter_context($M(1))⏎    s.callback(show, 'called', <any>)⏎    s.push($C(4))⏎    raise ValueError('in stack')
with contextlib.ExitStack() as s:⏎    s.enter_context($C(5))⏎    t = s.pop_all()⏎t.close()
with contextlib.closing($C(6)): raise KeyError('c')
with contextlib.nullcontext(<any>) as v: show(v)
with contextlib.suppress(«KeyError¦Exception¦LookupError, ValueError»): raise IndexError(1)
with contextlib.redirect_stdout(io.StringIO()) as v: print('hidden', <any>)⏎show(v.getvalue())
@$M()⏎def $G(x): return x⏎show($G(<any>), $G(2))
with «<any>¦$C¦$M» as v: show(v)
show($M(1).__enter__())
with ($M(7) as v,⏎      $M(8)): show(v)
"""

ERRORS = """
class $E(«Exception¦ValueError¦KeyError¦OSError¦LookupError¦StopIteration¦RuntimeError»):
    label = 'own'
   ?def __init__(self, *args, code=<small>):
        super().__init__(«*args¦args¦¦'fixed'»)
        self.code = code
   ?def __str__(self): return «'text of ' + repr(self.args)¦super().__str__()¦<any>»
class $S($E): pass
def $F(x, depth=<count>):
    if depth > 0:
        return $F(x, depth - 1)
   ?if depth == 0:
        «raise $E(x)¦raise $S¦x.missing¦x[<any>]¦{}[x]¦int('z')¦1 / 0¦[].pop()»
    «raise $S(x, <any>)¦raise $E(x) from KeyError(x)¦return undefined¦raise x¦assert x, depth»
def $G(x):
    try:
        return $F(x)
    except «($E, ValueError)¦Exception¦KeyError¦<any>» as error:
       ?error.add_note(«'a note'¦'two\\nlines'¦<any>»)
       ?raise
       ?raise «TypeError(x) from error¦$S('again')¦error from None¦RuntimeError() from $E»
        show('caught', error)
    «else: show('else')¦»
    finally:
        show('finally')
       ?return «<any>¦x»
"""
ERROR_PROBES = """
show($G(<any>))
show($F(<any>))
show($F(<any>, 1))
raise $«E¦S»(«¦<any>¦<any>, <any>¦1, code=2¦code=3»)
raise $E(1) from $S(2)
raise $E from «None¦ValueError¦<any>»
show($E(<any>), $E(1, 2).args, str($E(<any>)), repr($S()))
try:⏎    $G(<any>)⏎except Exception as e:⏎    show(type(e.__context__), type(e.__cause__), e.__suppress_context__, getattr(e, '__notes__', 0))
try:⏎    try: raise $E(1)⏎    finally: raise KeyError(2)⏎except $E as e: show('first')⏎except KeyError as e: show('second', e.__context__)
try:⏎    raise $S(1)⏎except $E as e:⏎    show(e.label, e.args)⏎show(e)
try: raise $E(5)⏎except $S: show('sub')⏎except $E: show('base')
e = $E(1)⏎e.__cause__ = e.__context__ = ValueError('old')⏎raise e
e = $E(1)⏎show(e.with_traceback(None) is e, e.__traceback__)
e = $E(<any>)⏎e.args = (<any>, 2)⏎show(e, e.args)
e = $E()⏎e.__notes__ = <any>⏎raise e
show(''.join(traceback.format_exception_only($E, $E(<any>))))
for x in range(2):⏎    try: continue⏎    finally: show(x)
assert <any>, $E
del undefined_name
import math as m⏎m.nope
from math import nope
raise «1¦None¦'text'¦(Exception, 2)¦NotImplemented¦type»
show(issubclass($S, Exception), $S.__mro__[1:3])
show(copy.copy($E(1, 2)), pickle_free := 1)
"""

GENERATORS = """
def $I():
    try:
        got = yield «1¦<any>»
        show('inner got', got)
        yield from <iterable>
    «except ValueError as error:¦except GeneratorExit:¦finally:¦except (KeyError, ValueError):»
        show('inner leaves')
       ?raise
       ?yield 'late'
       ?raise RuntimeError('inner')
    return «<any>¦'inner result'»
class $C:
    def __init__(self): self.left = 3
    def __iter__(self): return self
    def __next__(self):
        self.left -= 1
        if self.left < 0: raise StopIteration«¦(<any>)»
        return self.left
   ?def send(self, value):
        show('sent', value)
        return «value¦<any>»
   ?def throw(self, *args):
        show('thrown', len(args))
        «raise StopIteration('thrown')¦return 'thrown'¦raise KeyError('from throw')»
   ?def close(self):
        show('closed')
       ?raise ValueError('close')
def $G(first=<any>):
   ?show('began')
    try:
        result = yield from «$I()¦$C()¦<iterable>¦$I()¦[first]»
        show('result', result)
       ?x = yield (yield first)
       ?show(x)
    «except Exception as error:¦finally:¦except KeyError:»
        show('outer leaves')
       ?yield 'last'
       ?return 'returned'
    return «first¦<any>»
$O = $G()
"""
GENERATOR_PROBES = """
show(next($O))
show(next($O))
show(next($O, 'end'))
show($O.send(«None¦<any>»))
show($O.send(<any>))
show($O.throw(«ValueError(1)¦KeyError¦GeneratorExit¦StopIteration(2)¦ValueError, 'text'¦1»))
show($O.close())
show(list($O))
$O = $G(<any>)⏎show(next($O))
show(list($G()))
show([*$I()])
a, *b = $G()⏎show(a, b)
for x in $G():⏎    show(x)⏎    «break¦continue¦if x: break»
show(sum(1 for x in $G()))
show(list(zip($G(), <iterable>)))
def $H(): return (yield from $G())⏎show(list($H()))
try: next($H())⏎except StopIteration as e: show(e.value)
show(type($O).__name__, $O.__name__, $O.gi_running, $O.__qualname__)
show(dict(enumerate($G())))
show(list(itertools.islice($G(), <small>)))
$P = (x for x in $G() if x)⏎show(next($P), next($P))
show(list(map(lambda x: $O.send(x), <list>)))
show(any(x == 1 for x in $G()))
"""

CALLS = """
def $F(a, b=<any>, «¦/, »c=<any>, «*rest, ¦*, ¦»d=<any>, **words):
    return a, b, c, d, «words¦sorted(words)»
def $G(a, «¦/, ¦*, »b=<any>):
    x = [a]
    def inner(step=<small>):
        nonlocal a
       ?x.append(a)
        a = «step¦(a, step)¦x»
        return a
    return inner, lambda: «(a, x)¦a¦x»
def $D(*outer, **named):
    def wrap(f):
       ?@functools.wraps(f)
        def call(*args, **words):
            show('call', f.__name__, args, words)
            return f(*args, «*outer, ¦»**words)
        return call
    return wrap
@$D(«¦<any>»)
«@$D(1)⏎¦»def $H(x, y=<any>):
    '''Text.'''
    return x, y
class $C:
    def __init__(self, *args, **words): self.args, self.words = args, words
    def method(self, a, b=2, *, c=3): return a, b, c
    def __call__(self, *args): return args
   ?def __getitem__(self, key): return {'a': 1, 'b': 2, 0: 3}[key]
   ?def keys(self): return ['a', 'b']
"""
CALL_PROBES = """
show($F(«<any>¦<any>, <any>¦1, 2, 3¦a=1¦1, c=2¦*<list>¦1, 2, 3, 4¦1, a=2¦¦1, d=<any>, z=3»))
show($F(*<iterable>, «d=1¦**<dict>¦*<list>»))
show($F(**<dict>))
show($F(1, **{'d': 1, 'e': 2}, **{'«f¦d¦e»': 3}))
i, look = $G(<any>)⏎show(i(), i(<any>), look(), i(step=1))
i, look = $G(b=<any>)⏎show(look())
show($H(<any>), $H.__name__, $H.__doc__)
show($H(1, 2, 3))
show($H(«y=1¦1, z=2¦¦*<list>»))
show($C(*<list>, k=1).words, $C(1).args)
show($C().method(«1¦1, 2¦1, c=<any>¦1, 2, 3¦¦d=1¦a=1, b=2»))
show($C.method(«$C(), 1¦1¦»))
show($C()(*<iterable>))
show([*$C(), 1][:2])
show({**$C()})
show($F(*$C()))
show((lambda *a, k=<any>, **w: (a, k, w))(*<list>, **{'z': 1}))
show((lambda a, b=<any>, /, *c: (a, b, c))(«1¦1, 2, 3¦a=1¦»))
show(functools.partial($F, <any>, d=<any>)(«¦1¦d=2¦1, 2, 3, 4»))
show(functools.reduce($F, <list>))
print(*<list>, sep=«', '¦''¦<any>», end=«'\\n'¦'!\\n'»)
show(max(*<numbers>, «key=<unary>¦default=1»))
show(sorted(<list>, key=«<unary>¦$F¦$C()»))
show(dict(<dict>, **{'a': 1}, b=2))
show(«len¦abs¦int¦str¦range¦dict¦sorted¦isinstance¦zip¦map»(«¦<any>¦<any>, <any>¦<any>, <any>, <any>¦key=1¦x=<any>»))
show($F.__defaults__, $F.__kwdefaults__, $F.__code__.co_argcount)
"""

SCOPES = """
$X = <small>
$L = <list>
def $F(n=<small>):
    total = [y := n, y + 1, *(y for _ in range(2))]
   ?if (m := len($L)) > n: total.append(m)
   ?total += [[(i, j) for j in range(i)] for i in range(«3¦n»)]
   ?total += [last := q for q in $L]
   ?show(last)
   ?fs = [lambda k=k: (k, n) for k in range(3)]
   ?total.append([f() for f in fs])
   ?fs = [lambda: k for k in range(3)]
   ?total.append([f() for f in fs])
   ?del y
   ?show(y)
    return total
class $C:
    base = <small>
    items = [base for _ in range(2)«¦ if base»]
   ?pairs = [(x, y) for x in range(base) for y in range(x)]
   ?both = {base: base for base in [base]}
   ?def look(self): return base
def $G():
   ?global $X
    «$X = 5¦$X += 1¦show($X)»
    def deep():
       ?nonlocal z
       ?global $L
        z = 2
        return z, «$X¦z¦n»
    z = 1
   ?n = 7
    return deep(), z
"""
SCOPE_PROBES = """
show($F())
show($F(<small>))
show($C.items, $C.base)
show($C.«pairs¦both¦x»)
show($C().look())
show($G(), $X)
show([(a := b) for b in <list>], a)
show({k: [v for v in k] for k in <words>})
show([[x, y] for x in <iterable> if x for y in <list> if y != x])
show([*(x for x in <iterable>)], {x for x in <numbers>} == set(<numbers>))
show((lambda: [x for x in $L])())
if (n := <any>): show(n)⏎else: show('no', n)
while (w := $X - 1) > 0 and $X < 9: $X += 1; show(w)
show([f(2) for f in [lambda x, n=n: x * n for n in range(3)]])
show([x for x in [1, 2, 3] if (y := x) > 1], y)
(a, *b), c = [<iterable>, <any>]⏎show(a, b, c)
a, (b, *c), *d = <list>⏎show(a, b, c, d)
[a, b] = {1: 2, 3: 4}.items()⏎show(a, b)
for a, *b in <list>: show(a, b)
x = [1, 2, 3]⏎x[1:2], y = <iterable>, 5⏎show(x, y)
i = 0⏎x = [0, 0]⏎i, x[i] = 1, 2⏎show(i, x)
show(sum(x * y for x, y in zip(<numbers>, <numbers>)))
exec('q = [i for i in range(3)]; show(q)', {'show': show})
show(eval('[x + k for x in [1]]', {'k': <any>}))
"""

PATTERNS = """
$P = re.compile(«r'(\\w)(\\d*)'¦r'(?P<K>[a-c]+)|(\\d+)'¦r'^\\s*(.*?)\\s*$'¦r'(a|b)\\1'¦r'(?<=a).(?!b)'¦r'\\b\\w+\\b'¦r'x*'¦r'[^\\W\\d_]'¦r'(?i:AB)c'¦r'(\\w+) (?P<Z>\\w+)'¦r''¦r'.'»«¦¦, re.I¦, re.M¦, re.S¦, re.X»)
$S = <str> «¦+ 'ab12 cd'¦* 3¦+ <str>»
$T = $P.«search¦match¦fullmatch»($S)
"""
PATTERN_PROBES = """
show($T and ($T.group(), $T.span(), $T.groups(), $T.groupdict(), $T.lastindex, $T.lastgroup))
show($P.findall($S), $P.split($S))
show($P.sub(«'-'¦r'<\\g<0>>'¦r'\\1'¦r'\\g<K>'¦lambda m: m.group().upper()¦<any>», $S))
show($P.subn('.', $S, <small>))
show([m.span() for m in $P.finditer($S)])
show($P.split($S, <small>))
show($P.search($S, <small>, <small>))
show($P.pattern, $P.groups, $P.groupindex, $P.flags)
show(re.findall(<str>, $S))
show(re.escape(<str>), re.split('[,;]', <str>))
show(re.sub(r'(.)(.)', r'\\2\\1', <str>, count=<small>))
show($T['K'], $T[1])
show($T.expand(r'\\1-\\g<0>'))
show($T.start(<small>), $T.end())
show(re.compile(<str>))
show(re.fullmatch(r'\\d{1,3}(,\\d{3})*', <str>))
show(re.match($P, $S), $P == re.compile($P.pattern, $P.flags))
"""

COLLECTIONS = """
$K = collections.Counter(«<str>¦<iterable>¦<dict>¦a=1, b=<small>»)
$Q = collections.deque(«<iterable>¦<list>, <small>¦<range>, 3¦»)
$O = collections.OrderedDict(«<dict>¦zip(<str>, <range>)»)
$D = collections.defaultdict(«list¦int¦lambda: <any>¦None», <dict>)
$C = collections.ChainMap(<dict>, <dict>)
$N = collections.namedtuple('$N', «'x y'¦['x', 'y', 'z']¦'x, y'¦'x x'¦'x def'»«¦¦, defaults=[<any>]¦, rename=True»)
"""
COLLECTION_PROBES = """
show($K.most_common(«¦<small>»), $K[<any>])
show($K «+¦-¦&¦|» collections.Counter(<str>))
$K.«update¦subtract»(«<str>¦<dict>¦<iterable>»)⏎show($K)
show(sum($K.values()), list($K.elements())[:9], $K.total())
show(+$K, -$K, $K == collections.Counter($K), $K <= $K)
$Q.«append(<any>)¦appendleft(<any>)¦extend(<iterable>)¦extendleft(<iterable>)¦rotate(<small>)¦reverse()¦clear()¦insert(<small>, <any>)¦remove(<any>)»⏎show($Q)
show($Q.«pop()¦popleft()¦count(<any>)¦index(<any>)¦copy()¦maxlen»)
$Q[<small>] = <any>⏎show($Q)
del $Q[<small>]⏎show($Q)
show($Q «+¦*¦==¦<» «$Q¦<any>¦<small>¦collections.deque(<list>)»)
$Q «+=¦*=» «<iterable>¦<small>¦<any>»⏎show($Q)
for q in $Q: $Q.append(q)
show(<any> in $Q, list(reversed($Q)), $Q[<small>])
$O.move_to_end(«<key>¦next(iter($O))»«¦, last=False»)⏎show($O)
show($O.popitem(«¦last=False»), $O)
show($O == dict($O), list(reversed($O)), $O | <dict>)
show($D[<key>], $D, len($D))
show($D.get(<key>), $D.copy(), $D.default_factory is None)
show($D.pop(<key>), $D.setdefault(<key>))
show($C[<key>], list($C), len($C))
$C[<key>] = <any>⏎show($C, $C.maps)
del $C[<key>]⏎show($C)
show($C.new_child(<dict>), $C.parents, dict($C))
show($N(«1, 2¦<any>¦x=1, y=2¦*<list>¦1, 2, 3»))
show($N._fields, $N(1, 2)._asdict(), $N(1, 2)._replace(«x=<any>¦q=1»))
show($N._make(<iterable>), $N(1, 2) == (1, 2), $N(1, 2)[0])
$N(1, 2).x = 3
show(heapq.«nlargest¦nsmallest»(<small>, «<numbers>¦<words>¦<list>», key=«<unary>¦None»))
h = «<numbers>¦<list>»⏎heapq.heapify(h)⏎show(h, heapq.heappop(h), heapq.heappushpop(h, <any>), h)
x = sorted(<numbers>)⏎bisect.insort(x, <num>)⏎show(x, bisect.bisect_left(x, <any>))
show(bisect.bisect(<numbers>, <int>, key=<unary>))
show(list(heapq.merge(<numbers>, <list>, «key=<unary>¦reverse=True»)))
x = <list>⏎x.sort(key=lambda q: x.append(1))⏎show(x)
x = <list>⏎x.sort(key=lambda q: 1 // q)⏎show(x)
show(sorted(<iterable>, key=lambda q: <any>))
show(list(itertools.«chain¦zip_longest¦product¦compress»(<iterable>, <iterable>))[:9])
a, b = itertools.tee(<iterable>)⏎show(next(a), list(b), list(a))
show([(k, list(v)) for k, v in itertools.groupby(<list>, key=<unary>)])
g = itertools.groupby(<words>)⏎show([k for k, _ in g])
show(list(itertools.accumulate(<iterable>, <binary>, initial=<any>)))
show(list(itertools.islice(itertools.«count(<num>)¦cycle(<iterable>)¦repeat(<any>)», <small>)))
show(json.loads(json.dumps(«<dict>¦<list>¦<any>», «indent=<small>¦sort_keys=True¦default=<unary>¦skipkeys=True¦separators=('|', '=')»), «parse_int=<unary>¦object_hook=<unary>¦parse_float=str¦object_pairs_hook=<unary>»))
show(json.loads(«'[1, {"a": null, "b": [true]}]'¦'{"a": 1, "a": 2}'¦'[1,]'¦'{'¦'"\\\\u00e9\\\\ud83d"'¦'1e400'¦'NaN'¦'[1] x'¦<str>»))
f = functools.lru_cache(<small>)(lambda x: show('run', x) or x)⏎show(f(1), f(1), f(True), f(1.0), f.cache_info())
f = functools.singledispatch(lambda x: 'base')⏎f.register(int)(lambda x: 'int')⏎f.register(list)(lambda x: 'list')⏎show(f(<any>), f(True))
show(sorted(<list>, key=functools.cmp_to_key(lambda a, b: «(a > b) - (a < b)¦1¦<any>»)))
show(functools.reduce(lambda a, b: a + [b], <iterable>, []))
"""

SCENARIOS = [
    (DESCRIPTORS, DESCRIPTOR_PROBES), (METACLASSES, METACLASS_PROBES),
    (DATACLASSES, DATACLASS_PROBES), (ENUMS, ENUM_PROBES),
    (MANAGERS, MANAGER_PROBES), (ERRORS, ERROR_PROBES),
    (GENERATORS, GENERATOR_PROBES), (CALLS, CALL_PROBES),
    (SCOPES, SCOPE_PROBES), (PATTERNS, PATTERN_PROBES),
    (COLLECTIONS, COLLECTION_PROBES)]
