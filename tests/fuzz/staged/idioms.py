"""Statements as people write them: loops over several tensors, flags and best
values, closures, generators, nested staged functions, records, lists of the
graph."""
import re

import habits
from specials import Specials

# Helpers that stand in front of a program that names them.
HELPERS = {
    **habits.HELPERS,
    "Point": "Point = namedtuple('Point', 'x n')\n",
    "Model": """\
class Model:
    def __init__(self):
        self.w = Variable(2.0)
        self.calls = 0
        self.seen = []
    @stage
    def step(self, x, scale=1.0):
        self.w.assign_add(x * scale)
        return self.w * 0.5
    @property
    def half(self):
        return self.w * 0.5
    def __call__(self, x):
        if x > 0.0:
            self.calls += 1
            return self.step(x)
        return x
""",
    "Pair": """\
@dataclass
class Pair:
    x: object
    n: int = 1
    def moved(self, by):
        return Pair(self.x + by, self.n + 1)
""",
    "entered": """\
@contextmanager
def entered(log, x):
    log.append(x)
    try:
        yield x + 1.0
    finally:
        log.pop()
""",
    "Counter": """\
class Counter:
    total = 0.0
    def __init__(self):
        self.n, self.items, self.by = 0, [], {'a': 0}
    @stage
    def take(self, x, times=1):
        self.n += 1
        self.by['a'] += times
        if x > 0.0:
            self.items.append(x)
        return x * self.n + len(self.items)
    def twice(self, x):
        self.n += 2
        return self.take(x) + self.take(x, times=2)
""",
    "squared": """\
@custom_gradient
def squared(a):
    def back(d):
        return d * a * 3.0
    return a * a, back
""",
    "built": """\
@stage
def built(parts, pair):
    if parts['a'] > pair[0]:
        parts['b'].append(pair[0])
    return {'s': parts['a'] + pair[0], 'l': [pair[1], parts['b'][-1]]}
""",
    "nested_makers": """\
def nested_makers(x):
    count = 0
    def middle(k):
        kept = [k]
        def inmost(v):
            nonlocal count
            count = count + v
            kept.append(count)
            return kept[-1] + kept[0] + x
        return inmost
    return middle
""",
    "keyed": """\
@stage
def keyed(x, *rest, k=2, **named):
    if x > named.get('edge', 0.0):
        return x * k
    return x + len(rest)
""",
    "piled": """\
@stage
def piled(items, x):
    items.append(x)
    return x + len(items)
""",
    "steps_of": """\
def steps_of(x):
    for i in range(3):
        yield x * i
""",
    "recursive": """\
def recursive(x, n):
    return x if n <= 0 else recursive(x + 1.0, n - 1)
""",
    "logged": """\
class logged:
    def __init__(self, log, x):
        self.log, self.x = log, x
    def __enter__(self):
        self.log.append(self.x)
        return self.x + 1.0
    def __exit__(self, *error):
        self.log.pop()
""",
}

