"""What a function may do besides plain statements: draw from iterators, change
closures, read values that are frozen, return what holds symbols."""
from statements import Statements

# Feature, setup, what the function reads, what changes it between calls.
FROZEN = [
    ("number", "k1 = 2.0", "k1", "k1 = 3.0"),
    ("dict", "k2 = {'a': 1.0}", "k2['a']", "k2['a'] = 4.0"),
    ("list", "k3 = [1.0, 2.0]", "k3[1]", "k3[1] = 5.0"),
    ("dict3", "k4 = {'a': {'b': {'c': 1.0}}}", "k4['a']['b']['c']",
     "k4['a']['b']['c'] = 3.0"),
    ("list3", "k5 = [[[1.0]]]", "k5[0][0][0]", "k5[0][0][0] = 3.0"),
    ("list-in-dict", "k6 = {'a': [1.0]}", "k6['a'][0]",
     "k6['a'].append(1.0); k6['a'][0] = 2.0"),
    ("deque", "k7 = deque([1.0])", "k7[0]", "k7[0] = 2.0"),
    ("deque-length", "k8 = deque([1.0])", "1.0 * len(k8)", "k8.append(2.0)"),
    ("set", "k9 = {1}", "1.0 * len(k9)", "k9.add(5)"),
    ("attribute", "class K10:\n    pass\nk10 = K10()\nk10.a = 1.0", "k10.a",
     "k10.a = 2.0"),
    ("class-attribute", "class K11:\n    a = 1.0\nk11 = K11()", "k11.a",
     "K11.a = 2.0"),
    ("class-attribute-hidden", "class K12:\n    a = 1.0\nk12 = K12()",
     "k12.a", "k12.a = 2.0"),
    ("attribute-list", "class K13:\n    pass\nk13 = K13()\nk13.a = [1.0]",
     "k13.a[0]", "k13.a[0] = 2.0"),
    ("vars", "class K14:\n    pass\nk14 = K14()\nk14.a = 1.0",
     "vars(k14)['a']", "k14.a = 2.0"),
    ("defaultdict", "k15 = defaultdict(float)\nk15['a'] = 1.0", "k15['a']",
     "k15['a'] = 2.0"),
    ("default", "def k16(x=[1.0]):\n    return x[0]", "k16()",
     "k16.__defaults__[0][0] = 2.0"),
    ("defaults", "def k17(x=1.0):\n    return x", "k17()",
     "k17.__defaults__ = (2.0,)"),
    ("function", "def k18():\n    return 1.0", "k18()",
     "k18 = lambda: 2.0"),
    ("method", "class K19:\n    def a(self):\n        return 1.0\n"
     "k19 = K19()", "k19.a()", "K19.a = lambda self: 2.0"),
    ("built-in", "k20 = 0", "1.0 * len([1, 2])", "len = lambda x: 7"),
    ("tuple-list", "k21 = ([1.0], 2)", "k21[0][0]", "k21[0][0] = 2.0"),
    ("get", "k22 = {'a': 1.0}", "k22.get('b', 1.0)", "k22['b'] = 2.0"),
    ("in", "k23 = [1.0, 2.0]", "1.0 * (3.0 in k23)", "k23.append(3.0)"),
    ("for", "k24 = [1.0, 2.0]", "sum([e for e in k24])", "k24.append(3.0)"),
    ("variable-list", "k25 = [Variable(1.0)]", "k25[0] + 1.0",
     "k25[0] = Variable(3.0)"),
    ("tensor", "k26 = tensor(1.0)", "k26", "k26 = tensor(2.0)"),
    ("tensor-list", "k27 = [tensor(1.0)]", "k27[0]", "k27[0] = tensor(2.0)"),
    ("closure", "def make28():\n    c = 1.0\n    def read():\n        return"
     " c\n    def write():\n        nonlocal c\n        c = 2.0\n"
     "    return read, write\nread28, write28 = make28()", "read28()",
     "write28()"),
    ("closure-list", "def make29():\n    c = [1.0]\n    return lambda: c[0], "
     "lambda: c.append(c.pop() + 1.0)\nread29, write29 = make29()",
     "read29()", "write29()"),
    ("keyword", "k30 = dict(a=1.0)", "(lambda a: a)(**k30)",
     "k30['a'] = 2.0"),
    ("star", "k31 = [1.0, 2.0]", "max(*k31)", "k31[0] = 9.0"),
    ("partial", "k32 = functools.partial(lambda a: a[0], [1.0])", "k32()",
     "k32.args[0][0] = 2.0"),
]


