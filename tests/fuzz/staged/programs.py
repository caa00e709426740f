"""Makes the programs of a seed: globals, a staged function, calls of it."""
import random
import re

from idioms import HELPERS as IDIOM_HELPERS
from idioms import Idioms
from dtypes import with_other_numbers
from scenes import scene
from specials import FROZEN
from tensors import tensor_program

HELPERS = {
    **IDIOM_HELPERS,
    "Box": """\
class Box:
    def __init__(self):
        self.h = 1.0
        self.n = 1
        self.l = [1.0]
    def add(self, x):
        self.h = self.h + x
    def tick(self):
        self.n += 1
""",
    "Entered": """\
class Entered:
    def __init__(self, log):
        self.log = log
    def __enter__(self):
        self.log.append(8.0)
    def __exit__(self, kind, error, trace):
        self.log.append(9.0)
""",
    "twice": "def twice(x):\n    return x + x\n",
    "inner": """\
@stage
def inner(x, n):
    if x > 0.0:
        return x * n
    return x - 1.0
""",
    "push": "def push(items, x):\n    items.append(x)\n",
    "bump": "def bump(d, key):\n    d[key] = d.get(key, 0) + 1\n",
    "poke": "def poke(o, x):\n    o.h = x\n",
}

ARGUMENTS = {
    "F": ("tensor(1.0)", "tensor(-0.5)", "tensor(2.0)", "tensor(0.0)"),
    "V": ("tensor([1.0, -2.0, 0.5])", "tensor([0.0, 0.0, 0.0])",
          "tensor([3.0, 1.0, 2.0])"),
    "U": ("tensor([1.0, 2.0])", "tensor([1.0, 2.0, 3.0])",
          "tensor([2.0, 1.0])", "zeros(0)"),
    "I": ("tensor(1)", "tensor(0)", "tensor(2)"),
    "n": ("1", "2", "3"), "r": ("0.5", "-1.0"),
    "L": ("[1.0, 2.0]", "[tensor(1.0), 0.5]"),
    "D": ("{'a': 0.5, 'k': 1}", "{'a': tensor(1.0), 'k': 1}",
          "{'k': 1, 'a': 0.5}"),
    "P": ("Point(tensor(1.0), 2)", "Pair(tensor(2.0), 1)",
          "Point(tensor(-0.5), 2)", "Pair(tensor(1.0), 1)"),
    "O": ("Box()",), "S": ("given",), "T": ("tensor('a')", "tensor('ab')"),
}
TURNED = {"{'a': 0.5, 'k': 1}": "{'k': 1, 'a': 0.5}",
          "{'k': 1, 'a': 0.5}": "{'a': 0.5, 'k': 1}"}
SPECS = {"F": "spec((), float32)", "U": "spec((None,), float32)",
         "V": "spec((3,), float32)", "I": "spec((), int32)"}
# What else a result tells of a container that is made at the head.
LOOKS = {"l": "", "d": "", "s": "len(§)", "q": "len(§)", "o": "§.h §.n"}
OUTER = {"L": "[1.0, 2.0]", "D": "{'a': 0.5, 'k': 1}", "S": "{1, 2}",
         "Q": "deque([1.0, 0.5])", "O": "Box()", "n": "2", "r": "0.5"}


