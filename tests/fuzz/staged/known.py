"""Differences that are known and not yet mended, a row each.

`off` are the features (statements.py, specials.py, writer.py) that programs
must not use while the row stands; `lenient` is a kind of difference that the
judge forgives instead, where it comes up everywhere. `text` is a small program
that shows it, and `kind` what the judge says of that.

A mend deletes its row: the suite fails when a row's program no longer differs,
and from then on random programs use what it switched off.
"""


class Known:
    """One row."""

    def __init__(self, name, kind, text, off=(), lenient=()):
        self.name, self.kind, self.text = name, kind, text
        self.off, self.lenient = tuple(off), tuple(lenient)


KNOWN = [
    Known("refusal without a line", "refusal-line", """\
@stage
def f(x, l):
    l.append(x)
    return x
call(f, tensor(1.0), [Variable(1.0)])
""", lenient=["refusal-line"]),
    Known("host error behind one of run time", "aside", """\
@stage
def f(n):
    for i in range(n):
        i = 6 // i
    return {}['k']
call(f, tensor(3))
""", lenient=["aside"]),
]

OFF = [pattern for row in KNOWN for pattern in row.off]
LENIENT = [kind for row in KNOWN for kind in row.lenient]
