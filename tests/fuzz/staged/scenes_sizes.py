"""Scenes of loops that change the sizes of their state, as in scenes.py: what
is traced of it in a turn must be right in all others."""

PART = "<<sum({0})|mean({0})|len({0}) * 1.0|{0}.shape[0] * 0.5|walk§({0})|" \
    "count§({0})|kept§({0})|{0}[0] * {0}[-1]|sum({0}[1:] * {0}[:-1])|" \
    "var({0})|sum(cumsum({0}))|sum(reshape({0}, [-1, 1]) * {0})|" \
    "sum(einsum('i,j->ij', {0}, {0}))|sum(softmax({0}) * {0})|" \
    "sum(meshgrid({0}, {0}[1:])[0])|norm({0})|max({0})|" \
    "sum(v * v for v in {0})|" \
    "sum(concat([{0}, {0} * 2.0]) ** 2)|sum(stack([{0}, {0}])[0])|" \
    "sum(one_hot(tensor([0, 1]), len({0})))|callee§({0})|slope§({0})|" \
    "sum(sort({0})[:2])|sum({0}[::-1] * {0})|sum(zeros({0}.shape) + {0})>>"
GROWN = "<<concat([{0}, {0}])|concat([{0}, {0}[:1]])|" \
    "concat([{0}, {0} + 1.0])|{0}[1:]|{0}[:-1]|concat([{0}[:1], {0}])|" \
    "tile({0}, [2])|{0}>>"
SCENE = """\
def walk§(x):
    t = <<0.0|tensor(0.0)>>
    for v in x:
        <<pass|if t > 4.0:\n            break|\
if v > 2.0:\n            continue>>
        t = t <<+ v|* 0.5 + v>>
    return t
def count§(x):
    n = 0
    for v in x:
        <<n += 1|for u in x:\n            n += 1|\
for u, i in zip(x, range(9)):\n            n += i|\
for i, u in enumerate(x):\n            n += i>>
    return n * 1.0
def kept§(x):
    rows = []
    for v in x:
        rows.append(<<v|v * 2.0|(v, 1)[0]>>)
    return sum(stack(rows)) + len(rows)
def slope§(x):
    with Tape() as tape:
        tape.watch(x)
        y = <<walk§(x)|mean(x * x)|kept§(x)|sum(x * x) / len(x)|var(x)|\
sum(x[1:] * x[:-1])|sum(x[0] * x)|sum(reshape(x, [-1, 1]) * x)>>
    return sum(tape.gradient(y, x) * x)
@stage
def callee§(x):
    <<pass|if sum(x) > 5.0:\n        x = GROWN(x)|\
for v in x:\n        x = x + v>>
    return <<walk§(x)|sum(x) / len(x)|kept§(x)|slope§(x)|mean(x)>>
@stage
def g§(x, n):
    t, u = tensor(0.0), <<x|x * 2.0|zeros(2)|tensor([1.0, 2.0])>>
    <<for k in range(n):|k = tensor(0)\n    while k < n:\n        k += 1|\
for k in range(n):\n        if t > 90.0:\n            break|\
for k in tensor([1, 2, 3]):>>
        <<pass|t = t + PART(x)|t = t + PART(u)|\
for j in range(n):\n            t = t + PART(x)|\
if t > 2.0:\n            t = t + PART(x)>>
        <<x = GROWN(x)|if t > -9.0:\n            x = GROWN(x)|\
u = GROWN(u)|for j in range(n):\n            u = GROWN(u)|\
x, u = GROWN(x), x|if k == 1:\n            continue>>
        <<pass|t = t + PART(x)|t = t + PART(u)>>
    return t, sum(x), <<len(u)|sum(u)>>
call(<<graded, g§|g§>>, tensor([1.0, 2.0]), tensor(<<2|3>>))
call(g§, tensor([0.5, 1.5, 3.0]), tensor(<<0|1>>))
call(g§, tensor([1.0, 2.0]), tensor(<<1|2|4>>))
"""


def scene(text):
    """With what all of them have."""
    for name in ("x", "u"):
        text = text.replace(f"PART({name})", PART.format(name))
        text = text.replace(f"GROWN({name})", GROWN.format(name))
    return text


SIZES = [("sizes", scene(SCENE))]
