"""Writes statements of staged functions: blocks, changes of containers by every
means there is, state of all kinds, and what may fail."""
from writer import HOLE, Writer

# Kind: way, template; § is the container.
CHANGES = {
    "L": [("append", "§.append(<F>)"), ("append", "§.append(<F>)"),
          ("extend", "§.extend([<F>, <r>])"), ("insert", "§.insert(0, <F>)"),
          ("pop", "§.pop()"), ("pop", "§.pop(0)"), ("iadd", "§ += [<F>]"),
          ("del", "del §[0]"), ("item", "§[0] = <F>"),
          ("item", "§[-1] = <F>"), ("item-aug", "§[0] += <r>"),
          ("item-aug", "§[-1] *= 2.0"), ("slice", "§[0:1] = [<F>, <r>]"),
          ("reverse", "§.reverse()"), ("clear", "§.clear()"),
          ("imul", "§ *= 2"), ("helper", "push(§, <F>)")],
    "D": [("item", "§['a'] = <F>"), ("item", "§['a'] = <F>"),
          ("new-key", "§['z'] = <F>"), ("item-aug", "§['a'] += <r>"),
          ("count", "§['k'] += 1"), ("update", "§.update(a=<F>)"),
          ("ior", "§ |= {'a': <F>}"), ("pop", "§.pop('a', 0.0)"),
          ("del", "del §['k']"), ("setdefault", "§.setdefault('y', <F>)"),
          ("count", "§['k'] = §.get('k', 0) + 1"),
          ("helper", "bump(§, 'k')"), ("clear", "§.clear()")],
    "S": [("add", "§.add(<n>)"), ("discard", "§.discard(1)"),
          ("ior", "§ |= {<n>, 7}"), ("update", "§.update([5])"),
          ("iand", "§ &= {1, 2}"), ("pop", "§.clear()")],
    "Q": [("append", "§.append(<F>)"), ("appendleft", "§.appendleft(<F>)"),
          ("pop", "§.pop()"), ("popleft", "§.popleft()"),
          ("item", "§[0] = <F>"), ("extend", "§.extend([<F>])"),
          ("rotate", "§.rotate(1)"), ("insert", "§.insert(0, <F>)")],
    "O": [("store", "§.h = <F>"), ("store", "§.h = <F>"),
          ("store-aug", "§.h += <F>"), ("count", "§.n += 1"),
          ("method", "§.add(<F>)"), ("method", "§.tick()"),
          ("setattr", "setattr(§, 'h', <F>)"), ("new", "§.z = <F>"),
          ("inner-list", "§.l.append(<F>)"), ("inner-list", "§.l[0] = <F>"),
          ("helper", "poke(§, <F>)")],
}
WORDS = {"L": "list", "D": "dict", "S": "set", "Q": "deque", "O": "object"}
MAKERS = {"L": ["[1.0, 2.0]", "[<F>, <F>]", "[<F>]", "[]", "[0.5, <F>, 1.0]",
                "list(<L>)", "[<F> for _ in range(2)]"],
          "D": ["{'a': <F>, 'k': 1}", "{'a': 0.5, 'k': 0}",
                "dict(a=<F>, k=2)"],
          "S": ["{1, 2}", "{<n>, 3}", "set()"],
          "Q": ["deque([1.0, 0.5])", "deque([<F>])"],
          "O": ["Box()", "Box()"]}


