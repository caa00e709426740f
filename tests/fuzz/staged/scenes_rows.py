"""Scenes of gradients that are rows of a table, as in scenes.py: of what sides
and turns hand on, of callees and lists, of Variables, behind other uses."""

# How rows are taken, or the whole.
PICK = "<<take({0}, i)|take({0}, [0, 1])|gather_nd({0}, expand_dims(i, -1))|" \
    "{0}[i]|take({0}, i, axis=1)|{0}[0]|{0}|take({0} * 1.0, i)>>"
# What becomes of a table, and by what.
OTHER = "<<{0} * 2.0|{0}|stop_gradient({0})|w§|zeros_like({0})|" \
    "relu({0})|take({0}, [2, 1, 0])|tensor(TABLE)>>"
SLOPES = """\
def slopes§(f, t, i, c, how='none'):
    with Tape(<<|persistent=True>>) as tape:
        tape.watch([t, w§])
        y = f(t, i, c)
    return <<tape.gradient(y, t)|\
tape.gradient(y, [t, w§], unconnected_gradients=how)|\
tape.gradient(y, {'t': t, 'w': w§})>>
staged§, t§ = stage(slopes§), tensor(TABLE)
for c in (tensor(True), tensor(False), <<True|tensor(True)>>):
    for i in (tensor([0, 2]), <<tensor([1])|zeros(0, dtype=int32)>>):
        call(slopes§, g§, t§, i, c)
        call(slopes§, g§, w§, i, c)
        call(staged§, g§.host, t§, i, c)
        call(staged§, g§, <<w§|t§>>, i, c)
"""


def scene(text):
    """With what all of them have."""
    for name in ("t", "u", "s"):
        text = text.replace(f"PICK({name})", PICK.format(name))
        text = text.replace(f"OTHER({name})", OTHER.format(name))
    return ("w§ = Variable(TABLE)\n" + text + SLOPES).replace(
        "TABLE", "[[1.0, 2.0, 0.5], [3.0, -1.0, 2.0], [0.5, 4.0, 1.5]]")


ROWS = [
    ("rows-sides", scene("""\
def other§(t, i, c):
    if <<c|sum(t) > 9.0>>:
        return OTHER(t)
    <<pass|return t * 1.0>>
    return t
<<|@stage\n>>def pick§(t, i):
    return sum(PICK(t))
@stage
def g§(t, i, c):
    y = <<0.0|sum(t)|pick§(t, i)|sum(PICK(t))>>
    u = t
    <<pass|if c:\n        u = OTHER(t)|u = OTHER(t) if c else t|\
u = other§(t, i, c)|if c:\n        y = y + pick§(t, i)|\
if c:\n        u = OTHER(t)\n    else:\n        u = OTHER(t)>>
    <<pass|if not c:\n        y = y + sum(PICK(u))|\
if c:\n        y = y + sum(PICK(u))\n    else:\n        \
y = y + pick§(t, i)|y = y + sum(PICK(t))>>
    return y + <<pick§(u, i)|sum(PICK(u))>>
""")),
    ("rows-turns", scene("""\
@stage
def pick§(t, i):
    return sum(PICK(t))
@stage
def g§(t, i, c):
    y, u, n = 0.0, t, 0
    <<pass|y = sum(PICK(t))|y = sum(t)>>
    for k in <<i|range(3)|range(len(i))|[0, 1]|range(tensor(2))>>:
        <<pass|y = y + sum(PICK(u))|y = y + sum(u)|y = y + pick§(t, i)>>
        <<pass|if c:\n            u = OTHER(u)|u = u * 2.0|\
if k > 1:\n            break|u = OTHER(t)>>
        <<y = y + sum(PICK(u))|y = y + sum(take(t, stack([k, k])))|pass>>
        <<pass|if c:\n            return y|n = n + 1>>
    return y + <<0.0|sum(u)|sum(PICK(u))|pick§(u, i)>>
""")),
    ("rows-kept", scene("""\
class Box§:
    pass
@stage
def same§(t<<, c=None|, *more>>):
    return t
<<|@stage\n>>def pick§(t, i, c):
    u = same§(t)
    return sum(PICK(u))
@stage
def g§(t, i, c):
    b, s = Box§(), <<[]|[t]>>
    b.u = None
    <<s.append(t)|b.u = t|s = [t, t * 2.0]|pass>>
    <<pass|if c:\n        b.u = OTHER(t)|for k in i:\n        s.append(t)|\
if c:\n        s = [OTHER(t)]|for k in i:\n        b.u = t|\
while len(s) < 3:\n        s = s + [t]>>
    u = <<same§(t, c)|t if b.u is None else b.u|s[0] if s else t|\
s[-1] if c else t|reshape(t, t.shape)|(t, c)[0]|b.u>>
    y = <<0.0|sum(PICK(t))|sum(u)>>
    return y + <<sum(PICK(u))|pick§(u, i, c)|sum(stack(s)[0])>>
""")),
    ("rows-variables", scene("""\
v§ = Variable(TABLE)
@stage
def g§(t, i, c):
    y = sum(<<PICK(t)|take(v§, i)>>)
    <<pass|v§.assign(v§ * 1.0)|if c:\n        v§.assign_add(v§)|\
if c:\n        y = y + sum(take(v§, i))|w§.assign(w§ * 0.5)>>
    u = <<v§|t|v§ if c else t|t if c else w§|v§.value()|w§>>
    <<pass|if c:\n        y = y + sum(PICK(u))|\
for k in i:\n        y = y + sum(take(<<u|v§|t>>, stack([k, 0])))>>
    return y + <<0.0|sum(PICK(u))|sum(take(v§, i)) + sum(v§)|sum(take(w§, i))>>
""")),
]
