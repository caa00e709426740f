"""More of what people write, as in idioms.py: formatted texts, keyword-only and
absent arguments, classes with class methods and slots, loops with `else`,
returns out of `finally`, comprehensions of dicts and sets, iterators that are
handed in, sets of tensors, recursion in host values."""

HELPERS = {
    "Slotted": """\
class Slotted:
    __slots__ = ('x', 'n')
    kinds = {'a': 1}
    def __init__(self, x, n=1):
        self.x, self.n = x, n
    @classmethod
    def doubled(cls, x):
        return cls(x * 2.0, 2)
    @staticmethod
    def chosen(a, b, *, least=0.0):
        return a if a > least else b
    @property
    def size(self):
        return self.x * self.n
    @size.setter
    def size(self, value):
        self.x = value / self.n
    def __add__(self, other):
        return Slotted(self.x + other.x, self.n + other.n)
    def __eq__(self, other):
        return self.n == other.n
    def __hash__(self):
        return self.n
""",
    "Stack": """\
class Stack:
    def __init__(self, *items):
        self.items = list(items)
    def __len__(self):
        return len(self.items)
    def __iter__(self):
        return iter(self.items)
    def __getitem__(self, at):
        return self.items[at]
    def __setitem__(self, at, x):
        self.items[at] = x
    def __contains__(self, x):
        return any(x is item for item in self.items)
    def push(self, x):
        self.items.append(x)
        return self
""",
    "Derived": """\
class Base:
    scale = 2.0
    def apply(self, x):
        return self.shape(x) * self.scale
    def shape(self, x):
        return x
class Derived(Base):
    def __init__(self):
        self.seen = 0
    def shape(self, x):
        self.seen += 1
        if x > 0.0:
            return super().shape(x) + 1.0
        return super().shape(x)
""",
    "optional": """\
def optional(x, y=None, *, scale=None, into=None):
    into = [] if into is None else into
    into.append(x)
    if y is not None:
        x = x + y
    return x if scale is None else x * scale, len(into)
""",
    "drawn_from": """\
@stage
def drawn_from(x, source, times=2):
    for _ in range(times):
        x = x + next(source)
    return x
""",
    "halving": """\
@stage
def halving(x, n, kept=None):
    if n == 0:
        return x
    if x > 1.0:
        return halving(x * 0.5, n - 1) + n
    return halving(x + 0.25, n - 1, kept=n)
""",
    "cached": """\
memory = {}
def cached(key, x):
    if key not in memory:
        memory[key] = 2.0
    return memory[key] * x
""",
    "remembers": """\
def remembers(function):
    calls = []
    @functools.wraps(function)
    def inner(*args, **named):
        calls.append(len(args))
        return function(*args, **named) + len(calls)
    return inner
""",
}

