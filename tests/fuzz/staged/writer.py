"""Writes expressions of a kind, over the names in scope.

Kinds: F a float scalar, V a vector of three floats, U one of unknown size,
I an int scalar, B a truth of tensors, n a host int, r a host float, c a host
truth, T a text tensor; containers: L list, D dict, S set, Q deque, O object;
P record (a named tuple or a dataclass); W a Variable of a float scalar.

Whatever can be switched off has a feature name; a program knows which of them
it uses, so that a known difference can be kept out of it.
"""
import fnmatch
import functools
import re

HOLE = re.compile(r"<([A-Za-z])>")

# Kind, feature, weight, template. Values stay small and dyadic: float32 then
# holds them exactly, and host numbers that become tensors do not differ.
TEMPLATES = [
    ("F", "", 4, "<F> + <F>"), ("F", "", 2, "<F> - <r>"),
    ("F", "", 2, "<F> * <r>"), ("F", "", 1, "maximum(<F>, <r>)"),
    ("F", "", 1, "minimum(<F>, <F>)"), ("F", "", 1, "-<F>"),
    ("F", "", 1, "abs(<F>)"), ("F", "", 2, "sum(<V>)"),
    ("F", "", 2, "sum(<U>)"), ("F", "", 1, "<V>[<i>]"),
    ("F", "", 1, "max(<V>)"), ("F", "where", 1, "where(<B>, <F>, <r>)"),
    ("F", "ternary", 2, "(<F> if <B> else <F>)"),
    ("F", "ternary", 1, "(<F> if <c> else <r>)"),
    ("F", "cast", 1, "cast(<I>, float32)"),
    ("F", "list-read", 2, "<L>[0]"), ("F", "list-read", 1, "<L>[-1]"),
    ("F", "dict-read", 2, "<D>['a']"), ("F", "object-read", 2, "<O>.h"),
    ("F", "record-read", 2, "<P>.x"), ("n", "record-read", 1, "<P>.n"),
    ("F", "object-read", 1, "<O>.l[0]"), ("F", "deque-read", 1, "<Q>[0]"),
    ("F", "variable-read", 3, "<W> + <r>"), ("F", "helper", 1, "twice(<F>)"),
    ("F", "inner", 1, "inner(<F>, <n>)"),
    ("F", "shape-read", 1, "<F> * <U>.shape[0]"),
    ("F", "reduce", 1, "sum([<F>, <F>])"), ("F", "stack", 1,
                                            "sum(stack([<F>, <F>]))"),
    ("V", "", 3, "<V> + <V>"), ("V", "", 2, "<V> * <r>"),
    ("V", "", 1, "<V> + <F>"), ("V", "", 1, "-<V>"),
    ("V", "", 1, "maximum(<V>, <r>)"), ("V", "stack", 1,
                                        "stack([<F>, <F>, <F>])"),
    ("V", "where", 1, "where(<V> > <r>, <V>, <r>)"),
    ("V", "slice", 1, "concat([<V>[1:], <V>[:1]])"),
    ("F", "maths", 1, "tanh(<F>)"), ("F", "maths", 1, "sin(<F>)"),
    ("F", "maths", 1, "<F> / (abs(<F>) + 1.5)"),
    ("F", "maths", 1, "sum(<V> * <V>)"), ("F", "maths", 1, "mean(<V>)"),
    ("F", "maths", 1, "sqrt(abs(<F>) + 0.5)"),
    ("V", "maths", 1, "exp(minimum(<V>, 1.0))"),
    ("V", "maths", 1, "<V> * <V>"), ("U", "maths", 1, "tanh(<U>)"),
    ("U", "", 3, "<U> * <r>"), ("U", "", 2, "<U> + <F>"),
    ("U", "unknown-sizes", 1, "<U> + <U>"),
    ("U", "slice", 1, "<U>[1:]"), ("U", "slice", 1, "<U>[::-1]"),
    ("U", "concat", 1, "concat([<U>, <U>])"),
    ("U", "reshape", 1, "reshape(<U>, [-1])"),
    ("I", "", 3, "<I> + <n>"), ("I", "", 1, "<I> * 2"),
    ("I", "", 1, "-<I>"), ("I", "", 1, "<I> % 3"),
    ("I", "cast", 1, "cast(<F>, int32)"),
    ("I", "length-unknown", 2, "len(<U>) + <I>"),
    ("B", "", 5, "<F> > <r>"), ("B", "", 3, "<F> <= <F>"),
    ("B", "", 2, "<I> == <n>"), ("B", "", 1, "sum(<V>) > <r>"),
    ("B", "", 1, "all(<V> > <r>)"), ("B", "", 1, "any(<V> == <V>)"),
    ("B", "and-or", 2, "(<B> and <B>)"), ("B", "and-or", 2, "(<B> or <B>)"),
    ("B", "not", 1, "not <B>"), ("B", "chained", 1, "<r> < <F> <= <r>"),
    ("B", "length-unknown", 2, "len(<U>) == <n>"),
    ("B", "length-unknown", 2, "len(<U>) == len(<U>)"),
    ("B", "unknown-sizes", 2, "all(<U> == <U>)"),
    ("B", "unknown-sizes", 1,
     "(len(<u>) == len(<u>) and all(<u> == <u>))"),
    ("B", "variable-read", 1, "<W> > <r>"),
    ("B", "shape-compare", 2, "<U>.shape[0] == <n>"),
    ("B", "text", 1, "<T> == 'ab'"),
    ("n", "", 2, "<n> + 1"), ("n", "", 1, "<n> * 2"),
    ("n", "list-length", 2, "len(<L>)"), ("n", "dict-read", 1, "<D>['k']"),
    ("n", "dict-length", 1, "len(<D>)"), ("n", "set-read", 1, "len(<S>)"),
    ("n", "deque-read", 1, "len(<Q>)"), ("n", "object-read", 1, "<O>.n"),
    ("n", "object-read", 1, "len(<O>.l)"), ("n", "", 1, "<V>.shape[0]"),
    ("r", "", 1, "<r> * 0.5"), ("r", "", 1, "<r> + 1.0"),
    ("c", "", 3, "<n> > 1"), ("c", "list-length", 1, "len(<L>) > 2"),
    ("c", "dict-read", 1, "'z' in <D>"), ("c", "set-read", 1, "2 in <S>"),
    ("c", "dict-order", 1, "list(<D>)[0] == 'a'"),
    ("c", "object-read", 1, "<O>.n == 1"), ("c", "", 1, "not <c>"),
    ("T", "text", 1, "<T> + 'b'"), ("T", "text", 1, "strings.upper(<T>)"),
]

