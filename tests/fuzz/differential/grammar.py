"""Expands templates of Python expressions, typed by kind.

A template is a text with holes such as `<int>`; a kind is a list of
templates. Variables in scope fill holes too. Everything is decided by one
random.Random, so a seed always gives the same program.
"""
import re

HOLE = re.compile(r"<([a-z]+)>")

# Where a hole would nest too deeply, one of these stands instead.
SHALLOW = 0
# How often a hole holds a value of some other kind, so that errors arise.
WRONG_KIND = 0.03

# Kinds that are the union of others.
UNIONS = {
    "num": ["int", "int", "float", "bool"],
    "seq": ["list", "tuple", "str", "bytes", "range"],
    "set": ["pset", "fset"],
    "iterable": ["list", "tuple", "str", "range", "dict", "list", "iter",
                 "bytes", "numbers"],
    "key": ["int", "str", "bool", "tuple", "float", "none", "bytes", "fset"],
    "any": ["int", "float", "bool", "none", "str", "bytes", "list", "tuple",
            "dict", "pset", "fset", "range", "slice", "str", "int", "anything",
            "anything"],
    "sized": ["list", "tuple", "str", "dict", "pset", "range", "bytes"],
}


class Grammar:
    """Kinds, each with literals (a function) and templates."""

    def __init__(self, rng, literals, templates):
        self.rng = rng
        self.literals = literals
        self.templates = {
            kind: [line for line in text.strip("\n").split("\n") if line]
            for kind, text in templates.items()}
        self.scope = {}  # kind: names of variables that hold one
        self.names = 0

    def fresh(self, prefix="v"):
        """A name that no other part of the program has."""
        self.names += 1
        return f"{prefix}{self.names}"

    def declare(self, kind, name):
        """Expressions may use `name` from here on."""
        self.scope.setdefault(kind, []).append(name)

    def literal(self, kind):
        """A value of this kind as a literal."""
        return self.literals[kind](self)

    def expr(self, kind, depth):
        """An expression that mostly has a value of this kind."""
        rng = self.rng
        if rng.random() < WRONG_KIND:
            kind = "any"
        if kind in UNIONS:
            kind = rng.choice(UNIONS[kind])
        names = self.scope.get(kind)
        dice = rng.random()
        if names and dice < 0.3:
            return rng.choice(names)
        templates = self.templates.get(kind)
        if not templates or depth <= SHALLOW or dice > 0.85:
            if kind in self.literals:
                return self.literal(kind)
        return self.fill(rng.choice(templates), depth - 1)

    def fill(self, template, depth):
        """The template with each hole filled, in parentheses."""
        text = HOLE.sub(lambda hole: self.operand(hole, depth), template)
        # The marks that are left are this template's own variable.
        if "\u00a7" in text:
            text = text.replace("\u00a7", self.fresh("x"))
        if text[-1] in ")]}" and re.match(r"[\w.]*[(\[{]", text) and \
                self.closes_once(text):
            return text
        return f"({text})"

    def operand(self, hole, depth):
        """What fills a hole: a number in front of a dot is in parentheses."""
        text = self.expr(hole[1], depth)
        dotted = hole.string[hole.end():hole.end() + 1] == "."
        return f"({text})" if dotted and text[-1].isdigit() else text

    @staticmethod
    def closes_once(text):
        """The first bracket closes at the very end: no need for more."""
        depth = 0
        quote = None
        for at, char in enumerate(text):
            if quote:
                quote = None if char == quote else quote
            elif char in "'\"":
                quote = char
            elif char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
                if depth == 0:
                    return at == len(text) - 1
        return False