ROWS = [
    ("f-string", "§t = f'{<n>:>3}|{<r>:.2f}'\nif <B>:\n"
     "    §t = f'{<n>}'\ny = y + len(f'{<n>!r}')"),
    ("f-string-print", "if <B>:\n    stage.print(f'is {<F>}', <n>)\n"
     "else:\n    stage.print(f'not {<r>}')"),
    ("nested-defaults", "def §f(a, b=<n>, *, c=<F>):\n"
     "    def §g(d=b, e=c):\n        return a * d + e\n"
     "    return §g() - §g(d=2)\nif <B>:\n    y = y + §f(<F>)\n"
     "y = y + §f(<F>, c=<r>)"),
    ("keyword-only", "§x, §n = optional(<F>, scale=<r>)\nif <B>:\n"
     "    §x, §n = optional(<F>, <F>)\ny = y + §x * §n"),
    ("shared-into", "§l = [<F>]\n§x, §n = optional(<F>, into=§l)\nif <B>:\n"
     "    §x, §n = optional(<F>, scale=<F>, into=§l)\n"
     "y = y + §x + len(§l)"),
    ("none-argument", "§o = None\nif <c>:\n    §o = <F>\n"
     "y = y + optional(<F>, §o)[0]"),
    ("reversed", "for §e in reversed([<F>, <F>, <F>]):\n    if §e > <r>:\n"
     "        y = y + §e\n    else:\n        y = y * 0.5"),
    ("reversed-tensor", "for §e in <V>[::-1]:\n    y = y * 0.5 + §e"),
    ("zip-three", "for §a, §b, §c in zip(<V>, [<F>, <F>, <F>], range(3)):\n"
     "    y = y + §a * §b - §c"),
    ("zip-strict", "§d = dict(zip(('p', 'q'), (<F>, <F>)))\nif <B>:\n"
     "    §d['p'], §d['q'] = §d['q'], §d['p']\ny = y + §d['p'] * 2.0"),
    ("enumerate-start", "for §i, §e in enumerate(<V>, start=<n>):\n"
     "    if §i == 2:\n        continue\n    y = y + §e * §i"),
    ("enumerate-reversed", "for §i, §e in enumerate(reversed([<F>, <F>])):\n"
     "    if <B>:\n        y = y + §e * §i"),
    ("map-filter", "for §e in map(lambda v: v * <r>, [<F>, <F>]):\n"
     "    y = y + §e\ny = y + len(list(filter(None, [0, 1, 2])))"),
    ("sorted-host", "§l = sorted([3, <n>, 1], key=lambda v: -v)\nif <B>:\n"
     "    §l.sort()\n    y = y + §l[0]\ny = y + §l[-1]"),
    ("sum-generator", "y = y + sum(§e * §e for §e in <V>)"),
    ("any-all", "if any(§e > <r> for §e in [<F>, <F>]) and <B>:\n"
     "    y = y + 1.0"),
    ("dict-comprehension", "§d = {f'k{i}': <F> * i for i in range(3)}\n"
     "if <B>:\n    §d = {k: v + 1.0 for k, v in §d.items()}\n"
     "y = y + sum(list(§d.values()))"),
    ("dict-filtered", "§d = {k: v for k, v in zip('abc', (1, <n>, 3)) "
     "if v != 2}\nif <B>:\n    §d['a'] += 1\ny = y + §d['a'] + len(§d)"),
    ("set-comprehension", "§s = {i % 2 for i in range(<n>)}\nif <B>:\n"
     "    y = y + len(§s)\ny = y - len(§s | {7})"),
    ("set-of-names", "§s = set()\nfor §k in ('a', 'b', 'a'):\n"
     "    §s.add(§k)\nif <B>:\n    y = y + len(§s)"),
    ("nested-comprehension", "§m = [[<F> * j for j in range(2)] "
     "for _ in range(2)]\nif <B>:\n    §m[0][1] = §m[1][1] + 1.0\n"
     "y = y + sum([v for row in §m for v in row])"),
    ("comprehension-if", "§l = [v for v in [<F>, <F>, <F>] if v > <r>]\n"
     "y = y + len(§l)"),
    ("walrus-comprehension", "§l = [§w for v in [<F>, <F>] "
     "if (§w := v * 2.0) is not None]\ny = y + §l[0] + §w"),
    ("walrus-loop", "§k = 0\nwhile (§n := §k * 2) < 5:\n    §k += 1\n"
     "    if <B>:\n        y = y + §n\ny = y + §n"),
    ("match-sequence", "match [<n>, <F>]:\n    case [1, §x]:\n"
     "        y = y + §x\n    case [_, §x] if <B>:\n        y = y - §x\n"
     "    case _:\n        y = y * 0.5"),
    ("match-mapping", "match {'kind': 'a', 'x': <F>}:\n"
     "    case {'kind': 'b'}:\n        y = y * 2.0\n"
     "    case {'kind': 'a', 'x': §x, **§r}:\n"
     "        if <B>:\n            y = y + §x + len(§r)"),
    ("match-class", "match Point(<F>, <n>):\n    case Point(x=§x, n=1):\n"
     "        y = y + §x\n    case Point(§x, §n):\n"
     "        y = y + §x * §n if <B> else y"),
    ("match-tensor", "match <I>:\n    case 1:\n        y = y + <F>\n"
     "    case 2 | 3:\n        y = y - <F>\n    case _:\n"
     "        y = y * 0.5"),
    ("chained", "if <r> < <F> <= <F> < 9.0:\n    y = y + 1.0\n"
     "if 0 <= <n> < 3 and <B>:\n    y = y * 2.0"),
    ("chained-in", "if <n> in (1, 2) != <c>:\n    y = y + <F>\n"
     "y = y + (1 if 1 < <n> < 4 > 2 else 0)"),
    ("slice-steps", "y = y + sum(<V>[::2]) - sum(<V>[-1:0:-1])"),
    ("slice-steps-list", "§l = [<F>, <F>, <F>, <F>]\nif <B>:\n"
     "    §l[::2] = [<F>, <F>]\nelse:\n    §l[1::2] = §l[::2]\n"
     "del §l[::3]\ny = y + §l[0] - §l[-1] + len(§l)"),
    ("slice-negative", "§l = [<F>, <F>, <F>]\nif <B>:\n"
     "    §l[-2:] = §l[:2]\ny = y + sum(§l[::-1]) * §l[-1]"),
    ("slice-object", "§s = slice(0, 2)\nif <B>:\n"
     "    y = y + sum(<V>[§s])\ny = y + sum([<F>, <F>, <F>][§s])"),
    ("variable-branch", "if <B>:\n    model.w.assign(<F>)\n"
     "    model.w.assign_add(1.0)\nelse:\n    model.w.assign_sub(<F>)\n"
     "y = y + model.w"),
    ("variable-augmented", "§v = model.w\nif <B>:\n    §v = §v + 1.0\n"
     "y = y + §v * model.w"),
    ("variable-exchange", "§a = model.w * 1.0\nif <B>:\n"
     "    model.w.assign(y)\n    y = §a\ny = y + model.w"),
    ("while-else-return", "§i = tensor(0)\nwhile §i < 3:\n    §i += 1\n"
     "    if <B>:\n        return <RETURN>\nelse:\n    y = y + <F>"),
    ("while-else-continue", "§i = tensor(0)\nwhile §i < 3:\n    §i += 1\n"
     "    if <B>:\n        continue\n    if y > 4.0:\n        break\n"
     "    y = y + 1.0\nelse:\n    y = y - <F>"),
    ("for-else-found", "for §k in [1, 2, 3]:\n    if <F> > §k:\n"
     "        §f = §k\n        break\nelse:\n    §f = 0\ny = y + §f"),
    ("for-else-host", "for §k in range(3):\n    if §k == <n>:\n"
     "        break\nelse:\n    if <B>:\n        y = y + 1.0"),
    ("for-else-nested", "for §e in <V>:\n    for §k in <V>:\n"
     "        if §e * §k > <r>:\n            break\n    else:\n"
     "        y = y + §e\n        continue\n    y = y - 1.0"),
    ("finally-order", "§l = []\ntry:\n    §l.append('t')\n    if <B>:\n"
     "        y = y + 1.0\nfinally:\n    §l.append('f')\n"
     "y = y + len(§l)"),
    ("finally-return", "try:\n    if <B>:\n        §z = <F>\n"
     "        return <RETURN>\n    §z = y * 2.0\nfinally:\n    y = y + 1.0\n"
     "y = y + §z"),
    ("finally-two-returns", "try:\n    if <B>:\n        return <RETURN>\n"
     "    y = y + <F>\n    if <B>:\n        return <RETURN>\n"
     "finally:\n    stage.print('s', 'end')"),
    ("finally-loop", "for §e in <V>:\n    try:\n        if §e > <r>:\n"
     "            continue\n        y = y + §e\n    finally:\n"
     "        y = y * 0.5"),
    ("finally-break", "§n = 0\nfor §k in range(3):\n    try:\n"
     "        if <B>:\n            break\n        y = y + 1.0\n"
     "    finally:\n        §n += 1\ny = y + §n"),
    ("except-kinds", "try:\n    §d = {'a': <F>}\n    y = y + §d['b']\n"
     "except (KeyError, IndexError) as §e:\n    y = y + len(§e.args)\n"
     "    if <B>:\n        y = y * 2.0\nelse:\n    y = y - 1.0"),
    ("except-reraise", "try:\n    try:\n        if <B>:\n"
     "            raise ValueError('low')\n        y = y + 1.0\n"
     "    except KeyError:\n        y = y - 1.0\nfinally:\n"
     "    y = y * 2.0"),
    ("class-method", "§s = Slotted.doubled(<F>)\nif <B>:\n"
     "    §s = Slotted(<F>, 2)\ny = y + §s.x * §s.n"),
    ("static-method", "y = y + Slotted.chosen(<F>, <F>, least=<r>)"),
    ("property-setter", "§s = Slotted(<F>, <n>)\nif <B>:\n"
     "    §s.size = <F>\ny = y + §s.size + §s.x"),
    ("operators", "§s = Slotted(<F>) + Slotted(<F>, <n>)\nif <B>:\n"
     "    §s += Slotted(<F>)\ny = y + §s.x * §s.n"),
    ("own-equality", "if Slotted(<F>, <n>) == Slotted(<F>, 2):\n"
     "    y = y + <F>\ny = y + len({Slotted(y, 1), Slotted(y, 1)})"),
    ("container-class", "§s = Stack(<F>)\nif <B>:\n    §s.push(<F>)\n"
     "§s[0] = §s[-1] + 1.0\nfor §e in §s:\n    y = y + §e\n"
     "y = y + len(§s)"),
    ("container-loop", "§s = Stack(<F>, <F>)\nfor §e in <V>:\n"
     "    §s[0] = §s[0] + §e\ny = y + §s[0] * §s[1] + (y in §s)"),
    ("super", "§o = Derived()\ny = y + §o.apply(<F>)\nif <B>:\n"
     "    y = y + §o.apply(<F>)\ny = y + §o.seen"),
    ("handed-generator", "y = y + drawn_from(<F>, (v * <r> for v in "
     "[1.0, 2.0, 3.0]))"),
    ("handed-iterator", "§i = iter([<F>, <F>, <F>])\n"
     "§a = next(§i)\nif <B>:\n    y = y + §a\nfor §e in §i:\n"
     "    y = y + §e\ny = y + next(§i, <r>)"),
    ("generator-state", "def §g(n):\n    §t = <F>\n    while n > 0:\n"
     "        n -= 1\n        §t = §t * 0.5\n        yield §t\n"
     "for §e in §g(3):\n    y = y + §e\n    if <c>:\n        break"),
    ("generator-from", "def §g():\n    yield <F>\n    yield from [<F>, <F>]\n"
     "§l = list(§g())\nif <B>:\n    §l.pop()\n    §l.append(<F>)\n"
     "y = y + §l[0] - §l[-1]"),
    ("set-of-tensors", "§t = <F>\n§s = [§t, §t, <F>]\n"
     "y = y + len({id(v) for v in §s if v is §t})\nif <B>:\n"
     "    y = y + sum(§s)"),
    ("recursion-staged", "y = y + halving(<F>, <n>)"),
    ("recursion-closure", "def §f(k):\n    return <r> if k == 0 "
     "else §f(k - 1) * 0.5 + k\nif <B>:\n    y = y + §f(<n>)"),
    ("memory", "if <B>:\n    y = y + cached(<n>, y)\ny = y + cached('k', <F>)"),
    ("decorated", "§f = remembers(lambda v, k=1.0: v * k)\nif <B>:\n"
     "    y = §f(y)\ny = y + §f(<F>, k=<r>)"),
    ("partial", "§p = functools.partial(lambda a, b, c: a * b + c, <F>, c=<r>)"
     "\nif <B>:\n    y = y + §p(<F>)\ny = y + §p(2.0)"),
    ("reduce", "y = functools.reduce(lambda a, b: a * 0.5 + b, "
     "[<F>, <F>, <F>], y)"),
    ("accumulate", "§l = list(itertools.accumulate([<F>, <F>, <F>]))\n"
     "if <B>:\n    §l.append(<F>)\n    §l.pop(0)\ny = y + §l[-1] + len(§l)"),
    ("product", "for §a, §b in itertools.product([<F>, <F>], (1, 2)):\n"
     "    if §a > <r>:\n        y = y + §a * §b"),
    ("star-call", "§a = [<F>, <n>]\n§k = {'k': 2}\n"
     "y = y + keyed(*§a, **§k)\nif <B>:\n    §k['k'] = 3\n"
     "    y = y + keyed(<F>, **§k)"),
    ("unpack-nested", "(§a, [§b, *§c]), §d = (<F>, [<F>, <F>]), <n>\n"
     "if <B>:\n    §b, *§c = [§a, §b]\ny = y + §a * §b + §c[0] * §d"),
    ("multiple-targets", "§a = §b = [<F>]\nif <B>:\n    §a.append(<F>)\n"
     "    §b = §b + [1.0]\ny = y + len(§a) + len(§b)"),
    ("augmented-kinds", "§a, §l, §d = <F>, [<F>], {'k': 1}\nif <B>:\n"
     "    §a **= 2\n    §l += (<F>,)\n    §d |= {'k': 2}\nelse:\n"
     "    §a //= 2.0\n    §l *= 2\n    §d |= {'k': 3}\n"
     "y = y + §a + len(§l) + §d['k']"),
    ("delete", "§a, §l = <F>, [<F>, <F>]\nif <B>:\n    del §l[0]\nelse:\n"
     "    del §l[-1]\nif <c>:\n    del §a\n    §a = 2.0\n"
     "y = y + §l[0] * §a"),
    ("delete-entry", "§d = {'a': <F>, 'b': <F>}\nif <B>:\n    del §d['b']\n"
     "    §d['b'] = <F>\ny = y + §d.pop('b') + len(§d)"),
    ("setdefault", "§d = {}\nfor §k in ('a', 'b', 'a'):\n"
     "    §d.setdefault(§k, []).append(<F>)\nif <B>:\n"
     "    §d['a'].append(<F>)\ny = y + len(§d['a']) + §d['b'][0]"),
    ("conditional-call", "y = y + (abs if <c> else tanh)(<F>)"),
    ("global-name", "global z_total\nz_total = <n>\nif <B>:\n"
     "    y = y + z_total"),
    ("lambda-default", "§f = [lambda v, k=k: v * k for k in (1.0, 2.0)]\n"
     "if <B>:\n    y = §f[1](y)\ny = y + §f[0](<F>)"),
    ("late-lambda", "§f = [lambda v: v * §k for §k in (1.0, 2.0)]\nif <B>:\n"
     "    y = y + §f[0](<F>)"),
    ("is-same", "§a = <F>\n§b = §a\nif <B>:\n    §b = §a + 0.0\n"
     "§l = [§a]\n§m = §l\ny = y + (§l is §m) + (§l[0] is §a)"),
    ("isinstance", "§a = <F>\nif isinstance(§a, (int, float)):\n"
     "    y = y + 1.0\nelif <B>:\n    y = y + §a"),
    ("truth-of-containers", "§l = []\nif <B>:\n    y = y + 1.0\n"
     "if not §l:\n    §l.append(<F>)\nwhile §l:\n    y = y + §l.pop()"),
    ("or-default", "§o = <n> - 1 or 4\n§l = [] or [<F>]\nif <B>:\n"
     "    y = y + §o\ny = y + §l[0]"),
    ("copies", "§l = [<F>, [<F>]]\n§a = copy.copy(§l)\n"
     "§b = copy.deepcopy(§l)\nif <B>:\n    §l[1].append(<F>)\n    §a[0] = <F>\n"
     "y = y + len(§a[1]) + len(§b[1]) + §a[0]"),
]
