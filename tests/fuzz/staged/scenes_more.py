"""More scenes, as in scenes.py: random numbers, datasets, operators and errors
of the program's own, staged functions as values, other options of stage,
whole Variables, gradients of several kinds, saved functions."""

MORE = [
    ("draws", """\
rng.seed(<<3|4>>)
v§ = Variable(zeros(3))
@stage
def g§(x, n):
    a = rng.<<normal|uniform>>((3,))
    for i in range(n):
        b = rng.<<uniform((3,))|normal((3,), 1.0, 2.0)>>
        if <<sum(b) > 1.0|x > 0.0|b[0] > b[1]>>:
            a = a + <<b|rng.normal((3,))|b * x>>
            <<continue|break|v§.assign_add(a)|pass>>
        a = a * <<0.5|rng.uniform(())>>
    v§.assign_sub(a)
    return a, <<rng.integers((4,), 0, 100)|rng.shuffle(range_of§(5))|\
dropout(a, 0.5)>>
def range_of§(n):
    return arange(n)
call(g§, tensor(1.0), tensor(2))
call(g§, tensor(-1.0), tensor(<<0|3>>))
<<rng.seed(1)|rng.uniform((2,))|pass>>
call(g§, tensor(1.0), <<2|tensor(2)>>)
show(rng.uniform((2,)))
"""),
    ("draws-graded", """\
rng.seed(3)
w§ = Variable([1.0, 2.0, 3.0])
@stage
def g§(x):
    y = x * w§
    if <<sum(y) > 0.0|x > 1.0>>:
        y = <<dropout(y, 0.5)|y * rng.normal((3,))|y + rng.uniform((3,))>>
    for _ in range(tensor(2)):
        y = y * <<rng.uniform(())|dropout(w§, 0.25)>>
    return sum(y<< * y|>>)
call(graded, g§, tensor(1.0))
call(graded, g§, tensor(2.0))
show(rng.uniform(()))
"""),
    ("datasets", """\
v§ = Variable(0)
made§ = data.range(<<6|0|5>>)<<.map(lambda e: e * e)|.filter(lambda e: \
e % 2 == 0)|.shuffle(4, seed=1)|.repeat(2)|.take(4)|.skip(1)|>>
@stage
def g§(d, x):
    s = cast(tensor(0), int64)
    for e in d<<.batch(2)|.batch(2, drop_remainder=True)|.take(3)|>>:
        s = s + sum(e)
        if s > <<3|10>>:
            <<break|continue|v§.assign_add(1)|return s, x>>
        x = x + cast(sum(e), float32)
    return s, x
call(g§, made§, tensor(1.0))
call(g§, made§, tensor(2.0))
call(g§, <<made§.take(2)|data.range(3)|made§.concatenate(made§)>>, tensor(1.0))
call(g§, made§, tensor(<<1.0|-1.0>>))
"""),
    ("dataset-iterator", """\
d§ = data.from_tensor_slices({'x': tensor([1.0, 2.0, 3.0, 4.0, 5.0]), \
'n': arange(5)})
i§ = iter(d§<<|.repeat()|.batch(2)>>)
@stage
def g§(it, x):
    e = next(it)
    y = <<e['x']|sum(e['x'])>> * x
    if <<x > 0.0|sum(e['n']) > 0>>:
        y = y + <<sum(e['x'])|1.0>>
    return y, e['n']
call(g§, i§, tensor(1.0))
call(g§, i§, tensor(-1.0))
call(g§, <<iter(d§)|i§>>, tensor(2.0))
show(<<next(i§)|0>>)
call(g§, i§, tensor(1.0))
call(g§, i§, tensor(1.0))
"""),
    ("dataset-inside", """\
@stage
def g§(x, n):
    d = data.from_tensor_slices(<<x|{'a': x, 'b': x * 2.0}|(x, x + 1.0)>>)
    total = 0.0
    for i, e in d.enumerate():
        e = <<e|e>>
        part = sum([p for p in (e.values() if isinstance(e, dict) else e)]) \
if isinstance(e, (dict, tuple)) else e
        total = total + part * cast(i, float32)
        if <<total > n|part > 2.0>>:
            <<break|continue|total = total - 1.0>>
    return total
call(g§, tensor([1.0, 2.0, 3.0]), 2.0)
call(g§, tensor([3.0, -2.0]), <<tensor(1.0)|1.0>>)
call(g§, zeros(0), 1.0)
call(<<graded, g§|g§>>, tensor([0.5, 1.0, 2.0]), 9.0)
"""),
    ("own-operators", """\
class Num§:
    def __init__(self, x, n=0):
        self.x, self.n = x, n
    def __add__(self, other):
        return Num§(self.x + (other.x if isinstance(other, Num§) else other), \
self.n + 1)
    __radd__ = __add__
    def __mul__(self, k):
        return Num§(self.x * k, self.n)
    def __rmul__(self, k):
        return self * k
    def __neg__(self):
        return Num§(-self.x, self.n)
    def __iadd__(self, other):
        self.x = self.x + other
        self.n += 1
        return self
    def __lt__(self, other):
        return self.x < <<other.x|getattr(other, 'x', other)>>
    def __eq__(self, other):
        return <<self.n == other.n|self is other>>
    def __hash__(self):
        return self.n
    def __bool__(self):
        return <<self.n > 0|bool(self.n)>>
    def __len__(self):
        return self.n
    def __getitem__(self, at):
        return self.x * at
    def __call__(self, x):
        return self + x if <<self.n|x > 0.0>> else self
    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return <<2.0|self.x>>
    def __matmul__(self, other):
        return self.x * other.x
    def __abs__(self):
        return abs(self.x)
@stage
def g§(x, k):
    a, b = Num§(x), Num§(x * 2.0, 1)
    if <<a < b|x > 0.0>>:
        a += <<k|1.0>>
        c = <<a + b|b|-a|2.0 * b>>
    else:
        c = <<b + a|a|a + b|a * 2.0>>
    for i in range(<<2|tensor(2)>>):
        c = <<c + 1.0|-c|c * 0.5>>
        <<a += x|pass|b.x = b.x + 1.0>>
    return c.x + abs(a) + a @ b, c.n, a.n, <<c|c.other|c[2]|sum([c, 1.0]).x|\
(a if a else b).x|len(b), a == b, a(x).x>>
call(g§, tensor(1.0), tensor(2.0))
call(g§, tensor(-1.0), <<tensor(2.0)|0.5>>)
call(<<graded, g§|g§>>, tensor(3.0), tensor(1.0))
"""),
    ("own-errors", """\
class Low§(ValueError):
    def __init__(self, at, x=None):
        super().__init__(f'low at {at}')
        self.at, self.x = at, x
class Worse§(Low§):
    pass
def checked§(x, k):
    if <<x < 0.0|k < 1>>:
        raise <<Low§(k)|Worse§(k, 2.0)|Low§('a') from KeyError(k)>>
    return x * k
@stage
def inner§(x, k):
    if x > 3.0:
        raise <<Worse§(1)|RuntimeError('high')>>
    return checked§(x, k)
@stage
def g§(x, k=1):
    y = x * 1.0
    try:
        y = <<checked§|inner§>>(y, k)
        <<pass|y = y + 1.0>>
    except <<Low§|Worse§|(KeyError, Low§)|Exception>> as error:
        y = y + <<1.0|getattr(error, 'at', 0)|len(str(error))>>
    <<else:\n        y = y * 2.0|finally:\n        y = y - 0.5|\
except RuntimeError:\n        y = y * 3.0>>
    return y
call(g§, tensor(1.0))
call(g§, tensor(1.0), 0)
call(g§, tensor(-1.0))
call(g§, tensor(4.0), k=<<1|2>>)
"""),
    ("staged-values", """\
@stage
def double§(x):
    return x * 2.0 if x > 0.0 else x
@stage
def made§(k):
    <<@stage|@functools.wraps(double§)>>
    def inner(x):
        return double§(x) * k if x < <<k|1.0>> else x - k
    return inner
def maker§(k):
    return stage(lambda x: x + k if <<x > k|x > 0.0>> else double§(x))
@stage
def g§(f, x, *others):
    y = f(x)
    for h in others:
        y = y + h(<<y|x>>)
    if y > 2.0:
        y = <<f(y)|maker§(y)(x)|maker§(1.0)(y)>>
    return y
call(g§, double§, tensor(1.0))
call(g§, maker§(2.0), tensor(1.0), double§, abs)
call(g§, <<lambda x: maker§(x)(x)|maker§(tensor(1.0))|double§>>, tensor(2.0))
call(g§, functools.partial(lambda a, b: a - b, <<1.0|tensor(1.0)>>), \
tensor(-1.0), maker§(0.5))
call(lambda x: made§(<<2.0|x>>)(x), tensor(0.5))
"""),
    ("options", """\
rate§ = 1.0
parts§ = [1.0, 2.0]
@stage(<<frozen='retrace'|frozen='error'|frozen='silent'|max_traces=1|\
relax=True|relax=True, frozen='retrace'>>)
def g§(x, k=1):
    y = x * rate§ + <<parts§[0]|len(parts§)|sum(parts§)>>
    if sum(y) > <<2.0|rate§>>:
        y = y - k
    return y
call(g§, tensor([1.0, 2.0]))
call(g§, tensor([1.0]), 2)
<<rate§ = 3.0|parts§[0] = 4.0|parts§.append(3.0)|pass|rate§ = tensor(2.0)>>
call(g§, tensor([1.0, 2.0, 3.0]))
call(g§, tensor([1.0, 2.0]))
<<rate§ = 1.0|parts§ = [5.0]|parts§.pop()>>
call(g§, tensor([1.0, 2.0]), k=<<1|2.0|tensor(1.0)>>)
"""),
    ("whole-variables", """\
m§ = Variable([[1.0, 2.0], [3.0, 4.0]])
n§ = Variable(tensor([1, 2, 3], int64))
f§ = Variable(tensor(<<True|False>>))
@stage
def g§(x, k):
    m§.assign(m§ + x)
    before = m§<<.value()|[0]| * 1.0>>
    if <<f§|sum(m§) > 10.0|n§[0] > k>>:
        n§.assign_add(<<ones_like(n§)|cast(tensor([k, k, k]), int64)>>)
        m§.assign(<<m§.T|m§ @ m§|-m§|where(m§ > 2.0, m§, 0.0)>>)
        f§.assign(<<not f§|sum(m§) > 5.0>>)
    for row in m§:
        m§.assign_sub(<<row|m§ * 0.5|stack([row, row])>>)
    for e in n§:
        if e > <<1|k>>:
            <<break|n§.assign_sub(n§ * 0 + e)|x = x + cast(e, float32)>>
    return before, m§[<<0|-1>>], n§<<| + 1|[::-1]>>, x
call(g§, tensor(1.0), 1)
call(g§, tensor([1.0, -1.0]), <<1|tensor(2)>>)
m§.assign(m§ * 0.25)
call(<<graded, g§|g§>>, tensor(2.0), 1)
"""),
    ("orders", """\
v§ = Variable(1.0)
def say§(name, x):
    stage.print('s', name, <<x|v§ + 0.0>>)
    return x
@stage
def g§(x, n):
    if <<say§('a', x) > 0.0 and say§('b', x) < 2.0|say§('a', x) > 1.0 or \
say§('b', v§) > 0.0|not say§('c', x > 0.0)>>:
        v§.assign_add(say§('d', x))
    y = <<(say§('e', x) if x > 0.0 else say§('f', -x)) + say§('g', v§)|\
say§('e', v§) + v§.assign_add(1.0) + say§('g', v§)|0.0 < say§('h', x) < \
say§('i', v§)>>
    while say§('j', n) > 0:
        n -= 1
        <<v§.assign(v§ * 2.0)|stage.print('s', n)|pass>>
        assert say§('k', x) < 5.0, <<f'big {x}'|'big'>>
        if <<n == 1|v§ > 4.0>>:
            say§('l', n)
            <<break|continue|return y, v§ + 1.0>>
    say§('m', v§)
    return y, v§ * 1.0
call(g§, tensor(1.0), tensor(2))
call(g§, tensor(-1.0), tensor(3))
call(g§, tensor(6.0), tensor(1))
call(g§, tensor(0.5), 2)
"""),
    ("gradient-kinds", """\
w§ = Variable(1.5)
@custom_gradient
def own§(x, k=2.0):
    y = x * x * <<k|w§>>
    def back(d):
        if <<sum(d) > 0.0|True>>:
            d = d * <<3.0|x|k>>
        return <<d|d, None>>
    return y, back
def half§(x):
    @custom_gradient
    def inner(a):
        return a * 0.5, lambda d: d * <<x|2.0>>
    return inner(x)
@stage
def g§(x):
    with Tape(persistent=<<True|False>>) as t:
        t.watch(x)
        y = <<half§(x)|x * x|sin(x)>> * w§
        for i in range(tensor(2)):
            if y > <<1.0|x>>:
                y = <<half§(y)|y * x|stop_gradient(y) * x>>
            else:
                y = y + <<x|w§|1.0>>
        z = <<(y, y * 2.0)|[y]|y>>
    return t.gradient(z, <<[x, w§]|{'a': x, 'b': w§}|x>>, \
output_gradients=<<None|None>>)
@stage
def h§(x):
    return <<half§(x) * half§(x)|own§(x)|maximum(x, w§) * minimum(x, 2.0)>>
call(g§, tensor(1.0))
call(g§, tensor(-2.0))
call(graded, h§, tensor(1.0))
call(lambda x: jvp(h§, [x], [x * 0.0 + 1.0]), tensor(<<2.0|1.5>>))
call(lambda x: hessian(<<h§|lambda a: h§(a) * a>>, x), tensor(2.0))
"""),
    ("concrete", """\
v§ = Variable(2.0)
@stage
def f§(x, k=2):
    if <<sum(x) > 1.0|sum(x) > v§>>:
        v§.assign_add(<<1.0|sum(x)>>)
        x = x * k
    return {'y': x + v§, 'n': k}<<|, [x]>>
c§ = f§.concrete(<<spec((None,), float32)|spec(None, float32)|\
tensor([1.0, 2.0])>><<|, 3>>)
@stage
def g§(x):
    a = c§(x)
    for _ in range(tensor(2)):
        a = c§(x<< * 0.5|>>)
    return a
call(c§, tensor([1.0, 2.0]))
call(g§, tensor([0.25, 0.5]))
call(c§, tensor([1.0]<< * 2|>>))
call(f§, tensor([1.0, 2.0]), <<2|3>>)
"""),
    ("lists-of-the-graph", """\
@stage
def g§(x, n):
    t, l = TensorList(float32, <<()|(None,)>>), []
    for i in range(n):
        t.append(<<x|x * cast(i, float32)>>)
        l.append(<<x + 1.0|x>>)
        if <<sum(x) > 1.0|i > 1>>:
            t.write(0, <<x * 2.0|t.read(i)>>)
            <<l[0] = x|l.pop()|l.reverse()|l.insert(0, x * 3.0)|pass>>
        x = x + <<t.read(i)|l[-1]|1.0>>
    <<if len(l) > 1:\n        l = l[1:]|l.append(x)|pass>>
    return <<t.stack()|t.size()>>, len(l), <<l|sum([sum(e) for e in l])|\
l[::-1]|l[0]>>
call(g§, <<tensor(1.0)|tensor([1.0, 2.0])>>, tensor(2))
call(g§, tensor(0.5), tensor(3))
call(g§, tensor(2.0), tensor(<<0|1>>))
call(<<graded, g§|g§>>, tensor(1.0), <<2|tensor(2)>>)
"""),
    ("texts", """\
@stage
def g§(s, n):
    t = <<strings.upper(s)|s + '!'|strings.join([s, s], separator='-')>>
    for i in range(n):
        if <<t == s|strings.length(t) > 6|i == 1>>:
            t = t + <<'x'|s|strings.lower(t)>>
            <<break|continue|pass>>
        t = <<strings.join([t, s])|t|t + t>>
    return t, strings.length(t), <<t == s|where(t == s, s, t)|stack([s, t])>>
call(g§, tensor('aB'), tensor(2))
call(g§, tensor(<<''|'AB'|'é'>>), tensor(3))
call(g§, <<'host'|tensor('AB!')>>, tensor(1))
"""),
    ("first-call", """\
class Dense§:
    def __init__(self):
        self.w = self.b = None
        self.calls = 0
    @stage
    def __call__(self, x):
        if self.w is None:
            self.w = Variable(<<ones(3)|zeros(3) + 2.0|x * 1.0>>)
            <<self.b = Variable(0.0)|self.b = self.w|pass>>
        <<self.calls += 1|self.w.assign_add(x)|pass>>
        y = self.w * x
        if <<sum(y) > 1.0|self.b is not None>>:
            y = y + <<1.0|self.w>>
        return y
d§, e§ = Dense§(), Dense§()
call(d§, tensor([1.0, 2.0, 3.0]))
call(d§, tensor([1.0, 0.0, -1.0]))
call(e§, tensor([1.0, 2.0, 3.0]))
<<d§.w.assign(ones(3))|d§.w = e§.w|e§.w = None>>
call(d§, tensor([1.0, 1.0, 1.0]))
call(e§, tensor([0.5, 1.0, 1.0]))
"""),
    ("contexts-that-swallow", """\
class Swallows§:
    def __init__(self, *kinds):
        self.kinds, self.seen = kinds, 0
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        self.seen += kind is not None
        return kind is not None and issubclass(kind, self.kinds)
@stage
def g§(x, k):
    s = Swallows§(<<ValueError|ValueError, KeyError|Exception>>)
    y = x * 1.0
    with s:
        y = y + 1.0
        if <<k > 1|x > 0.0>>:
            raise <<ValueError('a')|KeyError('a')>>
        y = y * 2.0
    for i in range(<<2|tensor(2)>>):
        with s as again:
            y = y + <<again.seen|1.0>>
            <<if i == 1:\n                break|pass|y = y + {'a': 1}['b']>>
    return y, s.seen
call(g§, tensor(1.0), 1)
call(g§, tensor(-1.0), 2)
call(g§, tensor(1.0), 3)
"""),
    ("generators-deep", """\
def walk§(t):
    if isinstance(t, (list, tuple)):
        for part in t:
            yield from walk§(part)
        return len(t)
    got = yield t
    if got is not None:
        yield got * 2.0
def counted§(t):
    n = yield from walk§(t)
    yield tensor(1.0) * n
def pairs§(it):
    it = iter(it)
    for a in it:
        yield a, next(it, <<None|0.0>>)
@stage
def g§(t):
    y, n = 0.0, 0
    for a, b in pairs§(counted§(t)):
        n += 1
        if <<sum(a) > 0.0|n > 1>>:
            y = y + a
        y = y - (b if b is not None else <<1.0|n>>)
    it = walk§(t)
    y = y + next(it)
    <<y = y + it.send(y)|it.close()|pass>>
    z = [sum(e) * <<n|y>> for e in it] + list(<<map(abs, walk§(t))|\
filter(None, [0, n])|zip(walk§(t), range(9))>>)
    return y, n, z
call(g§, [tensor(1.0), (tensor(2.0), [tensor(-3.0)])])
call(g§, (tensor(-1.0), tensor(2.0)))
call(g§, [tensor(1.0)])
"""),
    ("tables", """\
import enum
class Kind§(enum.Enum):
    A = 1
    B = 2
class Size§(enum.IntEnum):
    SMALL = 1
    BIG = 3
@dataclass(<<frozen=True|eq=True|order=True>>)
class Key§:
    name: str
    n: int = 1
table§ = {Kind§.A: 1.0, Kind§.B: 2.0, Key§('a'): 3.0, (1, 'b'): 4.0, \
Size§.BIG: 5.0} if <<True|False>> else {Kind§.A: 1.5, Kind§.B: 0.5}
@stage
def g§(x, kind, size=Size§.BIG):
    y = x * table§[kind]
    if <<x > 0.0|kind is Kind§.A|size > 2>>:
        y = y + <<size|size.value|kind.value>>
    for k in <<Kind§|(Kind§.B, kind)>>:
        y = y * table§[k] if <<k == kind|y > 1.0>> else y - 1.0
    match kind:
        case Kind§.A:
            y = y + 1.0
        case Kind§.B if <<x > 1.0|size == Size§.SMALL>>:
            y = y - 1.0
    return y, <<kind.name|{kind: y}|kind|size>>
call(g§, tensor(1.0), Kind§.A)
call(g§, tensor(1.0), Kind§.B)
call(g§, tensor(2.0), <<Kind§.A|Kind§.B>>, Size§.SMALL)
<<table§[Kind§.A] = 9.0|table§.pop(Kind§.B)>>
call(g§, tensor(-1.0), Kind§.A)
"""),
    ("outside-gradients", """\
v§ = Variable(<<1.5|[1.0, 2.0]|2.0>>)
@stage
def part§(x, y):
    if <<sum(x) > 0.0|sum(y) > sum(x)>>:
        return x + y<<|, x>>
    return y<< * x|>><<|, y>>
@stage
def same§(x):
    return x
@stage
def curve§(x, n=2):
    y = x * <<x|v§|1.0>>
    for i in range(n):
        y = <<y + x|y * x|same§(y)|sin(y)|y + v§>>
        if <<sum(y) > 3.0|i == 1>>:
            <<break|continue|y = y * 0.5>>
    return <<y|same§(y)|y + same§(x)>>
def first§(p):
    return p[0] if isinstance(p, tuple) else p
def whole§(x):
    return sum(first§(part§(curve§(<<same§(x)|x>><<|, tensor(2)>>), <<x|same§(x)|x * 3.0>>))\
 * <<x|1.0|curve§(x)>>)
def slopes§(function, x, times=2):
    with Tape(<<persistent=True|>>) as t:
        t.watch(x)
        y = function(x) if times < 2 else slopes§(function, x, times - 1)
    return t.gradient(y, x, unconnected_gradients='zero')
call(slopes§, whole§, tensor(<<1.0|-0.5|[1.0, 2.0]>>))
call(slopes§, stage(whole§), tensor(<<2.0|-1.0>>), <<1|2|3>>)
call(stage(slopes§), whole§, tensor(1.5))
call(lambda x: hessian(whole§, x), tensor(<<1.5|[0.5, 2.0]>>))
call(lambda x: jvp(<<whole§|curve§|lambda a: part§(a, a)>>, [x], [x * 0.5]), tensor(2.0))
call(lambda x: jvp(part§, [x, x * 2.0], [x, <<x|x * 0.0>>]), tensor(2.0))
call(graded, <<lambda x: slopes§(whole§, x)|whole§>>, tensor(0.75))
"""),
    ("jacobians", """\
w§ = Variable([[1.0, 2.0], [3.0, -1.0]])
@stage
def map§(x, n=1):
    y = w§ @ x[:, None]
    for _ in range(n):
        y = <<tanh(y)|y * y|w§ @ y|y + x[:, None]>>
    if <<sum(y) > 0.0|n > 1>>:
        return y[:, 0]
    return <<x * 2.0|concat([y[:1, 0], x[1:]])|y[:, 0] + x>>
def table§(function, x):
    with Tape(persistent=True) as t:
        t.watch(x)
        y = function(x)
    return t.jacobian(y, x), t.jacobian(y, w§), \
t.gradient(y, [x, w§], unconnected_gradients='zero')
call(table§, map§, tensor([1.0, 2.0]))
call(table§, lambda x: map§(map§(x), <<2|tensor(2)>>), tensor([-1.0, 0.5]))
call(stage(table§), map§, tensor([1.0, -2.0]))
call(lambda x: jvp(map§, [x], [x]), tensor([1.0, 2.0]))
call(lambda x: hessian(lambda a: sum(map§(a)), x), tensor([0.5, 1.0]))
"""),
    ("custom-slopes", """\
v§ = Variable(2.0)
@custom_gradient
def turned§(x):
    return <<x|x * 1.0|x * v§>>, lambda d<<, variables=None|>>: <<-d|d * x>>
@custom_gradient
def both§(x, y):
    z = x * y
    def back(a, b):
        <<pass|a = a * 2.0|pass|stage.print('s', 'back')>>
        return a * y<< + b|>>, b * x
    return (z, <<y|x|z + 1.0>>), back
@stage
def g§(x, n):
    y, z = both§(x, <<turned§(x)|x>>)
    for _ in range(n):
        y, z = <<both§(y, x)|both§(z, y)|(turned§(y), z)>>
        if <<y > 4.0|z > y>>:
            <<break|y = y * 0.5|return z>>
    return y + z
def twice§(x, n):
    with Tape() as t:
        t.watch(x)
        with Tape() as u:
            u.watch(x)
            y = g§(x, n)
        d = u.gradient(y, x)
    return d, t.gradient(d, x, unconnected_gradients='zero')
call(graded, g§, tensor(1.5), 1)
call(graded, g§, tensor(0.5), tensor(2))
call(twice§, tensor(1.5), <<tensor(1)|2>>)
call(stage(twice§), tensor(-1.5), 1)
call(lambda x: jvp(turned§, [x], [x]), tensor(2.0))
"""),
    ("variables-walked", """\
v§ = Variable(<<[1.0, 2.0, 3.0]|[[1.0, 2.0], [3.0, 4.0]]>>)
n§ = Variable(2)
@stage
def g§(x, w):
    y = sum(w) * x
    for e in <<v§|w|zip(v§, w)|enumerate(v§)|range(n§)>>:
        e = cast(e[-1] if isinstance(e, tuple) else e, float32)
        <<v§.assign_add(v§)|w.assign(w * 0.5)|n§.assign_sub(1)>>
        y = y + sum(e * x) * <<sum(w)|1.0>>
        if <<y > 9.0|sum(v§) > 20.0|n§ < 1>>:
            <<break|continue|n§.assign(0)>>
    a, *rest = <<w|v§>>
    <<w.assign(v§)|v§.assign(w + 1.0)|pass>>
    y = y + sum(a) + sum(rest[0]) + len(rest)
    while <<n§ < 4|n§ > 0 and n§ < 9>>:
        n§.assign_add(<<1|2>>)
        y = y + cast(n§, float32) * <<sum(v§)|1.0>>
    return y, <<w[0]|v§ * 1.0|n§ + 0>>
call(g§, tensor(1.0), v§)
call(g§, tensor(0.5), Variable(v§ * 2.0))
call(g§, tensor(-1.0), v§)
call(<<graded, g§|g§>>, tensor(1.0), v§)
"""),
]