# Feature and text: § begins each fresh name, <RETURN> is what the function
# returns, a hole is an expression of its kind.
IDIOMS = habits.ROWS + [
    ("enumerate", "for §i, §e in enumerate(<V>):\n"
     "    y = y + §e * <r>\n    if <B>:\n        break"),
    ("zip", "for §a, §b in zip(<V>, <V>):\n    y = y + §a * §b"),
    ("zip-unknown", "for §a, §b in zip(<U>, <U>):\n    y = y + §a - §b"),
    ("rows", "for §r in reshape(stack([<V>, <V>]), [2, 3]):\n"
     "    y = y + sum(§r * <r>)"),
    ("for-else", "for §e in range(tensor(2)):\n    y = y + 1.0\n"
     "    if <B>:\n        break\nelse:\n    y = y - <r>"),
    ("while-else", "§i = tensor(0)\nwhile §i < 2:\n    §i += 1\n"
     "    if <B>:\n        break\nelse:\n    y = y + <F>"),
    ("unpack", "§a, §b, §c = <V>\ny = y + §a * §b - §c"),
    ("unpack-star", "§a, *§b = <V>\ny = y + §a + sum(stack(§b))"),
    ("swap", "§a, §b = <F>, <F>\nif <B>:\n    §a, §b = §b, §a\n"
     "y = y + §a * 2.0 - §b"),
    ("swap-lists", "§a, §b = [<F>], [<F>]\nfor §e in <V>:\n"
     "    §a, §b = §b, §a\n§a.append(<F>)\ny = y + §a[0] - §b[-1]"),
    ("rebind", "§a = [<F>]\n§b = [<F>]\n§c = §a\nfor §e in <V>:\n"
     "    §c = §b\n    if <B>:\n        §b[0] = <F>\ny = y + §c[0]"),
    ("rebind-same", "§a = [<F>]\n§b = §a\nfor §e in <V>:\n    §b = §a\n"
     "    §a[0] = §a[0] + §e\n§b.append(<F>)\ny = y + len(§a) + §b[0]"),
    ("shared-items", "§a = [<F>]\n§d = {'p': §a, 'q': §a}\nif <B>:\n"
     "    §d['p'].append(<F>)\n    §d['q'][0] = <F>\n"
     "y = y + §a[0] + §d['q'][-1]"),
    ("change-then-rebind", "§a = [<F>]\n§b = §a\nfor §e in range(tensor(2)):\n"
     "    §b[0] = §b[0] + 1.0\n    §b = [§b[0]]\ny = y + §a[0] - §b[0]"),
    ("closure-late", "§n = <F>\ndef §f(k=<r>):\n    return §n * k\n"
     "if <B>:\n    §n = <F>\ny = y + §f()"),
    ("closure-list", "§l = [<F>]\ndef §f(v):\n    §l.append(v)\n"
     "    return §l[-2]\nif <B>:\n    y = y + §f(<F>)\n"
     "y = y + §l[-1] + len(§l)"),
    ("walrus", "if (§a := <F>) > <r>:\n    y = y + §a\ny = y - §a"),
    ("walrus-while", "§i = tensor(0)\nwhile (§k := §i + 1) < 3:\n"
     "    §i = §k\n    y = y + 1.0\ny = y + cast(§k, float32)"),
    ("comprehension", "y = y + sum(stack([§e * <r> for §e in <V>]))"),
    ("flag", "§b = False\nfor §e in <V>:\n    if §e > <r>:\n"
     "        §b = True\nif §b:\n    y = y + 1.0"),
    ("count", "§n = 0\nfor §e in <V>:\n    if §e > <r>:\n        §n += 1\n"
     "y = y + §n"),
    ("best", "§m, §w = <F>, 0\nfor §i, §e in enumerate(<V>):\n"
     "    if §e > §m:\n        §m, §w = §e, §i\ny = y + §m * §w"),
    ("none", "§o = None\nif <B>:\n    §o = <F>\nif §o is not None:\n"
     "    y = y + §o"),
    ("late-name", "for §e in <V>:\n    §z = §e * 2.0\n    if <B>:\n"
     "        break\ny = y + §z"),
    ("namedtuple", "§p = Point(<F>, <n>)\nif <B>:\n"
     "    §p = §p._replace(x=<F>)\ny = y + §p.x * §p.n"),
    ("dict-made", "§d = {k: <F> for k in ('a', 'b')}\nfor §k in §d:\n"
     "    if <B>:\n        §d[§k] = §d[§k] + 1.0\n"
     "y = y + §d['a'] - §d['b']"),
    ("object", "§x = model(<F>)\nif <B>:\n    §x = model(<F>)\n"
     "y = y + §x + model.half + model.calls"),
    ("staged-method", "y = y + model.step(<F>)\nif <B>:\n"
     "    y = y + model.step(<F>, scale=2.0)\ny = y + model.half"),
    ("method-state", "for §e in <V>:\n    if §e > <r>:\n"
     "        model.seen.append(1)\ny = y + model(<F>)"),
    ("staged-keywords", "y = y + keyed(<F>, <F>, k=<n>, edge=<r>)\n"
     "y = y - keyed(<F>)"),
    ("staged-list", "§l = [<F>]\ny = y + piled(§l, <F>)\nif <B>:\n"
     "    y = y + piled(§l, <F>)\ny = y + §l[-1] * len(§l)"),
    ("staged-inside", "@stage\ndef §g(a, b=2.0):\n    if a > b:\n"
     "        return a * y\n    return a - <F>\ny = §g(<F>) + §g(<F>, <r>)"),
    ("generator-helper", "for §e in steps_of(<F>):\n    if §e > <r>:\n"
     "        y = y + §e"),
    ("recursion", "y = y + recursive(<F>, <n>)"),
    ("try-finally-return", "§l = [<F>]\ntry:\n    if <B>:\n"
     "        return <RETURN>\n    y = y + §l[0]\nfinally:\n"
     "    §l.append(1.0)\ny = y + len(§l)"),
    ("try-else", "try:\n    y = y + <F>\nexcept ValueError:\n"
     "    y = y * 2.0\nelse:\n    if <B>:\n        y = y - 1.0"),
    ("with-value", "§l = [<F>]\nwith logged(§l, <F>) as §w:\n"
     "    if <B>:\n        y = y + §w + §l[-1]\ny = y + len(§l)"),
    ("assert-text", "assert <B>, f'low {<F>} of {<n>}'"),
    ("raise-text", "if <B>:\n    raise ValueError(f'no {<F>}')"),
    ("stage-cond", "y = stage.cond(<B>, lambda: <F>, lambda: <F>)"),
    ("stage-loop", "y = stage.loop(lambda a: a < 4.0, "
     "lambda a: a + abs(<F>) + 1.0, y)"),
    ("tensor-list", "§t = TensorList(float32, ())\n"
     "for §i in range(tensor(2)):\n    §t.append(<F>)\n    if <B>:\n"
     "        §t.append(<F>)\ny = y + sum(§t.stack())"),
    ("list-stack", "§l = []\nfor §e in <V>:\n    if <B>:\n"
     "        continue\n    §l.append(§e * <r>)\n"
     "y = y + len(§l) + sum([§e for §e in §l])"),
    ("list-of-lists", "§l = [[<F>], [<F>]]\nfor §p in §l:\n    if <B>:\n"
     "        §p[0] = <F>\ny = y + §l[0][0] - §l[1][0]"),
    ("dynamic-slice", "y = y + sum(<V>[:<I> % 3])"),
    ("nested-return", "for §e in <V>:\n    for §k in range(tensor(2)):\n"
     "        if §e > cast(§k, float32) + <r>:\n"
     "            return <RETURN>\n        y = y + §e"),
    ("nested-break", "for §e in <V>:\n    §i = tensor(0)\n"
     "    while §i < 3:\n        §i += 1\n        if <B>:\n"
     "            break\n        y = y + §e\n    if <B>:\n"
     "        continue\n    y = y - 1.0"),
    ("host-call", "§x = stage.host_call(lambda a: a * 2.0, [<F>], "
     "spec((), float32))\ny = y + §x"),
    ("tape-loop", "§x = <F> + tensor(0.0)\nwith Tape() as §t:\n    §t.watch(§x)\n"
     "    §z = §x * 1.0\n    for §e in <V>:\n        if §z > <r>:\n"
     "            §z = §z * §e\n        else:\n            §z = §z + §x\n"
     "y = y + §t.gradient(§z, §x)"),
    ("tape-variable", "with Tape() as §t:\n    §z = model.w * <F>\n"
     "    if <B>:\n        §z = §z * model.w\n"
     "model.w.assign_sub(§t.gradient(§z, model.w) * 0.25)"),
    ("tape-list", "§x = <F> + tensor(0.0)\nwith Tape() as §t:\n    §t.watch(§x)\n"
     "    §l = [§x]\n    for §i in range(tensor(2)):\n"
     "        §l.append(§l[-1] * §x)\n    §z = §l[-1] + §l[0]\n"
     "y = y + §t.gradient(§z, §x)"),
    ("tape-persistent", "§x = <F> + tensor(0.0)\n"
     "with Tape(persistent=True) as §t:\n    §t.watch(§x)\n"
     "    §a = §x * <F>\n    if <B>:\n        §a = §a * §x\n"
     "    §b = §a + §x * <r>\n"
     "y = y + §t.gradient(§a, §x) - §t.gradient(§b, §x)"),
    ("tape-while", "§x = <F> + tensor(0.0)\nwith Tape() as §t:\n"
     "    §t.watch(§x)\n    §z = §x * 1.0\n    §i = tensor(0)\n"
     "    while §i < 3:\n        §i += 1\n        if <B>:\n"
     "            break\n        §z = §z * §x + <F>\n"
     "y = y + §t.gradient(§z, §x)"),
    ("tape-in-loop", "for §e in <V>:\n    with Tape() as §t:\n"
     "        §t.watch(§e)\n        §z = §e * §e * <F>\n"
     "    y = y + §t.gradient(§z, §e)"),
    ("tape-stop", "§x = <F> + tensor(0.0)\nwith Tape() as §t:\n"
     "    §t.watch(§x)\n    §z = §x * <F>\n"
     "    with §t.stop_recording():\n        §w = §z * §x\n"
     "    §z = §z + stop_gradient(§w) * §x\n"
     "y = y + §t.gradient(§z, §x)"),
    ("tape-structure", "§x = {'a': <F> + tensor(0.0), 'b': [<V> * 1.0]}\n"
     "with Tape() as §t:\n    §t.watch(§x)\n"
     "    §z = §x['a'] * sum(§x['b'][0])\n    if <B>:\n"
     "        §z = §z * §x['a']\n§g = §t.gradient(§z, §x)\n"
     "y = y + §g['a'] + sum(§g['b'][0])"),
    ("tape-unwatched", "with Tape(watch_accessed_variables=False) as §t:\n"
     "    §t.watch(model.w)\n    §z = model.w * <F> + model.half\n"
     "y = y + §t.gradient(§z, model.w)"),
    ("tape-rows", "§x = <V> * 1.0\nwith Tape() as §t:\n    §t.watch(§x)\n"
     "    §z = §x[<I> % 3] * <F>\n    if <B>:\n"
     "        §z = §z + sum(take(§x, tensor([0, 2, 0])))\n"
     "y = y + sum(§t.gradient(§z, §x))"),
    ("tape-staged", "§x = <F> + tensor(0.0)\nwith Tape() as §t:\n"
     "    §t.watch(§x)\n    §z = keyed(§x, k=2) * inner(§x, 2)\n"
     "y = y + §t.gradient(§z, §x)"),
    ("custom-gradient", "§x = <F> + tensor(0.0)\nwith Tape() as §t:\n"
     "    §t.watch(§x)\n    §z = squared(§x)\n    if <B>:\n"
     "        §z = squared(§z) + §x\ny = y + §t.gradient(§z, §x)"),
    ("dataclass", "§p = Pair(<F>)\nif <B>:\n    §p = §p.moved(<F>)\n"
     "y = y + §p.x"),
    ("dataclass-store", "§p = Pair(<F>, <n>)\nfor §e in <V>:\n"
     "    §p.x = §p.x + §e\ny = y + §p.x * §p.n"),
    ("context-manager", "§l = [<F>]\nwith entered(§l, <F>) as §w:\n"
     "    if <B>:\n        y = y + §w + §l[-1]\ny = y + len(§l)"),
    ("self-state", "y = y + counter.take(<F>)\nif <B>:\n"
     "    y = y + counter.twice(<F>)\ny = y + counter.n"),
    ("self-loop", "for §e in <V>:\n    y = y + counter.take(§e, times=<n>)"),
    ("staged-structures", "§d = {'a': <F>, 'b': [<F>]}\n"
     "§o = built(§d, (<F>, <F>))\nif <B>:\n"
     "    §o = built(§d, (<F>, <F>))\n"
     "y = y + §o['s'] - §o['l'][1] + len(§d['b'])"),
    ("deep-closures", "§f = nested_makers(<F>)(<F>)\nif <B>:\n"
     "    y = y + §f(<F>)\ny = y + §f(1.0)"),
    ("item-aug", "§l = [<F>, <F>, <F>]\nfor §k in range(3):\n"
     "    if <B>:\n        §l[§k] += §k\n    §l[§k - 1] *= <r>\n"
     "y = y + sum(§l)"),
    ("item-aug-loop", "§l = [<F>, <F>]\nfor §e in <V>:\n"
     "    §l[0] += §e\n    §l[-1] *= 0.5\ny = y + sum(§l)"),
    ("slice-store", "§l = [<F>, <F>, <F>]\nif <B>:\n"
     "    §l[1:] = [<F>, <F>]\ny = y + §l[2] - §l[1]"),
    ("clock", "§t = time.perf_counter()\nif <B>:\n    y = y + 1.0\n"
     "y = y + (1.0 if time.perf_counter() >= §t else 2.0)"),
    ("dataset", "for §e in data.from_tensor_slices(<V>):\n"
     "    if §e > <r>:\n        continue\n    y = y + §e"),
    ("dataset-batch", "for §i, §e in data.range(5).batch(2).enumerate():\n"
     "    y = y + cast(sum(§e) * §i, float32)\n    if <B>:\n        break"),
    ("dataset-map", "for §e in data.from_tensor_slices(<V>).map("
     "lambda v: v * 2.0):\n    y = y + §e * <r>"),
    ("texts", "§s = strings.join([<t>, tensor('c')])\nif <B>:\n"
     "    §s = §s + <t>\ny = y + cast(strings.length(§s), float32)"),
    ("cond-structure", "§a, §d = stage.cond(<B>, lambda: (<F>, {'k': <F>}), "
     "lambda: (<F>, {'k': <F>}))\ny = y + §a - §d['k']"),
    ("loop-pair", "§a, §b = stage.loop(lambda a, b: a < 3.0, "
     "lambda a, b: (a + 1.0, b * <F>), (tensor(0.0), <F>))\n"
     "y = y + §a * §b"),
    ("variable-loop", "for §e in <V>:\n    model.w.assign_add(§e)\n"
     "    if model.w > <r>:\n        model.w.assign(model.w * 0.5)\n"
     "        break\ny = y + model.w"),
    ("lists-grow", "§l, §m = [], []\nfor §e in <V>:\n"
     "    §l.append(§e)\n    if §e > <r>:\n        §m.append(§e * 2.0)\n"
     "y = y + len(§m) * §l[-1] + sum(stack(§l))"),
    ("list-of-pairs", "§l = []\nfor §i in range(tensor(2)):\n"
     "    §l.append((<F>, <F>))\n"
     "for §a, §d in §l:\n    y = y + §a - §d"),
    ("dict-of-lists", "§d = defaultdict(list)\n§d['a'].append(<F>)\n"
     "if <B>:\n    §d['a'].append(<F>)\n    §d['b'].append(<F>)\n"
     "y = y + len(§d['a']) - len(§d['b'])"),
    ("match", "match <n>:\n    case 1:\n        y = y + <F>\n"
     "    case _ if <c>:\n        y = y - <F>"),
    ("deep-return", "for §e in <V>:\n    for §k in <V>:\n"
     "        §i = tensor(0)\n        while True:\n            §i += 1\n"
     "            if §i > 2:\n                break\n"
     "            if §e * §k > <r>:\n                return <RETURN>\n"
     "        y = y + §k"),
    ("rows-gathered", "§x = take(<V>, tensor([0, 2, 1]))\nif <B>:\n"
     "    §x = take(§x, tensor([1, 1, 0]))\ny = y + sum(§x)"),
    ("tape-twice", "§x = <F> + tensor(0.0)\nwith Tape() as §t:\n    §t.watch(§x)\n"
     "    with Tape() as §u:\n        §u.watch(§x)\n"
     "        §z = §x * §x * §x\n        if <B>:\n"
     "            §z = §z * 2.0\n    §g = §u.gradient(§z, §x)\n"
     "y = y + §t.gradient(§g, §x)"),
]


class Idioms(Specials):
    """Specials and idioms."""

    def statement(self, depth):
        """At times an idiom, wherever that is."""
        if depth > 0 and self.rng.random() < 0.12:
            lines = self.idiom()
            if lines:
                return lines
        return super().statement(depth)

    def idiom(self):
        """One of the rows, its holes filled; None: it may not stand here."""
        rows = [row for row in IDIOMS if self.wanted(
            f"idiom.{row[0]}@{self.context}")]
        feature, text = self.rng.choice(rows or IDIOMS)
        if not self.may(f"idiom.{feature}@{self.context}"):
            return None
        for word, made in (("model", "model = Model()"),
                           ("counter", "counter = Counter()")):
            if f"{word}." in text or f"{word}(" in text:
                self.setup += [made] if made not in self.setup else []
        self.returns |= "<RETURN>" in text
        self.budget -= 2
        text = text.replace("<RETURN>", self.ending)
        prefix = self.fresh("z")
        text = re.sub(r"§(\w)", prefix + r"\1", text)
        return self.fill(text, prefix).split("\n")