class Statements(Writer):
    """A writer of blocks. `origin` says where each container is from; `ending`
    is what the function returns."""

    def __init__(self, rng, off=(), family=None):
        super().__init__(rng, off, family)
        self.origin = {}
        self.returns = False  # an early return was written
        self.in_loop = 0
        self.budget = rng.randint(4, 14)

    def fill(self, template, name=""):
        """The template with its holes filled."""
        text = HOLE.sub(lambda hole: self.hole(hole, 1), template)
        return text.replace("§", name)

    def block(self, context, count, depth):
        """An indented block of statements, its names its own."""
        old, self.context = self.context, context
        saved = self.saved()
        lines = []
        for _ in range(count):
            lines += self.statement(depth - 1)
        self.scope = saved
        # An early return in the block makes what follows it conditional.
        self.context = "behind" if self.returns and old == "top" else old
        return ["    " + line for line in lines or ["pass"]]

    def statement(self, depth):
        """One statement, as lines."""
        rng = self.rng
        self.budget -= 1
        ways = [(8, self.assign), (9, self.change),
                (12 if self.wanted("variable-deep") else 3, self.variable),
                (2, self.make), (1, self.prints), (1, self.alias),
                (1, self.fails)]
        if depth > 0 and self.budget > 0:
            ways += [(6, self.staged_if), (3, self.staged_while),
                     (3, self.staged_for), (2, self.host_block),
                     (1, self.guarded), (1, self.with_block),
                     (3 if self.context == "top" else 0.3, self.taped)]
        if self.context != "top":
            ways += [(1, self.leave)]
        for _ in range(6):
            way = rng.choices([row[1] for row in ways],
                              [row[0] for row in ways])[0]
            lines = way(depth)
            if lines:
                return lines
        return ["pass"]

    # --- names ---

    def assign(self, depth):
        """A name gets a new value of its kind, or a new name one."""
        rng = self.rng
        kind = rng.choice("FFFFVVUIIBnr")
        if kind == "U" and not self.name("U"):
            kind = "V"
        name = self.name(kind)
        if name and rng.random() < 0.7:
            if name in self.origin and self.origin[name] != "local":
                return None
            if kind in "FVI" and rng.random() < 0.4:
                return [f"{name} += {self.expr(kind)}"]
            if kind == "n" and self.context != "top" and \
                    not self.may("host-number." + self.context):
                return None
            if kind == "r" and self.context != "top" and \
                    not self.may("host-float." + self.context):
                return None
            return [f"{name} = {self.expr(kind)}"]
        if kind in "nrB":
            return None
        text = self.expr(kind)
        name = self.fresh("t")
        self.declare(kind, name)
        return [f"{name} = {text}"]

    def make(self, depth):
        """A container of this trace."""
        kind = self.rng.choice("LLLDDSQO")
        template = self.rng.choice(MAKERS[kind])
        if "<L>" in template and not self.name("L"):
            return None
        text = self.fill(template)
        name = self.fresh(kind.lower())
        self.declare(kind, name)
        self.origin[name] = "local"
        return [f"{name} = {text}"]

    def change(self, depth):
        """A container is changed."""
        kinds = [kind for kind in "LLLDDSQO" if self.name(kind)]
        if not kinds:
            return self.make(depth)
        kind = self.rng.choice(kinds)
        name = self.name(kind)
        origin = self.origin.get(name, "local")
        ways = [row for row in CHANGES[kind] if self.wanted(
            f"{WORDS[kind]}.{row[0]}@{origin}.{self.context}")]
        way, template = self.rng.choice(ways or CHANGES[kind])
        if origin != "local" and way in ("iadd", "imul", "ior", "iand"):
            return None  # would make the name local
        if not self.may(f"{WORDS[kind]}.{way}@{origin}.{self.context}"):
            return None
        # What fails is needed: an operation of a list that the graph holds, and
        # that nobody looks at, is not run.
        looks = way in ("pop", "del") and kind == "L" and origin == "local" \
            and self.context != "top"
        return [self.fill(template, name)] + (
            [f"stage.print('s', len({name}))"] if looks else [])

    def alias(self, depth):
        """Another name for a container, or a name for one of two."""
        kind = self.rng.choice("LLDO")
        name = self.name(kind)
        if not name or not self.may(f"alias@{self.context}"):
            return None
        origin = self.origin.get(name, "local")
        other = self.fresh("m")
        text = name
        often = 1.0 if self.wanted("alias-by-branch") else 0.5
        if kind == "L" and self.rng.random() < often and \
                self.may("alias-by-branch"):
            return [f"{other} = {name} if {self.expr('B')} else "
                    f"[2.0 for _ in {name}]",
                    f"{other}.append({self.expr('F')})"]
        self.declare(kind, other)
        self.origin[other] = origin
        return [f"{other} = {text}"]

    def variable(self, depth):
        """A Variable is written."""
        name = self.name("W")
        if not name or not self.may(f"variable-write.{self.context}"):
            return None
        way = self.rng.choice(("assign", "assign_add", "assign_sub"))
        return [f"{name}.{way}({self.expr('F')})"]

    def prints(self, depth):
        """Something is printed, by the graph or the host."""
        if self.rng.random() < 0.75:
            if not self.may("stage-print"):
                return None
            return [f"stage.print('s', {self.expr(self.rng.choice('FVIn'))})"]
        if not self.may("host-print"):
            return None
        return [f"print('h{self.rng.randint(0, 9)}')"]

    # --- blocks ---

    def staged_if(self, depth):
        """if on a tensor, with elif and else at times."""
        rng = self.rng
        lines = [f"if {self.expr('B')}:"]
        lines += self.block("if", rng.randint(1, 2), depth)
        if rng.random() < 0.2:
            lines += [f"elif {self.expr('B')}:"]
            lines += self.block("if", 1, depth)
        if rng.random() < 0.5:
            lines += ["else:"] + self.block("if", rng.randint(1, 2), depth)
        return lines

    def staged_while(self, depth):
        """while on a counter that is a tensor, or on a host truth that turns
        into one."""
        rng = self.rng
        count = self.fresh("i")
        head = f"while {count} < {rng.choice('1223')}"
        behind = []
        if rng.random() < 0.25:
            head += f" and {self.expr('B', 1)}"
            behind = [f"stage.print('s', {count})"]  # it is needed, and fails
        self.in_loop += 1
        first, before = [f"    {count} += 1"], [f"{count} = tensor(0)"]
        if rng.random() < 0.15 and self.may("while-true"):
            before, head = [f"{count} = 0"], "while True"
            first += [f"    if {count} > 3:", "        break",
                      f"    if {self.expr('B', 1)}:", "        break"]
        lines = self.block("loop", rng.randint(1, 3), depth)
        self.in_loop -= 1
        return before + [head + ":"] + first + lines + behind

    def staged_for(self, depth):
        """for over a tensor or a range of one."""
        rng = self.rng
        name = self.fresh("e")
        saved = self.saved()
        dice = rng.random()
        if dice < 0.5:
            kind, turns = "I", f"range(tensor({rng.choice('0123')}))"
        elif dice < 0.6 and self.name("I"):
            kind, turns = "I", f"range({self.name('I')} % 3)"
        else:
            kind = "F"
            turns = self.name(rng.choice("VU")) or self.expr("V", 1)
        self.declare(kind, name)
        self.in_loop += 1
        lines = self.block("loop", rng.randint(1, 3), depth)
        self.in_loop -= 1
        self.scope = saved
        return [f"for {name} in {turns}:"] + lines

    def host_block(self, depth):
        """if and for on the host: they run while tracing."""
        rng = self.rng
        if rng.random() < 0.5:
            lines = [f"if {self.expr('c')}:"]
            lines += self.block(self.context, rng.randint(1, 2), depth)
            if rng.random() < 0.4:
                lines += ["else:"] + self.block(self.context, 1, depth)
            return lines
        name = self.fresh("e")
        saved = self.saved()
        turns = "range(2)"
        if rng.random() < 0.4 and self.name("L"):
            turns = f"list({self.name('L')})[:3]"
            self.declare("F", name)
        elif rng.random() < 0.4 and self.name("D") and self.may("dict-order"):
            turns = f"list({self.name('D')})"
        else:
            self.declare("n", name)
        loop, self.in_loop = self.in_loop, 0
        lines = self.block(self.context, rng.randint(1, 2), depth)
        self.in_loop = loop
        self.scope = saved
        return [f"for {name} in {turns}:"] + lines

    def guarded(self, depth):
        """try around what may fail, now or at run time."""
        if not self.may(f"try.{self.context}"):
            return None
        names = [name for kind in "FI" for name in self.scope.get(kind, ())]
        if not names:
            return None
        lines = ["try:"] + self.block(self.context, 1, depth)
        body = self.fails(depth)
        lines += ["    " + line for line in body or []]
        ending = self.rng.choice(("except OpError:", "except Exception:",
                                  "finally:"))
        return lines + [ending] + self.block(self.context, 1, depth)

    def with_block(self, depth):
        """A host context manager that tells when it is left."""
        name = self.name("L")
        if not name or not self.may(f"with.{self.context}"):
            return None
        return [f"with Entered({name}):"] + \
            self.block(self.context, 1, depth)

    def taped(self, depth):
        """A Tape inside of the function, around anything."""
        name = self.name("F")
        if not name or not self.may(f"tape.{self.context}"):
            return None
        saved = self.saved()
        tape, source, target = (self.fresh(part) for part in ("tape", "s", "r"))
        self.declare("F", source)
        lines = [f"{target} = {self.fill('<F> * ' + source)}"]
        self.declare("F", target)
        self.origin[source] = "watched"
        block = self.block(self.context, self.rng.randint(1, 3), depth)
        lines += [f"{target} = {target} + {self.expr('F')}"]
        self.scope = saved
        return [f"{source} = {name} + tensor(0.0)",
                f"with Tape() as {tape}:", f"    {tape}.watch({source})",
                "    " + lines[0]] + block + ["    " + lines[1]] + [
                    f"y = y + {tape}.gradient({target}, {source}, "
                    "unconnected_gradients='zero')"]

    # --- what leaves, fails or is drawn ---

    def leave(self, depth):
        """break, continue or an early return, mostly on a condition."""
        rng = self.rng
        if self.in_loop and rng.random() < 0.6:
            word = rng.choice(("break", "continue"))
        elif self.may("early-return"):
            word = f"return {self.ending}"
            self.returns = True
        else:
            return None
        return [f"if {self.expr('B', 1)}:", f"    {word}"]

    def fails(self, depth):
        """An operation that may fail at run time, whose result counts."""
        rng = self.rng
        ways = []
        if self.name("I"):
            ways += [("divide", "§ = § // <I>", "I"),
                     ("divide", "§ = 6 // §", "I")]
        if self.name("F"):
            ways += [("assert", "assert <B>, 'too small'", "F"),
                     ("assert", "assert § > <r>", "F"),
                     ("index", "§ = § + <V>[<I>]", "F"),
                     ("raise", "if <B>:\n    raise ValueError('no')", "F"),
                     ("host-error", "§ = § + {}['k']", "F")]
        if self.name("U"):
            ways += [("sizes", "§ = § + <U>", "U")]
        if not ways:
            return None
        way, template, kind = rng.choice(ways)
        name = self.name(kind)
        if self.origin.get(name, "local") != "local" or \
                not self.may(f"fails.{way}.{self.context}"):
            return None
        # What the graph prints is needed: an operation that fails and whose
        # value nobody needs need not run.
        return self.fill(template, name).split("\n") + [
            f"stage.print('s', {name})"]