class Specials(Statements):
    """Statements that need something outside or at the function's head."""

    def heads_of_specials(self):
        """Lines at the function's head, and statements that use them."""
        rng = self.rng
        lines, self.later = list(self.heads), []
        for feature, special in (
                ("next", self.iterator), ("outer-closure", self.counter),
                ("host-random", self.drawn), ("nonlocal", self.closure),
                ("default-changed", self.default),
                ("generator", self.generator), ("growing", self.growing),
                ("walk", self.walked)):
            often = 0.9 if self.wanted(feature + ".if") else 0.07
            if rng.random() < often:
                lines += special()
        return lines

    def statement(self, depth):
        """At times one of the specials, wherever that is."""
        later = getattr(self, "later", None)
        if later and self.rng.random() < 0.25:
            feature, line = self.rng.choice(later)
            if self.may(f"{feature}.{self.context}"):
                self.budget -= 1
                return line.split("\n")
        return super().statement(depth)

    def iterator(self):
        """next() of an iterator or generator outside."""
        if self.rng.random() < 0.5:
            self.setup.append("it = itertools.count(1)")
        else:
            self.setup += ["def count_up():", "    k = 1",
                           "    while True:", "        yield k",
                           "        k += 1", "it = count_up()"]
        self.later.append(("next", "y = y + next(it)"))
        return []

    def walked(self):
        """for over an iterator outside."""
        self.setup.append("walk = itertools.cycle([1.0, 2.0, 4.0])")
        self.later.append(("walk", "for e in walk:\n    y = y + e\n"
                           "    break"))
        return []

    def counter(self):
        """A function outside that changes its closure."""
        self.setup += ["def make_counter():", "    n, log = 0, []",
                       "    def add(x):", "        nonlocal n",
                       "        n += 1", "        log.append(n)",
                       "        return n", "    return add, log",
                       "add, counted = make_counter()"]
        self.later.append(("outer-closure", "y = y + add(1)"))
        return []

    def drawn(self):
        """Host random numbers and those of tensors."""
        if self.rng.random() < 0.5:
            self.later.append(("host-random", "y = y + random.randint(0, 9)"))
        else:
            self.setup.append("rng.seed(5)")
            self.later.append(("rng", "y = y + rng.uniform(())"))
        return []

    def closure(self):
        """A closure that is made in the trace and changed there."""
        name = self.rng.choice(("1", "1.0"))
        self.later += [("nonlocal", f"more({name})"),
                       ("nonlocal", "more(2)"),
                       ("nonlocal-read", "y = y + total")]
        return ["total = 0", "def more(k):", "    nonlocal total",
                "    total = total + k"]

    def default(self):
        """A default argument that is a list and is changed."""
        if not self.may("default-list"):
            return []
        self.setup += ["def keep(x, kept=[]):", "    kept.append(1)",
                       "    return x + len(kept)"]
        self.later.append(("default-changed", "y = keep(y)"))
        return []

    def generator(self):
        """A generator made in the trace."""
        self.later += [("generator", "y = y + next(steps)"),
                       ("generator", "y = y + sum([e for e in (1.0, 2.0)])")]
        return ["steps = (e * y for e in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])"]

    def growing(self):
        """A tensor that grows by turns, with its size read."""
        self.later.append(("growing", "for _ in range(tensor(2)):\n"
                           "    grown = concat([grown[:8], grown[:8]])"
                           " * grown.shape[0]"))
        return ["grown = stack([y])"]