LITERALS = {
    "F": ("tensor(1.0)", "tensor(-0.5)", "tensor(2.0)"),
    "V": ("tensor([1.0, -2.0, 0.5])", "zeros(3)"),
    "U": ("tensor([1.0, 2.0])", "zeros(3)"),
    "I": ("tensor(1)", "tensor(2)", "tensor(0)"),
    "B": ("tensor(True)",),
    "n": ("0", "1", "2", "3"), "i": ("0", "1", "-1"),
    "r": ("0.0", "0.5", "1.0", "-1.0", "2.0", "1.5"),
    "c": ("True", "False"), "t": ("tensor('a')", "tensor('bcd')"), "T": ("tensor('a')",),
    "L": ("[1.0, 2.0]",), "D": ("{'a': 0.5, 'k': 1}",), "S": ("{1, 2}",),
    "Q": ("deque([1.0, 0.5])",), "O": ("Box()",),
}


@functools.cache
def fits(feature, patterns):
    """Whether the feature is of one of the patterns."""
    return any(fnmatch.fnmatchcase(feature, pattern) for pattern in patterns)


class Writer:
    """Kinds, names in scope and the features that are used."""

    def __init__(self, rng, off=(), family=None):
        self.rng = rng
        self.family = family or ""  # patterns of features to use
        self.families = tuple(self.family.split("|"))
        self.off = tuple(off)
        self.used = set()
        self.scope = {}  # kind: names
        self.names = 0
        # The innermost staged block: top, if, loop; behind stands for the
        # top behind an early return, which is in a block as well.
        self.context = "top"
        # A few features are left out of each program, so that the others are
        # seen without them.
        self.shy = {row[1] for row in TEMPLATES
                    if row[1] and rng.random() < 0.35}

    def may(self, feature):
        """Whether the feature is on; then it counts as used."""
        if fits(feature, self.off):
            return False
        self.used.add(feature)
        return True

    def wanted(self, feature):
        """Whether the feature is of the family that was asked for."""
        return fits(feature, self.families)

    def fresh(self, prefix):
        """A name that no other part of the program has."""
        self.names += 1
        return f"{prefix}{self.names}"

    def declare(self, kind, name):
        """Expressions may use the name from here on."""
        self.scope.setdefault(kind, []).append(name)

    def saved(self):
        """The scope as it is now, for the end of a block."""
        return {kind: list(names) for kind, names in self.scope.items()}

    def name(self, kind):
        """A name of this kind, or None."""
        names = self.scope.get(kind)
        return self.rng.choice(names) if names else None

    def atom(self, kind):
        """A name or a literal."""
        name = self.name({"u": "U", "i": "-"}.get(kind, kind))
        if name and (kind in "uLDSQOWP" or self.rng.random() < 0.85):
            return name
        return self.rng.choice(LITERALS[kind])

    def expr(self, kind, depth=2):
        """An expression of this kind."""
        rng = self.rng
        if kind in "ui" or depth <= 0 or rng.random() < 0.3:
            return self.known_atom(kind, depth)
        rows = [row for row in TEMPLATES if row[0] == kind
                and (row[1] not in self.shy
                     or self.wanted(f"expr.{row[1]}@{self.context}"))]
        while rows:
            row = rng.choices(rows, [
                row[2] * (20 if self.wanted(f"expr.{row[1]}@{self.context}")
                          else 1) for row in rows])[0]
            needs = set(HOLE.findall(row[3]))
            if all(self.has(need) for need in needs) and (
                    not row[1] or self.may(f"expr.{row[1]}@{self.context}")):
                text = HOLE.sub(lambda hole: self.hole(hole, depth - 1),
                                row[3])
                return text if closed(text) else f"({text})"
            rows.remove(row)
        return self.known_atom(kind, depth)

    def known_atom(self, kind, depth):
        """An atom; a truth of tensors has none that is of use."""
        if kind == "B" and not self.name("B"):
            return f"({self.atom('F')} > {self.atom('r')})"
        return self.atom(kind)

    def has(self, kind):
        """Containers, Variables and texts must be there; all else is
        made."""
        return kind not in "LDSQOWTP" and kind not in "Uu" or \
            bool(self.scope.get(kind.upper() if kind == "u" else kind))

    def hole(self, match, depth):
        """What fills a hole; a number in front of a dot has a name."""
        kind = match[1]
        text = self.atom(kind) if kind in "LDSQOWP" else self.expr(kind, depth)
        after = match.string[match.end():match.end() + 1]
        return f"({text})" if after in (".", "[") and not closed(text) or \
            text[0] == "-" and not text[1:].replace(".", "").isdigit() \
            else text


def closed(text):
    """Whether operators around it cannot tear it apart."""
    if re.fullmatch(r"[\w.']+", text):
        return True
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char in ")]}" and at != len(text) - 1:
            return False
        if depth == 0 and not (char.isalnum() or char in "_.')]}"):
            return False
    return depth == 0
