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


def within(contexts, *features):
    """The features in these contexts: if, loop, and behind, which is what
    follows an early return that stands in a block."""
    return [f"{feature}.{context}" for feature in features
            for context in contexts]


BLOCKS = ("if", "loop", "behind")
LIST_CHANGES = ("list.append@*", "list.extend@*", "list.insert@*",
                "list.pop@*", "list.iadd@*", "list.imul@*", "list.del@*",
                "list.slice@*", "list.reverse@*", "list.clear@*",
                "list.helper@*")


KNOWN = [
    Known("list changed in a branch", "result", """\
@stage
def f(x):
    l = [x]
    if x > 0.0:
        l.append(x)
    return l
call(f, tensor(-1.0))
""", within(("if",), *LIST_CHANGES)),
    Known("list element by a negative index in a branch", "result", """\
@stage
def f(x):
    l = [1.0, 2.0]
    if x > 0.0:
        l[-1] = 5.0
    return l
call(f, tensor(-1.0))
""", within(BLOCKS, "list.item@*", "list.item-aug@*")),
    Known("list appended to in a loop", "result", """\
@stage
def f(x):
    l = []
    for i in range(x):
        l.append(1)
    return len(l)
call(f, tensor(5))
""", within(("loop",), *LIST_CHANGES)),
    Known("dict changed in a branch", "result", """\
@stage
def f(x):
    d = {'a': x}
    if x > 0.0:
        d.clear()
    return d
call(f, tensor(-1.0))
""", within(BLOCKS, "dict.new-key@*", "dict.update@*", "dict.ior@*",
            "dict.pop@*",
            "dict.del@*", "dict.setdefault@*", "dict.clear@*", "dict.item@*",
            "dict.item-aug@*")),
    Known("dict counted by a helper in a loop", "result", """\
def bump(d, key):
    d[key] = d.get(key, 0) + 1
@stage
def f(x):
    d = {'k': 0}
    for i in range(x):
        bump(d, 'k')
    return d['k']
call(f, tensor(3))
""", within(BLOCKS, "dict.helper@*", "dict.count@*")),
    Known("set changed in a branch", "result", """\
@stage
def f(x):
    s = {1}
    if x > 0.0:
        s.add(2)
    return len(s)
call(f, tensor(-1.0))
""", within(BLOCKS, "set.*@*")),
    Known("set argument changed", "state", """\
s = {1}
@stage
def f(x, s):
    s.add(2)
    return x
call(f, tensor(1.0), s)
""", ["set.*@argument.*"]),
    Known("deque changed in a branch", "result", """\
@stage
def f(x):
    q = deque([1.0])
    if x > 0.0:
        q.append(2.0)
    return len(q)
call(f, tensor(-1.0))
""", within(BLOCKS, "deque.*@*")),
    Known("object changed by a method or helper in a branch", "result", """\
class Box:
    def add(self, x):
        self.h = x
@stage
def f(x):
    o = Box()
    o.h = 1.0
    if x > 0.0:
        o.add(2.0)
    return o.h
call(f, tensor(-1.0))
""", within(BLOCKS, "object.method@*", "object.helper@*", "object.setattr@*",
            "object.new@*", "object.inner-list@*", "object.count@*")),
    Known("alias of a list by branch", "result", """\
@stage
def f(x):
    a = [1.0]
    b = a if x > 0.0 else [2.0]
    b.append(5.0)
    return len(a)
call(f, tensor(1.0))
""", ["alias-by-branch"]),
    Known("attribute stored through an alias on the other side", "result", """\
class Box:
    pass
@stage
def f(x):
    o = Box()
    m = o
    if x > 2.0:
        o.h = x
    else:
        m.h = x * -1.0
    return o.h
call(f, tensor(1.0))
""", ["alias@*"]),
    Known("closure changed in a branch", "result", """\
@stage
def f(x):
    n = 0
    def more():
        nonlocal n
        n = n + 1
    if x > 0.0:
        more()
    return n
call(f, tensor(-1.0))
""", within(BLOCKS, "nonlocal", "nonlocal-read")),
    Known("next() of a generator in a block", "result", """\
@stage
def f(x):
    g = (e for e in [1.0, 2.0, 3.0])
    if x > 0.0:
        x = x + next(g)
    return x + next(g)
call(f, tensor(-1.0))
""", ["generator.*"]),
    Known("with in a branch", "result", """\
class Entered:
    def __init__(self, log):
        self.log = log
    def __enter__(self):
        self.log.append(1)
    def __exit__(self, kind, error, trace):
        self.log.append(2)
@stage
def f(x):
    log = []
    if x > 0.0:
        with Entered(log):
            x = x + 1.0
    return len(log)
call(f, tensor(-1.0))
""", ["with.*"]),
    Known("try around what fails at run time", "raised", """\
@stage
def f(x):
    try:
        y = 6 // x
    except OpError:
        y = x
    return y
call(f, tensor(0))
""", ["try.*"]),
    Known("size of an unknown shape is None", "result", """\
@stage(signature=[spec((None,), float32)])
def f(x):
    return 1.0 if x.shape[0] == 2 else 0.0
call(f, tensor([1.0, 2.0]))
""", ["expr.shape-compare*", "expr.shape-read*"]),
    Known("host random numbers are no effect", "result", """\
@stage
def f(x):
    return x + random.randint(0, 1000)
call(f, tensor(0))
call(f, tensor(0))
""", ["host-random.*"]),
    Known("iteration of an outer iterator is no effect", "result", """\
walk = itertools.count()
@stage
def f(x):
    for e in walk:
        return x + e
call(f, tensor(0))
call(f, tensor(0))
""", ["walk.*"]),
    Known("deque.insert is no effect", "state", """\
q = deque([1.0])
@stage
def f(x):
    q.insert(0, 2.0)
    return x
call(f, tensor(1.0))
call(f, tensor(1.0))
""", ["deque.insert@outer.*"]),
    Known("aliases within a result", "result", """\
@stage
def f(x):
    p = [x]
    return [p, p]
call(f, tensor(1.0))
""", ["return-alias"]),
    Known("list changed behind an early return", "result", """\
@stage
def f(x):
    l = [x]
    if x > 0.0:
        return l
    l.append(x)
    return l
call(f, tensor(1.0))
""", within(("behind",), *LIST_CHANGES)),
    Known("refusal without a line", "refusal-line", """\
@stage
def f(x, l):
    l.append(x)
    return x
call(f, tensor(1.0), [1.0])
""", lenient=["refusal-line"]),
    Known("refused call that leaves a change", "refused-change", """\
l = [1.0]
@stage
def f(x, n):
    l.append(n)
    if n == 1:
        y = x
    elif x > 0.0:
        y = x
    return y
call(f, tensor(1.0), 1)
call(f, tensor(1.0), 2)
""", lenient=["refused-change"]),
    Known("host error of a side that is not taken", "aside", """\
@stage
def f(x):
    if x > 0.0:
        x = x + {}['k']
    return x
call(f, tensor(-1.0))
""", lenient=["aside"]),
    Known("text of an error in a trace", "text", """\
v = Variable(1.0)
@stage
def f(x):
    v.assign(x)
    return x
call(f, tensor([1.0]))
""", lenient=["text"]),
]

OFF = [pattern for row in KNOWN for pattern in row.off]
LENIENT = [kind for row in KNOWN for kind in row.lenient]
