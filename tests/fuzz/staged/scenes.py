"""Programs as people lay them out: modules within modules, optimizers with
slots, Variables that come as arguments in structures, functions as arguments,
records, methods, callees in loops.

A scene is a program of its own. Of <<a|b|c>> one is chosen;
§ makes names its own."""
import re

from scenes_late import LATE
from scenes_library import LIBRARY
from scenes_more import MORE
from scenes_none import NONE
from scenes_rows import ROWS
from scenes_sizes import SIZES
from scenes_written import WRITTEN

CHOICE = re.compile(r"<<((?:(?!<<).)*?)>>", re.DOTALL)  # an innermost one

SCENES = [
    ("modules", """\
class Layer§:
    def __init__(self, w):
        self.w, self.scale = Variable(w), 2.0
    def __call__(self, x):
        return self.w * x + <<self.scale|1.0>>
class Net§:
    def __init__(self):
        self.layers = [Layer§(1.0), Layer§(0.5)]
        self.seen = Variable(0)
    @stage
    def step(self, x, training=False):
        for layer in self.layers:
            x = layer(x)
        if <<training|x > 0.0|training and x > 0.0>>:
            self.seen.assign_add(1)
        return x
n§, m§ = Net§(), Net§()
call(n§.step, tensor(1.0))
call(m§.step, tensor(1.0), training=True)
<<n§.layers[0].scale = 3.0|n§.layers.append(Layer§(2.0))|n§.layers[1] = \
n§.layers[0]|n§.layers[0].w = Variable(5.0)|n§.layers.pop()>>
call(n§.step, tensor(-1.0))
call(m§.step, tensor(2.0), <<True|tensor(True)|tensor(False)>>)
"""),
    ("variables-in", """\
v§, w§ = Variable(1.0), Variable(2.0)
@stage
def g§(p, x):
    p<<['w']|['b']>>.assign_add(x)
    if <<x > 0.0|p['w'] > p['b']|True>>:
        p['b'].assign(p['w'] * 2.0)
    return p['w'] + p['b']<<| + w§>>
call(g§, {'w': v§, 'b': w§}, tensor(1.0))
call(g§, {'w': w§, 'b': v§}, tensor(1.0))
call(g§, {'w': v§, 'b': v§}, tensor(-1.0))
call(g§, {'b': <<v§|Variable(4.0)>>, 'w': w§}, tensor(1.0))
"""),
    ("slots", """\
class Optimizer§:
    def __init__(self, rate=0.5):
        self.rate, self.slots = rate, {}
    def slot(self, v):
        key = <<v.ref()|id(v)>>
        if key not in self.slots:
            self.slots[key] = Variable(tensor(0.0))
        return self.slots[key]
    def apply(self, pairs):
        for g, v in pairs:
            m = self.slot(v)
            m.assign(m * 0.5 + g)
            v.assign_sub(<<m * self.rate|m>>)
o§ = Optimizer§()
v§, w§ = Variable(1.0), Variable(2.0)
o§.slot(v§), o§.slot(w§)
@stage
def g§(a, b, x):
    with Tape() as t:
        y = a * x * <<x|a>> + b
    o§.apply(zip(t.gradient(y, [a, b]), [a, b]))
    return y
call(g§, v§, w§, tensor(1.0))
call(g§, v§, w§, tensor(2.0))
call(g§, w§, v§, tensor(1.0))
<<o§.rate = 0.25|o§.slots.clear()|o§.slot(v§).assign(1.0)>>
call(g§, v§, w§, tensor(1.0))
"""),
    ("by-identity", """\
v§, w§ = Variable(1.0), Variable(2.0)
named§ = {<<id(v§): 1.0, id(w§): 2.0|v§.ref(): 1.0, w§.ref(): 2.0>>}
@stage
def g§(a, b, x):
    if <<a is b|a is v§|b is w§>>:
        x = x * 3.0
    return x + named§[<<id|(lambda v: v.ref())>>(a)]
call(g§, v§, w§, tensor(1.0))
call(g§, w§, v§, tensor(1.0))
call(g§, v§, v§, tensor(1.0))
call(g§, w§, w§, tensor(1.0))
"""),
    ("callables", """\
def twofold§(x):
    return x * 2.0
class Scale§:
    def __init__(self, k):
        self.k = k
    def __call__(self, x):
        return x * self.k if <<x > 0.0|self.k > 1.0>> else -x
    def half(self, x):
        return x * self.k * 0.5
s§ = Scale§(3.0)
@stage
def g§(h, x, *more):
    y = h(x)
    if <<y > 1.0|x < y>>:
        y = h(y)
    for k in more:
        y = k(y)
    return y
call(g§, twofold§, tensor(1.0))
call(g§, s§, tensor(1.0))
call(g§, s§.half, tensor(-1.0))
call(g§, lambda x: x - <<1.0|s§.k>>, tensor(1.0), twofold§, s§)
s§.k = <<2.0|0.5|tensor(4.0)>>
call(g§, s§, tensor(1.0))
call(g§, s§.half, tensor(1.0))
call(g§, functools.partial(s§.half), tensor(1.0), abs)
"""),
    ("loop-closures", """\
h§ = []
for k§ in <<(1, 2)|(1.0, 2.0)|(tensor(1.0), tensor(2.0))>>:
    @stage
    def g§(x<<|, k§=k§>>):
        return x * k§ if x > 0.0 else x - k§
    h§.append(g§)
call(h§[0], tensor(1.0))
call(h§[1], tensor(1.0))
k§ = <<3|4.0>>
call(h§[0], tensor(1.0))
call(h§[1], tensor(-1.0))
"""),
    ("tensor-defaults", """\
@stage
def g§(x, w=<<tensor(2.0)|Variable(2.0)|[tensor(2.0)]|None>>, *, b=tensor(1.0)):
    if w is None:
        w = tensor(0.5)
    w = w[0] if isinstance(w, list) else w
    return x * w + b if x > 0.0 else b - w
call(g§, tensor(1.0))
call(g§, tensor(1.0), tensor(3.0))
call(g§, tensor(-1.0), b=<<2.0|tensor(2.0)>>)
call(g§, <<1.0|tensor([1.0, 2.0])[0]>>)
"""),
    ("class-state", """\
class Model§:
    rate = 0.5
    made = 0
    def __init__(self, w):
        self.w = w
        <<type(self)|Model§>>.made += 1
    @property
    def both(self):
        return self.w * self.rate
    @stage
    def run(self, x):
        if x > self.both:
            return x - <<self.both|self.rate|Model§.rate>>
        return x + <<self.made|self.w>>
    @classmethod
    def of(cls, w):
        return cls(w * 2.0)
a§, b§ = Model§(<<1.0|Variable(1.0)|tensor(1.0)>>), Model§.of(tensor(1.0))
call(a§.run, tensor(1.0))
call(b§.run, tensor(1.0))
<<Model§.rate = 2.0|a§.rate = 2.0|a§.w = 4.0|Model§.of(1.0)>>
call(a§.run, tensor(1.0))
call(b§.run, tensor(5.0))
"""),
    ("records", """\
@dataclass
class Part§:
    x: object
    n: int = 1
Whole§ = namedtuple('Whole§', 'part v rest')
@stage
def g§(w, k=2):
    p = w.part
    for _ in range(<<k|p.n|tensor(2)>>):
        if p.x > <<0.0|w.v>>:
            p = Part§(p.x - 1.0, p.n)
        w.v.assign_add(<<p.x|1.0>>)
    return w._replace(part=p), [r + w.v for r in w.rest], p.n
v§ = Variable(1.0)
call(g§, Whole§(Part§(tensor(2.0)), v§, [tensor(1.0)]))
call(g§, Whole§(Part§(tensor(2.0), 2), v§, [tensor(1.0), 2.0]))
call(g§, Whole§(Part§(tensor(-1.0)), Variable(0.5), ()), k=1)
call(g§, Whole§(rest=[tensor(1.0)], part=Part§(n=1, x=tensor(3.0)), v=v§))
"""),
    ("starred", """\
@stage
def g§(*xs, scale=1.0, **named):
    y = scale * 1.0
    for x in xs:
        y = y + x if <<x > 0.0|y > x>> else y * 0.5
    for key in <<named|sorted(named)>>:
        y = y * 0.5 + named[key]
    return y, len(xs), <<sorted(named)|len(named)>>
call(g§, tensor(1.0), tensor(2.0))
call(g§, tensor(1.0), scale=tensor(2.0))
call(g§, *[tensor(1.0), <<2.0|tensor(-1.0)>>], a=tensor(1.0), b=tensor(2.0))
call(g§, tensor(1.0), b=tensor(1.0), a=tensor(2.0))
call(g§, b=1.0, **{'a': tensor(2.0), 'scale': 3.0})
"""),
    ("nested-variables", """\
@stage
def inner§(v, x):
    v.assign_add(x)
    if <<v > 2.0|x > 0.0>>:
        v.assign(<<v - 1.0|x>>)
    return v * 2.0
@stage
def g§(v, u, x):
    a = inner§(v, x)
    b = inner§(<<u|v>>, x * 2.0)
    return a + b + <<v|u|k§>>
k§ = Variable(3.0)
v§ = Variable(1.0)
call(g§, v§, k§, tensor(1.0))
call(g§, v§, v§, tensor(1.0))
call(g§, k§, k§, tensor(1.0))
call(inner§, k§, tensor(-1.0))
call(g§, k§, v§, tensor(-1.0))
"""),
    ("contexts", """\
class Scope§:
    depth = 0
    def __init__(self, by):
        self.by = by
    def __enter__(self):
        Scope§.depth += self.by
        return self
    def __exit__(self, *error):
        Scope§.depth -= self.by
        return <<False|None>>
@contextmanager
def held§(v, x):
    old = v * 1.0
    v.assign(x)
    try:
        yield old
    finally:
        v.assign(old)
v§ = Variable(1.0)
@stage
def g§(x):
    with Scope§(<<1|2>>) as s, held§(v§, x) as old:
        y = x * Scope§.depth + v§
        if <<x > 0.0|old > x>>:
            y = y + s.by
    return y + v§ + Scope§.depth
call(g§, tensor(1.0))
call(g§, tensor(-1.0))
call(g§, tensor(2.0))
"""),
    ("generators", """\
def pieces§(x, n):
    for i in range(n):
        x = x * 0.5
        got = yield x
        if got is not None:
            x = x + got
@stage
def g§(x, n=3):
    y = 0.0
    for p in <<pieces§(x, n)|enumerate(pieces§(x, n))|zip(pieces§(x, n), \
range(2))>>:
        p = p[0] if isinstance(p, tuple) else p
        if <<p > 0.25|x > 0.0>>:
            y = y + p
    it = pieces§(x, 2)
    next(it)
    return y + it.send(<<1.0|y>>)
call(g§, tensor(1.0))
call(g§, tensor(-1.0), n=2)
call(g§, tensor(4.0))
"""),
    ("callees-grow", """\
@stage
def grow§(x):
    return concat([x, x])<<| * 0.5| + sum(x)>><<| * x.shape[0>>]
@stage
def more§(x):
    return <<grow§(x) + 1.0|grow§(x)[:4]|maximum(grow§(x), 0.5)>>
@stage
def g§(x, n):
    for i in range(n):
        x = <<more§(x)|grow§(x)|more§(grow§(x))>>
        if <<sum(x) > 9.0|i > 2>>:
            break
    return <<x|sum(x)|(x, sum(x))>>
call(g§, tensor([1.0]), tensor(2))
call(g§, tensor([1.0, 2.0]), tensor(1))
call(<<graded, |>>g§, tensor([0.5]), tensor(3))
call(g§, tensor([1.0]), 2)
"""),
    ("metrics", """\
class Mean§:
    def __init__(self):
        self.total, self.count = Variable(0.0), Variable(0)
    def update(self, x):
        self.total.assign_add(x)
        self.count.assign_add(1)
    def result(self):
        return self.total / cast(maximum(self.count, 1), float32)
@stage
def g§(metrics, x):
    for name, metric in metrics.items():
        if <<x > 0.0|name == 'a'|metric.count > 0>>:
            metric.update(x)
    return {name: metric.result() for name, metric in metrics.items()}
a§, b§ = Mean§(), Mean§()
call(g§, {'a': a§, 'b': b§}, tensor(1.0))
call(g§, {'b': b§, 'a': a§}, tensor(2.0))
call(g§, {'a': a§, 'b': a§}, tensor(-1.0))
call(g§, {'a': Mean§()}, tensor(1.0))
"""),
    ("training", """\
w§ = [Variable(1.0), Variable(-0.5)]
best§ = None
@stage
def g§(weights, x, rate=0.5):
    global best§
    with Tape() as t:
        y = weights[0] * x + weights[1]
        loss = y * y if <<y > 0.0|x > 1.0>> else -y
    for v, d in zip(weights, t.gradient(loss, weights)):
        if <<True|d > -1.0>>:
            v.assign_sub(d * rate)
    return loss
call(g§, w§, tensor(1.0))
call(g§, w§, tensor(2.0))
call(g§, w§[::-1], tensor(1.0), rate=<<0.25|tensor(0.25)>>)
w§<<.append(Variable(3.0))|[0] = Variable(2.0)|.reverse()>>
call(g§, w§, tensor(1.0))
"""),
    ("trees", """\
def total§(t):
    if isinstance(t, (tuple, list)):
        return sum([total§(e) for e in t])
    if isinstance(t, dict):
        return sum([total§(t[k]) for k in <<sorted(t)|t>>])
    return t * 1.0
@stage
def g§(t, k=1.0):
    y = total§(t)
    if y > k:
        return <<y - k|y * k>>
    return y
call(g§, (tensor(1.0), [tensor(2.0), {'a': tensor(3.0)}]))
call(g§, [tensor(1.0), (tensor(2.0), {'b': 1.0, 'a': tensor(-3.0)})], 2.0)
call(g§, {'b': [tensor(1.0)], 'a': (Variable(1.0), 2)})
call(g§, {'a': (tensor(1.0), 2), 'b': [tensor(1.0)]}, k=tensor(1.0))
"""),
    ("staged-ways", """\
class Called§:
    def __init__(self):
        self.n = Variable(0)
    def __call__(self, x, mode='add'):
        self.n.assign_add(1)
        if mode == 'add':
            return x + cast(self.n, float32)
        return x * 2.0 if <<x > 0.0|self.n > 2>> else x
    @staticmethod
    @stage
    def plain(x):
        return x * 2.0 if x > 0.0 else x
c§ = Called§()
g§ = stage(c§)
p§ = stage(functools.partial(c§, mode=<<'mul'|'add'>>))
call(g§, tensor(1.0))
call(g§, tensor(1.0), mode='mul')
call(p§, tensor(1.0))
call(c§.plain, tensor(-1.0))
call(Called§.plain, tensor(1.0))
call(functools.partial(g§, <<tensor(2.0)|2.0>>), mode='add')
"""),
    ("loops-in-a-row", """\
v§ = Variable(1.0)
@stage
def g§(x, n, w):
    i, s = <<0|tensor(0)>>, x
    <<while i < n|for _ in range(n)>>:
        i += 1
        s = s * 2.0<<| + w|\n        v§.assign_add(s)>>
    k, last, own = <<0|tensor(0)>>, <<i|s|x>>, <<s|x|i * 1.0>>
    <<while k < n|for _ in range(n)>>:
        k += 1
        last = last * 2<<| + k| + i>>
        own = own * 2.0<<| + w|\n        v§.assign_sub(1.0)>>
    for j in range(n):
        x = x + <<own|s|last|v§>> * j
        if x > <<w|50.0>>:
            <<break|continue|x = x - own|return x, i, k>>
    return <<x, i, k, last, own, s|x, s|last, k>>
call(g§, tensor(1.0), tensor(3), 1.5)
call(g§, tensor(-1.0), tensor(0), tensor(2.0))
call(g§, tensor(2.0), tensor(2), 1.5)
call(<<graded, g§|g§>>, tensor(2.0), 2, tensor(0.5))
"""),
    ("twice", """\
v§ = Variable(2.0)
@stage
def part§(x, y):
    if x > y:
        return x - y, <<v§ * x|x>>
    return y * 2.0, y
@stage
def g§(x, y):
    a, b = part§(x, y)
    <<v§.assign_add(1.0)|x = x * 1.0|pass>>
    c, d = part§(x, y)
    if a > c:
        e = <<sin(a) + sin(b)|a * b>>
    else:
        e = <<sin(a) + sin(b)|a * c>>
    for k in range(3):
        f = <<sin(x) * y + k|v§ * y|part§(x, y)[0]>>
        e = e + f * <<sin(x) * y|v§>>
        y = <<y|y + 1.0>>
    return <<a, b, c, d, e, f|e + a, (a, a, c)|e>>
call(g§, tensor(1.0), tensor(2.0))
call(g§, tensor(3.0), tensor(-2.0))
call(<<graded, g§|g§>>, tensor(0.5), tensor(0.5))
"""),
    ("inherited", """\
class Base§:
    def __init__(self):
        self.w = Variable(1.0)
        self.build()
    def build(self):
        pass
    @stage
    def call(self, x):
        return self.inside(x) + self.w
class Child§(Base§):
    def build(self):
        self.b, self.sub = <<Variable(2.0)|2.0>>, <<Base§()|None>>
    def inside(self, x):
        if x > self.b:
            self.w.assign_add(1.0)
        return x * self.b if self.sub is None else x + self.sub.w
Base§.inside = lambda self, x: x * 2.0
c§, d§ = Child§(), Base§()
call(c§.call, tensor(3.0))
call(d§.call, tensor(1.0))
<<c§.b = 1.0|c§.sub = Base§()|c§.inside = lambda x: x|c§.w = Variable(4.0)|\
Child§.inside = Base§.inside>>
call(c§.call, tensor(3.0))
call(c§.call, tensor(0.5))
"""),
] + MORE + LATE + LIBRARY + WRITTEN + NONE + ROWS + SIZES


def scene(rng, may, wanted, name):
    """The lines of a scene, or none."""
    rows = [row for row in SCENES if wanted(f"scene.{row[0]}")]
    feature, text = rng.choice(rows or SCENES)
    if not may(f"scene.{feature}"):
        return []
    while CHOICE.search(text):
        text = CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)
    return text.replace("§", name).rstrip("\n").split("\n")
