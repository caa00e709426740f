"""Scenes of what stands beside a program's own code: saved functions, NumPy,
datasets of several kinds, files, texts, Variables of all dtypes; and of ways to
write staged functions: recursion, inheritance, signatures of structures.

`saved` (prelude_duet.py) calls what stage.load gives of a function in the place
of the function."""

LIBRARY = [
    ("saved", """\
v§ = Variable(<<2.0|[1.0, 2.0]>>, name='v')
n§ = Variable(0)
k§ = tensor([0.5, -1.0])
@stage
def g§(x, n=2, p=None):
    y = x * v§ + k§
    if <<sum(y) > 1.0|n > 1|sum(v§) > 3.0>>:
        v§.assign_add(<<v§|v§ * 0.5>>)
        n§.assign_add(<<n|1>>)
    for e in <<y|range(tensor(3))|range(n)>>:
        y = y + <<cast(e, float32)|v§|1.0>>
        if <<sum(y) > 4.0|n§ > 1>>:
            <<break|continue|y = -y|return {'y': y}>>
    if p is not None:
        y = y + sum(stack(<<p['a']|list(p['b'])>>))
        <<p['w'].assign(y)|pass>>
    return <<{'y': y}|{'y': y}>>
call(saved, g§, tensor([1.0, 2.0]))
call(saved, g§, tensor([1.0, -2.0]), <<3|tensor(2)>>)
call(saved, g§, tensor([0.5, 1.0]), 1, {'a': [tensor(1.0), tensor(2.0)], \
'b': (tensor(1.0), tensor(3.0)), 'w': Variable([1.0, 2.0])})
call(<<saved, g§|g§>>, tensor([1.0, 2.0]))
call(saved, g§, tensor([-1.0, 2.0]), 2)
"""),
    ("saved-results", """\
@stage
def inner§(x):
    return x * 2.0 if sum(x) > 0.0 else x - 1.0
@dataclass
class Made§:
    x: object
    n: int = 1
Pair§ = namedtuple('Pair§', 'a b')
@stage
def g§(x, s='a', rest=(), flag=False, more=None):
    y = <<inner§(x)|x>>
    if flag:
        y = y * y
    for k in rest:
        y = y + k
    for k in more or ():
        y = y + more[k]
    assert sum(y) < <<9.0|99.0>>, 'too much'
    stage.print('s', s, sum(y))
    return <<y|[y, s, None]|(y, x, y)|{'k': [y], 1: (x, s)}|Pair§(y, x)|y if sum(y) > 0.0 else x>>
call(saved, g§, tensor([1.0, 2.0]))
call(saved, g§, tensor(<<-1.0|[[1.0], [2.0]]>>), 'b', (<<1.0|tensor(2.0)>>,))
call(saved, g§, tensor([8.0]), flag=<<True|False>>, more={'z': tensor(1.0), 'a': 2.0})
call(graded, saved, g§, tensor([1.0, 0.5]), 'c', [tensor(1.0)])
"""),
    ("saved-loops", """\
@stage
def g§(x, n):
    t, l = TensorList(float32, ()), []
    i = tensor(0)
    while i < n:
        i += 1
        t.append(sum(x))
        l.append(x * cast(i, float32))
        if <<sum(x) > 6.0|len(l) > 2>>:
            <<break|continue|x = x - 1.0>>
        x = <<x + 1.0|concat([x, x[:1]])|x * x>>
    y = <<t.stack()|sum([sum(e) for e in l])|stack(l)|len(l) + t.size()>>
    return x, y, <<rng.uniform((2,)) * 0.0|argmax(x)|topk(x, k=1)>>
call(saved, g§, tensor([1.0, 2.0]), tensor(2))
call(saved, g§, tensor([0.5]), tensor(<<1|4>>))
call(g§, tensor([0.5]), tensor(3))
call(saved, g§, tensor([0.5, 1.0]), <<2|tensor(3)>>)
"""),
    ("arrays", """\
a§ = np.array([1.0, 2.0], np.float32)
b§ = <<a§[1:]|a§.T|a§.copy()|a§>>
@stage
def g§(x, n=1):
    y = x * <<a§|b§|a§.sum()|float(a§.max())|len(a§)|a§[0]>>
    if <<sum(y) > 3.0|n > 1|a§.sum() > 5.0>>:
        y = y + <<b§|np.ones(2, np.float32)|a§[-1]|b§.mean()>>
    return y, <<tensor(a§)|a§.shape[0]|np.sqrt(4.0)|b§>>
call(g§, tensor([1.0, 2.0]))
call(g§, np.array([1.0, 2.0], np.float32))
<<a§[0] = 5.0|a§ += 1.0|b§[...] = 3.0|a§.fill(2.0)|a§ = a§ * 2.0|np.copyto(a§, b§)|\
a§.sort()|np.add(a§, 1.0, out=a§)|a§.flat[0] = 8.0|pass>>
call(g§, tensor([1.0, 2.0]))
call(g§, tensor(<<[0.5, 1.0]|2.0>>), <<2|tensor(2)>>)
show(a§)
call(lambda x: g§(x.numpy())[0], tensor([1.0, 2.0]))
"""),
    ("arrays-changed", """\
o§ = np.zeros(<<2|(2, 2)>>)
@stage
def g§(x):
    a = np.zeros(2, np.float32)<<| + 1.0>>
    v = a[<<:1|1:|::-1>>]
    if <<x > 0.0|True>>:
        a[0] = <<5.0|7>>
        <<o§[0] = 1.0|v[0] = 4.0|o§ += 1.0|pass|a *= 2.0>>
    else:
        <<a[1] += 2.0|v[...] = 3.0|o§.fill(9.0)|a.sort()>>
    <<a[1] = 2.0|o§[1] = 3.0|pass|a[0] += 1.0>>
    return x * a, <<v + x|x|x + len(a)>>, <<a|x|v>>
call(g§, tensor(1.0))
call(g§, tensor(-1.0))
call(g§, tensor(2.0))
"""),
    ("arrays-host", """\
d§ = {'w': np.arange(3.0), 'n': np.int32(2)}
c§ = [0]
def host§(x<<|, y=None>>):
    c§[0] += 1
    return np.cumsum(x.numpy()) * <<d§['n']|2>>
@stage
def g§(x, p):
    y = stage.host_call(host§, [x], spec((3,), float32))
    if <<sum(y) > 3.0|p['n'] > 1>>:
        y = y * p['w']
        <<y = stage.host_call(lambda z: z.numpy()[::-1].copy(), [y], \
spec((3,), float32))|pass>>
    return y + <<tensor(d§['w'])|cast(tensor(d§['w']), float32)|1.0>>
call(g§, tensor([1.0, 2.0, 3.0]), {'w': np.ones(3, np.float32), 'n': 2})
call(g§, tensor([1.0, -2.0, 0.0]), {'w': np.ones(3, np.float32) * 2.0, \
'n': <<2|np.int64(1)|np.int32(3)>>})
<<d§['w'][1] = 7.0|d§['w'] = np.ones(3)|d§['n'] = np.int32(3)|pass>>
call(g§, tensor([0.5, 1.0, 0.0]), {'w': zeros(3), 'n': 2})
"""),
    ("containers-of-the-library", """\
u§ = <<collections.UserList([1.0, 2.0])|collections.UserDict({0: 1.0, 1: 2.0})|\
collections.ChainMap({0: 1.0}, {1: 2.0})>>
c§, o§ = collections.Counter('aab'), collections.OrderedDict(a=1.0, b=2.0)
@stage
def g§(x):
    y = x * u§[0] + <<u§[1]|len(u§)|c§['a']|o§['a']|list(o§.values())[0]>>
    if <<x > 0.0|y > 3.0>>:
        <<u§[0] = 3.0|c§.update('a')|o§.move_to_end('a')|c§['z'] += 1|\
o§.popitem()|y = y + 1.0|y = y + c§.total()>>
    <<u§[1] = 4.0|c§.subtract('b')|pass|o§['a'] += 1.0>>
    return y, <<c§.most_common(1)[0][1]|len(o§)|x>>
call(g§, tensor(1.0))
call(g§, tensor(-1.0))
<<u§[0] = 9.0|c§['a'] = 7|o§['a'] = 5.0|pass|o§.move_to_end('a')|c§.clear()>>
call(g§, tensor(0.5))
show((<<dict(c§)|list(o§.items())|u§[0]>>,))
"""),
    ("datasets-nested", """\
v§ = Variable(0)
@stage
def g§(x, n):
    d = data.from_tensor_slices(<<x|x * 2.0|concat([x, x])>>)
    <<d = d.map(lambda e: e + 1.0)|d = d.batch(2)|d = d.window(2).flat_map(\
lambda w: w.batch(2))|d = d.scan(tensor(0.0), lambda s, e: (s + e, s * e))|\
d = d.interleave(lambda e: data.from_tensors(e).repeat(2), cycle_length=2)|\
d = d.take_while(lambda e: e < 2.5)|d = d.repeat(2).shard(2, 1)|\
d = d.enumerate().map(lambda i, e: cast(i, float32) * e)|\
d = data.zip(d, d).map(lambda a, b: a + b)|d = d.cache()|\
d = d.shuffle(2, seed=3)|d = d.batch(2).unbatch()|d = d.prefetch(1)>>
    <<d = d.skip(1)|d = d.take(3)|pass|d = d.filter(lambda e: sum(e) > 0.0)|\
d = d.concatenate(d)>>
    total = <<tensor(0.0)|0.0>>
    for e in d:
        total = total + sum(e) * n
        v§.assign_add(1)
        if <<total > 5.0|v§ > 4|sum(e) > 2.0>>:
            <<break|continue|total = total * 0.5|return total, x>>
    <<total = total + d.reduce(tensor(0.0), lambda s, e: s + sum(e))|pass>>
    return total, x
call(g§, tensor([1.0, 2.0, 3.0]), 1.0)
call(g§, tensor([1.0, -2.0, 3.0]), <<1.0|tensor(2.0)>>)
call(g§, tensor([0.5]), 1.0)
call(g§, zeros(0), 1.0)
"""),
    ("datasets-given", """\
k§ = Variable(1)
def many§(n):
    d = data.range(n)
    return <<d.window(3, shift=2, drop_remainder=True).flat_map(lambda w: \
w.batch(3))|d.interleave(lambda e: data.range(e), cycle_length=2, \
block_length=2)|d.scan(tensor(0, int64), lambda s, e: (s + e, s + e * 2))|\
d.group_by_window(lambda e: e % 2, lambda k, w: w.batch(2), window_size=2)|\
d.map(lambda e: (e, e * e))|d.map(lambda e: {'a': e, 'b': [e, e]})|\
d.padded_batch(2)|d.batch(3).rebatch(2)|d.map(lambda e: e * cast(k§, int64))|\
d.batch(2).cache()|d.filter(lambda e: e % 3 > 0)|d.repeat(2).unique()>>
d§, i§ = many§(7), iter(many§(4).repeat())
def flat§(e):
    return sum([sum(part) for part in <<parts(e)|parts(list(e.values()) if \
isinstance(e, dict) else e)>>])
@stage
def g§(d, it, x):
    s = tensor(0, int64)
    for e in d<<|.take(2)|.skip(1)|.repeat(2)|.shuffle(3, seed=1)>>:
        s = s + flat§(e)
        if s > 9:
            <<break|continue|k§.assign_add(1)|s = s - 5>>
        <<s = s + flat§(next(it))|pass>>
    return s, flat§(next(it)), x
call(g§, d§, i§, 1)
call(g§, d§, i§, 1)
call(g§, many§(<<5|0>>), i§, tensor(2))
k§.assign(3)
call(g§, d§, <<iter(d§)|i§>>, 1)
show(flat§(next(i§)))
"""),
    ("checkpoints", """\
class Net§:
    def __init__(self):
        self.w, self.n = Variable(<<1.0|[1.0, 2.0]>>), Variable(0)
        self.more = <<[Variable(2.0)]|{'b': Variable(2.0)}|()>>
    @stage
    def step(self, x):
        if sum(x * self.w) > <<1.0|sum(self.w)>>:
            self.w.assign_sub(self.w * 0.5)
            self.n.assign_add(1)
        return sum(self.w * x) + cast(self.n, float32)
n§, m§ = Net§(), Net§()
@stage
def keep§(x):
    <<data.save(path('a.npz'), n§)|pass|data.restore(path('b.npz'), n§)>>
    return x + sum(n§.w)
data.save(path('a.npz'), n§), data.save(path('b.npz'), n§)
call(n§.step, tensor(1.0))
call(keep§, tensor(1.0))
call(n§.step, tensor(2.0))
call(keep§, tensor(2.0))
data.restore(path('a.npz'), <<n§|m§>>)
call(n§.step, tensor(<<1.0|-1.0>>))
call(m§.step, tensor(1.0))
k§ = data.Checkpoints(path('kept'), n§, keep=2)
k§.save()
call(n§.step, tensor(3.0))
k§.restore()
call(<<n§.step|saved, n§.step>>, tensor(3.0))
"""),
    ("as-they-are", """\
c§ = Variable(0)
@stage(autograph=False)
def g§(x, n=2):
    def turn(i, y):
        return i + 1, y * 2.0<<| + x>>
    if n > 1:
        x = x + 1.0
    <<i, x = stage.loop(lambda i, y: i < n, turn, (tensor(0), x))|pass>>
    <<x = stage.cond(x > 2.0, lambda: x * 0.5, lambda: x)|pass|x = where(x > 1.0, x, -x)>>
    <<if x > 1.0:\n        x = x + 3.0|pass|for e in range(n):\n        x = x + e|\
c§.assign_add(1)>>
    return x
@stage
def h§(x, n):
    y = g§(x, n)
    if y > <<1.0|x>>:
        y = g§(y)
    return <<y|stage.plain(lambda a: a * 3.0)(y)>>
call(g§, tensor(1.0))
call(g§, tensor(-1.0), 1)
call(h§, tensor(1.0), 3)
call(<<graded, h§|h§|graded, g§>>, tensor(0.5), 2)
"""),
    ("stage-names", """\
v§ = Variable(1.0)
@stage
def g§(x, n=2):
    with stage.once():
        <<w = tensor([1.0, 2.0])|w = tensor([1.0]) * 2.0>>
        <<k = float(sum(tensor([1.0, 2.0])))|k = 2.0>>
    y = x * <<k|sum(<<tensor([1.0, 2.0])|v§>>)>>
    for i in range(<<n|tensor(2)>>):
        stage.print('s', i, y<<|, sep='-'|, style='brief'>>)
        if <<y > 2.0|i > 0>>:
            y = y + <<1.0|v§>>
            <<stage.print('s deep', y)|v§.assign_add(y)|pass>>
    stage.print(<<'s %d' % n|f's {n}'|'s', y, [y, {'a': y}]>>)
    return y<<|, stage.tracing() and False>>
call(g§, tensor(1.0))
call(g§, tensor(<<-1.0|[1.0, 2.0]|2.0>>))
v§.assign(3.0)
call(g§, tensor(1.0))
call(graded, g§, tensor(1.0), <<1|2>>)
"""),
    ("supers", """\
class Base§:
    scale = 1.0
    def __init__(self, k):
        self.k, self.v = k, Variable(k)
    @stage
    def run(self, x, n=1):
        if x > <<self.v|self.k|0.0>>:
            self.v.assign_add(x)
            return self.inside(x) * self.scale
        return self.inside(-x)
    def inside(self, x):
        return x + self.v
    @property
    def double(self):
        return self.v * 2.0
    @staticmethod
    @stage
    def fixed(x):
        return x * 3.0 if x > 0.0 else x
    @classmethod
    @stage
    def of(cls, x):
        return x * cls.scale
class Mid§(Base§):
    scale = <<2.0|tensor(2.0)|Variable(2.0)>>
    @stage
    def run(self, x, n=1):
        y = super().run(x, <<n|n + 1>>)
        if <<y > 1.0|n > 1>>:
            y = y + <<self.double|super().inside(x)|Base§.fixed(y)|self.of(x)>>
        return y
class Low§(Mid§):
    def __init__(self, k):
        super().__init__(k)
        self.more = <<Mid§(2.0)|None|Base§(0.5)>>
    def inside(self, x):
        y = super().inside(x)
        if y > 2.0:
            y = y * 0.5
        return y if self.more is None else y + self.more.run(x)
    def __getattr__(self, name):
        return <<1.0|self.v>> if name == 'absent' else \
object.__getattribute__(self, name)
m§, l§ = Mid§(1.0), Low§(<<1.0|0.5>>)
call(m§.run, tensor(2.0))
call(l§.run, tensor(2.0), <<1|2>>)
call(l§.run, tensor(-1.0))
<<Base§.scale = 4.0|l§.k = 5.0|Low§.inside = Base§.inside|l§.more = None|\
Mid§.scale = 5.0|l§.inside = lambda x: x|pass>>
call(l§.run, tensor(2.0), 1)
call(<<Base§.fixed|Mid§.of|Low§.of|lambda x: l§.absent * x>>, tensor(1.5))
call(Base§.run, <<l§|m§>>, tensor(1.0))
"""),
    ("recursive", """\
@stage
def down§(x, n):
    if n <= 0:
        return x
    y = down§(x * <<2.0|cast(n, float32)>>, n - 1)
    if <<y > 3.0|x > 0.0>>:
        return y + <<down§(x, n - 2)|1.0|down§(n=0, x=x)>>
    return y
@stage
def tree§(t):
    if isinstance(t, (list, tuple)):
        return sum([tree§(e) for e in t])
    if isinstance(t, dict):
        return tree§(list(t.values()))
    return t * 2.0 if t > 1.0 else t
@stage
def even§(x, n):
    return x if n == 0 else odd§(x + 1.0, n=n - 1)
@stage
def odd§(x, n):
    return -x if n == 0 else even§(x * 2.0, n - 1)
half§ = functools.partial(down§, n=<<1|2>>)
@stage
def whole§(x, f=half§, **named):
    y = f(x, **named)
    if y > 1.0:
        y = y + <<functools.partial(even§, n=2)(y)|even§(n=1, x=y)|half§(x)|\
functools.partial(f, **named)(y)>>
    return y
call(down§, tensor(1.0), 2)
call(tree§, [tensor(1.0), {'a': tensor(2.0), 'b': (tensor(3.0), 1.5)}])
call(even§, tensor(1.0), <<3|2>>)
call(whole§, tensor(1.0))
call(whole§, tensor(0.5), n=<<1|0>>)
call(whole§, tensor(2.0), <<even§|odd§|lambda x, n=0: down§(x, n)>>, n=1)
call(graded, <<whole§|half§|lambda x: down§(x, 3)>>, tensor(1.5))
call(graded, tree§, [tensor(0.5), tensor(2.0)])
"""),
    ("signatures", """\
v§ = Variable(1.0)
@stage(signature=[{'a': spec(<<(None,)|None>>, float32), 'b': [spec((), float32), \
spec((), int32)]}, spec(<<(), float32|(None,), float32|None, float32>>)])
def g§(p, x<<|, n=2>>):
    y = p['a'] * p['b'][0] + x
    if <<sum(y) > 2.0|p['b'][1] > 1>>:
        y = y + cast(p['b'][1], float32)
        v§.assign_add(sum(y))
    for e in <<y|range(p['b'][1])|p['a']>>:
        y = y + <<cast(e, float32)|v§|1.0>>
        if sum(y) > <<9.0|v§>>:
            <<break|continue>>
    return {'y': y, 'l': [p['b'][0], <<x|y>>]}
b§ = [tensor(1.0), tensor(2)]
call(g§, {'a': tensor([1.0, 2.0]), 'b': b§}, tensor(1.0))
call(g§, {'a': tensor([1.0]), 'b': b§}, <<tensor(1.0)|tensor([1.0])>>)
call(g§, {'b': b§, 'a': <<zeros(0)|tensor([[1.0]])|tensor([1.0, 2.0, 3.0])>>}, \
tensor(-1.0))
call(<<graded, g§|saved, g§>>, {'a': tensor([1.0, 0.5]), 'b': b§}, tensor(0.5))
"""),
    ("more-texts", """\
t§ = tensor(['a b', 'c', ''])
v§ = Variable(<<tensor('x')|tensor(['x', 'yz'])>>)
names§ = {'a': 1.0, 'bc': 2.0}
@stage
def g§(s, k='a', *, n=1):
    y = strings.length(s)
    if <<k in names§|k == 'a'|y > 1>>:
        s = s + <<k|'!'|strings.upper(s)|strings.join([s, s], '-')>>
        <<v§.assign(v§ + s)|v§.assign(v§)|pass>>
    w = <<strings.split(s)|strings.split(s, sep=<<'b'|','>>)|t§>>
    for e in <<w|t§>>:
        if <<strings.length(s) > 5|s == 'a!'>>:
            <<break|continue|s = strings.lower(s)>>
        s = s + <<e|t§[0]|'.'>> if <<True|y > 0>> else s
    return s, w, y, <<len(w)|t§ == s|strings.to_number(tensor('1.5'))|\
where(t§ == 'c', s, t§)|concat([w, t§])|reshape(t§, [3, 1])|v§>>
call(g§, tensor('a'))
call(g§, tensor(<<'A b'|''|'a,b'|'é x'>>), 'bc')
call(g§, <<'host'|tensor('ab')>>, n=<<2|tensor(2)>>)
<<names§['zz'] = 3.0|v§.assign(v§ + 'q')|pass>>
call(g§, tensor('a'), <<'zz'|'a'>>)
"""),
    ("variables-of-dtypes", """\
v§ = Variable(tensor(<<[1, 2, 3], int8|[1, 2, 3], uint8|[1, 2, 3], int64|[1.0, 2.0, 3.0], \
float64|[1.0, 2.0, 3.0], float16|[1.0, 2.0, 3.0], bfloat16|[1, 2, 3], int16>>))
b§ = Variable(tensor([True, False, True]))
m§ = Variable(zeros((2, 3)))
@stage
def g§(i, x):
    u = cast(x, v§.dtype)
    v§.assign(<<scatter_update(v§, [[i]], [u])|scatter_add(v§, reshape(i, [1, 1]), \
reshape(u, [1]))|scatter_max(v§, [[i]], [u])|v§ * u|where(b§, v§, u)|\
scatter_min(v§, [[0], [2]], [u, u])>>)
    if <<b§[i]|any(b§)|v§[i] > v§[0]|all(b§)>>:
        b§.assign(<<logical_not(b§)|b§ ^ True|scatter_update(b§, [[i]], [x > 1])|v§ > u>>)
        m§.assign(<<scatter_add(m§, [[0, i]], [1.0])|scatter_update(m§, [[1]], \
[cast(v§, float32)])|m§ + 1.0|m§[::-1]>>)
    for r in <<m§|v§|b§|range(tensor(2))>>:
        <<v§.assign_add(u)|v§.assign_sub(v§)|m§.assign(m§ * 2.0)>>
        if <<sum(m§) > 4.0|v§[1] > u|b§[0]>>:
            <<break|continue|b§.assign(b§[::-1])>>
    return v§[i], m§[<<0|:, i|i % 2>>], take(v§, <<[i, 0]|[0, 2]>>)
call(g§, tensor(1), tensor(2))
call(g§, tensor(<<2|0|-1|5>>), tensor(<<3|-1>>))
call(<<saved, g§|g§>>, tensor(0), tensor(<<1|100>>))
"""),
    ("images", """\
w§ = Variable(<<ones((2, 2, 1, 2))|reshape(arange(8.0), (2, 2, 1, 2)) * 0.25>>)
s§ = Variable([1.0, 2.0])
@stage<<|(signature=[spec((None, None, None, 1), float32), spec((), int32)])>>
def g§(x, n):
    y = conv2d(x, w§, <<padding='SAME'|strides=2|padding='SAME', dilations=2|strides=(1, 2)>>)
    if <<sum(y) > 3.0|n > 1>>:
        y = <<relu(y - 1.0)|y * s§|layer_norm(y, s§)|depthwise_conv2d(y, \
ones((1, 1, 2, 1)))|softmax(y)>>
    for _ in range(<<n|tensor(2)>>):
        y = <<y + s§|avg_pool2d(y, 2, 1, 'SAME')|max_pool2d(y, 2, strides=1, \
padding='SAME')|y * 0.5|flip(y, 1)>>
        if sum(y) > <<2.0|sum(s§)>>:
            <<break|continue|s§.assign(s§ * 0.5)>>
    return mean(y, axis=(1, 2)), <<y|max_pool2d(y, 1)|sum(y, axis=-1)>>
x§ = reshape(arange(16.0), (1, 4, 4, 1)) * 0.125
call(g§, x§, tensor(1))
call(g§, <<x§[:, :3]|concat([x§, -x§])|ones((1, 1, 5, 1))|zeros((0, 3, 3, 1))|-x§>>, tensor(2))
call(graded, g§, x§ - 1.0, tensor(<<2|0>>))
call(saved, g§, x§[:, 1:], tensor(1))
"""),
    ("matrices", """\
w§ = Variable([[2.0, 1.0], [1.0, 3.0]])
@stage<<|(signature=[spec((None, 2), float32), spec((), int32)])|(relax=True)>>
def g§(x, n):
    s = <<x.T @ x + w§ @ w§.T|w§ @ w§.T + eye(2)|w§ + w§.T>>
    y = <<solve(s, x.T)|inv(s) @ x.T|cholesky(w§ @ w§.T + eye(2)) @ x.T|\
qr(s)[1] @ x.T|einsum('ij,kj->ik', s, x)|tensordot(s, x, [[1], [1]])>>
    if <<det(s) > 4.0|norm(y) > 2.0|eigh(s)[0][0] > 1.0|n > 1>>:
        y = y + <<svd(s)[1][:, None]|eigh(s)[0][:, None]|outer(s[0], sum(x, axis=1))|\
sum(vecdot(s, w§))|w§ @ y>>
    for r in <<x|s|range(n)>>:
        y = y * 0.5
        if <<sum(y) > 1.0|norm(s) > 3.0>>:
            <<break|continue|s = s @ s>>
    return y, <<topk(y, k=1)|sort(y, descending=True)|argsort(y, axis=0)|\
searchsorted(tensor([0.0, 1.0]), reshape(y, [-1]))|one_hot(argmax(y, axis=0), depth=2)|\
gather_nd(y, [[0, 0]])|take_along_axis(y, argsort(y), axis=-1)|\
cross_entropy(y.T, one_hot(argmax(y, axis=0), depth=2))|split(y, 2)|unstack(y)|\
unique_inverse(reshape(y, [-1]))>>
call(g§, tensor([[1.0, 2.0], [0.5, -1.0]]), tensor(2))
call(g§, tensor(<<[[1.0, 2.0]]|[[0.0, 0.0]]|[[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]>>), tensor(1))
call(<<graded, g§|saved, g§>>, tensor([[1.0, 1.0], [0.5, 2.0]]), tensor(1))
w§.assign(<<w§ * 2.0|eye(2)|zeros((2, 2))>>)
call(g§, tensor([[1.0, 2.0], [0.5, -1.0]]), tensor(2))
"""),
    ("seeded", """\
rng.seed(<<1|7>>)
@stage
def g§(x, n=2):
    y = <<rng.normal((2,), 0.0, 1.0, float32)|rng.uniform((2,), 1.0, 2.0, float32)|cast(rng.integers((2,), 0, 9), float32)>>
    for i in range(<<n|tensor(2)>>):
        if <<x > 0.0|y[0] > 0.5>>:
            y = y + <<rng.uniform((2,), 0.0, 1.0, float32)|inner§(x)|rng.shuffle(y)|dropout(y, 0.5)>>
            <<break|continue|return y>>
        y = y * <<rng.uniform((), 0.0, 1.0, float32)|0.5|inner§(y[0])>>
    return y
@stage
def inner§(x):
    return x * rng.normal((2,), 0.0, 1.0, float32)
call(g§, tensor(1.0))
call(g§, tensor(-1.0), <<2|tensor(3)>>)
<<rng.seed(3)|call(saved, g§, tensor(1.0))|call(g§.host, tensor(1.0))>>
call(<<g§|graded, g§>>, tensor(1.0))
show(rng.normal((2,)))
"""),
    ("by-hand", """\
v§ = Variable(1.0)
@custom_gradient
def clipped§(x):
    return x * 1.0, lambda d: clip(d, -1.0, 1.0)
@stage
def g§(x, n=2):
    def step(i, y):
        v§.assign_add(<<1.0|y>>)
        return i + 1, y * <<x|1.5|v§>> + <<inner(y)|1.0>>
    def inner(z):
        return stage.cond(z > <<2.0|v§>>, lambda: z * 0.5, lambda: -z<<| + v§>>)
    i, y = stage.loop(lambda i, y: i < n, step, (tensor(0), x))
    y = y + stage.<<and_|or_>>(lambda: y > 1.0, lambda: v§ > 2.0) * 1.0 if \
<<False|True>> else y
    total = stage.for_each(<<range(n)|tensor([1.0, 2.0])>>, lambda s: s < 9.0, \
lambda e, s: (s + cast(e, float32) * clipped§(y),), (tensor(0.0),))
    return y, total, i
call(g§, tensor(1.0))
call(g§, tensor(-1.0), <<tensor(3)|1>>)
call(<<graded, g§|saved, g§>>, tensor(0.5), tensor(2))
"""),
]