class Maker(Idioms):
    """Writes one program."""

    def __init__(self, rng, off=(), family=None):
        super().__init__(rng, off, family)
        self.setup = []
        self.steps = []  # statements between calls
        self.parameters = []  # pairs of kind and name
        self.heads = []  # lines in front of the function's body
        self.variables = []
        self.named = []  # as parameters, with a default

    def text(self):
        """The whole program."""
        rng = self.rng
        self.outside()
        signature = rng.random() < 0.3 and self.may("signature")
        self.choose_parameters(signature)
        self.defaults = [] if signature else self.choose_defaults()
        often = 0.2 if not self.family.startswith("frozen") else 1.0
        frozen = [self.frozen() for _ in range(2) if rng.random() < often]
        body = self.body()
        head = "@stage"
        if signature:
            head += "(signature=[" + ", ".join(
                SPECS[kind] for kind, _ in self.parameters) + "])"
        elif rng.random() < 0.15 and self.may("relax"):
            head += "(relax=True)"
        names = ", ".join([name for _, name in self.parameters]
                          + self.defaults)
        function = [head, f"def f({names}):"] + [
            "    " + line for line in body]
        lines = self.setup + self.closed(function)
        lines += self.calls(signature, [step for step in frozen if step])
        if rng.random() < 0.13 or self.family.startswith(("scene", "tensors")):
            # Alone: what `f` is refused for, or tells, would hide it.
            alone = tensor_program if self.family == "tensors" or \
                not self.family and rng.random() < 0.25 else scene
            lines = alone(rng, self.may, self.wanted, self.fresh("c")) or lines
        text = "\n".join(lines) + "\n"
        return self.helpers(text) + text

    def helpers(self, text):
        """The helpers that the program names."""
        return "".join(body for name, body in HELPERS.items()
                       if re.search(rf"\b{name}\(", text))

    def outside(self):
        """Globals: Variables by several ways, containers, numbers."""
        rng = self.rng
        for _ in range(2 if self.wanted("variable-deep")
                       else rng.choice((0, 1, 1, 2))):
            name = self.fresh("v")
            self.setup.append(f"{name} = Variable({rng.choice((1.0, 2.0))})")
            self.variables.append(name)
            if rng.random() < 0.6 and self.may("variable-captured"):
                self.declare("W", name)
        if self.variables and rng.random() < 0.25 and \
                self.may("variable-in-list"):
            inside = ", ".join(rng.choice(self.variables) for _ in range(2))
            self.setup.append(f"ws = [{inside}]")
            self.declare("W", "ws[0]")
            self.declare("W", "ws[1]")
        if self.variables and rng.random() < 0.15 and \
                self.may("variable-in-attribute"):
            self.setup += ["keeper = Box()",
                           f"keeper.w = {rng.choice(self.variables)}"]
            self.declare("W", "keeper.w")
        often = 1.0 if self.wanted("variable-deep") else 0.1
        if self.variables and rng.random() < often and \
                self.may("variable-deep"):
            self.setup.append(f"deep = [[[[[{self.variables[0]}]]]]]")
            self.declare("W", "deep[0][0][0][0][0]")
        self.frugal = rng.random() < 0.7
        for _ in range(rng.choice((0, 0, 1, 2))):
            kind = rng.choice("LLDDSQOnr")
            if not self.may(f"outer.{kind}"):
                continue
            name = self.fresh("g" + kind.lower())
            self.setup.append(f"{name} = {OUTER[kind]}")
            self.declare(kind, name)
            self.origin[name] = "outer"

    def change(self, depth):
        """Most programs leave what is outside alone: a recorded effect there
        would explain too much."""
        if self.frugal:
            hidden = {kind: [name for name in names
                             if self.origin.get(name) == "outer"]
                      for kind, names in self.scope.items() if kind != "W"}
            saved = self.scope
            self.scope = {kind: [name for name in names
                                 if name not in hidden.get(kind, ())]
                          for kind, names in saved.items()}
            lines = super().change(depth)
            for kind, names in hidden.items():
                self.scope[kind] = names + [
                    name for name in self.scope.get(kind, ())
                    if name not in names]
            return lines
        return super().change(depth)

    def choose_parameters(self, signature):
        """The function's parameters."""
        rng = self.rng
        kinds = ["F"] + [rng.choice("FUUUVI" if signature else "FVUInWWLDOSTP")
                         for _ in range(rng.randint(0, 3))]
        kinds += [] if signature else [kind for kind, feature in (
            ("D", "dict-order"), ("W", "variable-deep"),
            ("S", "set.add@argument.top")) if self.wanted(feature)]
        if "S" in kinds:
            self.setup.append("given = {1, 2}")
        for kind in kinds:
            if kind == "W" and not self.variables:
                continue
            if kind in "WLDOSTP" and not self.may(f"argument.{kind}"):
                continue
            name = self.fresh("a")
            self.parameters.append((kind, name))
            if kind in "LDOS":
                self.origin[name] = "argument"
            self.declare(kind, name)

    def choose_defaults(self):
        """Parameters with defaults, of which calls name some."""
        defaults = []
        for kind in "Fn":
            if self.rng.random() < 0.1 and self.may(f"default.{kind}"):
                name = self.fresh("b")
                defaults.append(f"{name}={ARGUMENTS[kind][0]}")
                self.declare(kind, name)
                self.named.append((kind, name))
        return defaults

    def body(self):
        """The lines of the function."""
        rng = self.rng
        lines = ["y = " + self.expr("F")]
        self.declare("F", "y")
        ending = ["y"]
        for _ in range(rng.choice((0, 1, 1, 2))):
            made = self.make(0)
            if made:
                lines += made
                name = made[0].split(" ")[0]
                ending.append(name)
                ending += LOOKS[name[0]].replace("§", name).split()
        order = self.name("D")
        if order and rng.random() < (1.0 if self.wanted("dict-order")
                                     else 0.2) and self.may("dict-order"):
            lines.append(f"y = y + (1.0 if list({order})[0] == 'a' else 2.0)")
        lines += self.heads_of_specials()
        ending += ["total"] if "total = 0" in lines else []
        ending += ["grown"] if "grown = stack([y])" in lines else []
        ending += [name for kind in "VUIF"
                   for name in self.scope.get(kind, ())
                   if name not in ending and rng.random() < 0.3
                   and re.fullmatch(r"[at]\d+", name)][:2]
        self.ending = self.wrap(ending)
        while self.budget > 0:
            lines += self.statement(3)
        aliases = self.may("return-alias")
        names = [name for kind in "FLDSQO"
                 for name in self.scope.get(kind, ())
                 if name not in ending
                 and self.origin.get(name, "local") == "local"
                 and re.fullmatch(r"[tldsqo]\d+|m\d+" if aliases
                                  else r"[tldsqo]\d+", name)]
        rng.shuffle(names)
        return lines + ["return " + self.wrap(ending + names[:2])]

    def wrap(self, names):
        """The result, as a value or a structure."""
        rng = self.rng
        if len(names) == 1:
            return names[0]
        kinds = {name: kind for kind, all in self.scope.items()
                 for name in all}
        names = [name for name in names
                 if kinds.get(name) not in ("Q", "O")
                 or self.may(f"return.{kinds[name]}")]
        lists = [name for name in names if kinds.get(name) in ("L", "D")]
        if lists and rng.random() < 0.15 and self.may("return-alias"):
            names.append(lists[0])
        return "(" + ", ".join(names) + ",)"

    def closed(self, function):
        """The function at the top or inside a maker, whose locals it
        holds."""
        if self.rng.random() > 0.12 or not self.may("closure"):
            return function
        return ["def make():", "    kept = [1.0]", "    seen = 0"] + [
            "    " + line for line in function] + [
            "    return f", "f = make()"]

    def calls(self, signature, changes):
        """Two calls of one signature, others, and changes between them."""
        rng = self.rng
        # A Tape keeps all that grows.
        self.graded = rng.random() < 0.4 and \
            not any(row[0] == "growing" for row in self.later) and \
            self.may("gradient")
        first = [self.argument(kind) for kind, _ in self.parameters]
        lines = [self.call(first), self.call(first)]
        # The same signature once more: other Variables, a dict turned round.
        alike = [self.argument(kind) if kind == "W" else TURNED.get(text, text)
                 for text, (kind, _) in zip(first, self.parameters)]
        if alike != first:
            lines.append(self.call(alike))
        lines.append(self.call(self.varied(first, "FVIW")))
        lines += changes
        lines.append(self.call(self.varied(first, "FUI" if changes
                                           else "FVUInLDWSTP")))
        if rng.random() < 0.3 and not signature and self.may("other-dtype"):
            lines.append(self.call(
                [text.replace(".0", "").replace(".5", "")
                 if kind == "V" else text
                 for text, (kind, _) in zip(first, self.parameters)]))
        return lines

    def argument(self, kind):
        """A value for a parameter."""
        if kind == "W":
            return self.rng.choice(self.variables)
        outer = [name for name in self.scope.get(kind, ())
                 if self.origin.get(name) == "outer"]
        if outer and kind in "LDOS" and self.rng.random() < 0.5 and \
                self.may("argument-is-global"):
            return self.rng.choice(outer)
        return self.rng.choice(ARGUMENTS[kind])

    def varied(self, arguments, kinds):
        """The arguments, those of these kinds chosen again."""
        return [self.argument(kind) if kind in kinds else text
                for text, (kind, _) in zip(arguments, self.parameters)]

    def call(self, arguments):
        """One step, at times with its gradients."""
        name = "graded, f" if self.graded else "f"
        named = [f"{name}={self.argument(kind)}" for kind, name in self.named
                 if self.rng.random() < 0.5]
        return f"call({', '.join([name] + arguments + named)})"

    def frozen(self):
        """A value that the function reads outside, and what changes it."""
        rng = self.rng
        rows = [row for row in FROZEN if self.wanted("frozen." + row[0])]
        feature, setup, value, change = rng.choice(rows or FROZEN)
        if f"frozen.{feature}" in self.used or \
                not self.may(f"frozen.{feature}"):
            return None
        self.setup += setup.split("\n")
        self.declare("F", f"({value})")
        self.heads.append(f"y = y + ({value})")
        return change


def program(seed, number, off=(), family=None):
    """Text of program `number`, always the same for a seed, and the features it
     uses. With a family, patterns of features with bars between, only programs
    with one of them."""
    for attempt in range(400):
        rng = random.Random(f"{seed}/{number}/{attempt}")
        maker = Maker(rng, off, family)
        text = with_other_numbers(maker.text(), rng, maker.may)
        try:
            compile(text, "program", "exec")
        except SyntaxError:
            continue
        if not family or any(map(maker.wanted, maker.used)):
            return text, frozenset(maker.used)
    return "call(abs, 1)\n", frozenset()
