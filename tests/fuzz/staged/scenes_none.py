"""Scenes of names that are None on some ways and a value on others, as in
scenes.py: asked for, used all the same, carried by loops, handed on."""

NONE = [
    ("none-turns", """\
y = z = tensor(3.0)
@stage
def g§(xs, k):
    total = k * 0.0
    best<< =| = k if k > 1.5 else| = z =>> None
    <<pass|z = k|z = None>>
    for <<x in xs|i, x in enumerate(xs)|x, w in zip(xs, xs * 2.0)>>:
        <<pass|if best is not None:\n            total = total + best|\
if x > 6.0:\n            best = None|low = best is None>>
        if <<best is None or x > best|best is None|x > k|not (best is not None \
and x <= best)|best is not None and x < best|x > k and best is None>>:
            best = <<x|x * k|(x if x > 1.0 else None)|None|1.0|2|total|x>>
            <<pass|break|continue|z = best|return best|total = total + best>>
        <<pass|elif x < 0.0:\n            best = None|else:\n            z = x|\
if best is None:\n            continue|else:\n            best = x>>
        <<pass|total = total + (k if best is None else best)|\
if best is not None and best > total:\n            total = total + x|\
total = total + best|total = total - x|if z is None:\n            z = x|\
print('turn')|if x > 3.0:\n            assert best is not None, 'gone'>>
    <<pass|if best is None:\n        return k|if best is None:\n        \
raise ValueError('none')|assert best is not None|else:\n        best = k|\
best = k if best is None else best>>
    return <<best|best * 2.0|total, best|best is None, total|(total, [best])|\
z|(k if best is None else best + total)|total>>
call(g§, tensor([1.0, 3.0, -1.0, 2.5]), tensor(2.0))
call(g§, tensor([1.0, 0.5]), tensor(1.0))
call(g§, tensor([-1.0, 4.0, 7.0, 4.0]), tensor(<<0.0|5.0>>))
call(g§, zeros(0), tensor(1.0))
"""),
    ("none-sides", """\
@stage
def g§(x, c, d):
    y = <<None|None if c else x|x|x if c else None>>
    z = None
    if <<c|x > 1.0|c and d>>:
        y = <<x|x * 2.0|(x, 1)|None|3|2.5|[x, x]|{'a': x}|'text'|x > 0.0|z>>
        <<pass|z = x|z = y>>
        <<pass|if d:\n            y = None|assert y is not None|\
if y is None:\n            z = x + 1.0>>
    <<pass|elif d:\n        y = <<None|x|x - 1.0|z>>|else:\n        z = y>>
    <<pass|w = y|y, z = z, y|if d:\n        z = y|if y is None:\n        \
y = x|if d and y is not None:\n        z = y>>
    <<pass|if y is not None:\n        return y|if z is None:\n        \
raise ValueError('z')|if d:\n        assert y is not None|if y is not None and \
z is not None:\n        return y, z|while y is None:\n        y = x>>
    return <<y|y, z|y * 2.0|x + y|y is None, z is not None|y is z|x < y|-y|y[0]|\
(z if y is None else y)|[y, z]|y == None|{'y': y}|str(y)|type(y)|\
isinstance(y, type(None))|bool(y)|not y|y or x|y is not None and y > 0.0|x ** y>>
for p in (tensor(1.0), tensor(3.0)):
    for c, d in ((True, True), (True, False), (False, True), (False, False)):
        call(g§, p, tensor(c), tensor(d))
"""),
    ("none-helpers", """\
def find§(xs, k):
    <<for x in xs:\n        if x > k:\n            return x|best = None\n    \
for x in xs:\n        if x > k:\n            best = x\n            break\n    \
return best|if sum(xs) > k:\n        return xs[0] + k\n    return None|\
return k if k > 1.0 else None|if k > 1.0:\n        return None\n    \
return xs * k|last = None\n    for x in xs:\n        last = x\n    return last>>
def plus§(x, y=None):
    <<return x if y is None else x + y|if y is not None:\n        x = x + y\n    \
return x|y = x if y is None else y\n    return x * y|return y>>
<<|@stage\n>>def inner§(x, y):
    return x if y is None else x + y
class Box:
    pass
box = Box()
box.y = None
@stage
def g§(xs, k):
    r = find§(xs, k)
    <<pass|r = plus§(k, r)|r = find§(xs, k + 1.0) if r is None else r|\
xs = xs * inner§(k, r)|box.y = r|own = Box()\n    own.y = r\n    r = own.y|\
pair = [r, k]\n    r = pair[0]|f = lambda: r\n    r = f()|\
d = {}\n    d['r'] = r\n    r = d.get('r')|if k > 1.0:\n        box.y = r>>
    <<pass|if r is None:\n        return k * 0.5|assert r is not None|\
for x in xs:\n        r = plus§(x, r)|for x in xs:\n        if r is not None:\n\
            r = r + x|if r is not None:\n        k = k + r>>
    return <<r|r + 1.0|plus§(k, r)|k, r|find§(xs, k) is None|r is None, k>>
call(g§, tensor([1.0, 3.0, 2.0]), tensor(2.0))
call(g§, tensor([0.5, 0.25]), tensor(1.0))
call(g§, tensor([4.0, -1.0, 0.5, 7.0]), tensor(<<0.0|9.0>>))
call(g§, tensor([4.0, 5.0]), tensor(1.5))
"""),
    ("none-guarded", """\
@stage
def g§(xs, k):
    total, kept = k, None
    for x in xs:
        low = None
        for i in range(<<2|tensor(2)|cast(k, int32)>>):
            try:
                if <<low is None or x + i < low|x > k + i>>:
                    low = x + i
                    <<pass|break|continue>>
                <<pass|total = total + low|if low is None:\n                    \
raise KeyError('low')>>
            <<finally|except KeyError|except TypeError>>:
                <<total = total + 1.0|pass|kept = low|low = None>>
        with <<Tape()|contextlib.nullcontext()|contextlib.suppress(KeyError)>>:
            if <<low is not None|kept is None or x > kept|low is not None and \
(kept is None or low > kept)>>:
                kept = <<low|x|None>>
                <<pass|break|continue>>
            <<pass|total = total + (0.0 if kept is None else kept)|pass>>
    return <<kept|total, kept|kept + total|(low if kept is None else kept)|\
kept is None>>
call(g§, tensor([1.0, 3.0, 2.0]), tensor(2.0))
call(g§, tensor([0.5, 0.25]), tensor(1.0))
call(g§, tensor([4.0, -1.0, 0.5, 7.0]), tensor(<<0.0|3.0>>))
call(g§, zeros(0), tensor(1.0))
"""),
    ("none-graded", """\
v§ = Variable(2.0)
@stage
def g§(xs, k):
    total, best = k * v§, None
    for <<x in xs|i, x in enumerate(xs)>>:
        if <<best is None or x * v§ > best|x > k|total > 2.0 and best is None>>:
            best = x * <<v§|total|k|x>>
            <<pass|v§.assign_add(1.0)|break>>
        <<total = total + x|if best is not None:\n            \
total = total + best|total = total * (k if best is None else best)>>
    if best is <<None|not None>>:
        <<return total|best = total|pass|total = total * 2.0>>
    return <<total|total * (1.0 if best is None else best)|best>>
call(graded, g§, tensor([1.0, 3.0, 2.0]), tensor(1.5))
call(graded, g§, tensor([3.0, 0.5]), tensor(<<1.0|-1.0>>))
call(graded, g§, tensor([0.1, 0.2, 4.0]), tensor(2.0))
"""),
    ("none-sized", """\
@stage(signature=[spec((None, <<2|None>>), float32), spec((), float32)])
def g§(rows, k):
    total, y = k, None
    for row in rows:
        <<pass|if y is not None:\n            total = total + sum(y)>>
        if <<sum(row) > k|row[0] > 1.0|y is None or sum(row) > sum(y)>>:
            y = <<row|row * k|concat([row, row])|row[:1]|[row, k]|\
{'a': row}|(row, 1)|'text'|rows|tensor(['s'])|row > 0.0|(row, None)>>
            <<pass|break|z = len(rows)>>
        <<pass|elif total > 1.0:\n            y = row|y = row|y = None|\
total = total + sum(y)>>
        total = total + 1.0
    <<pass|if y is None:\n        return total>>
    return <<y|total, y|y, total|len(y)|total + sum(y)|y is None>>
call(g§, tensor([[1.0, 3.0], [2.0, 2.5]]), tensor(2.0))
call(g§, tensor([[0.5, 0.25]]), tensor(1.0))
call(g§, tensor([[4.0, -1.0], [0.5, 7.0], [0.0, 0.0]]), tensor(<<0.0|3.5>>))
call(g§, zeros((0, 2)), tensor(0.0))
"""),
    ("none-whiles", """\
@stage
def g§(x, k):
    n, prev, best = 0, None, None
    while <<x < 20.0|best is None or x < best + 9.0|n < k|\
prev is None or x - prev > 0.5 and n < 6|best is not None and n < 5>>:
        <<pass|if prev is not None:\n            x = x + prev * 0.5|\
if best is None or x > best:\n            best = x>>
        if <<x > 4.0|n > 1|prev is None>>:
            prev = <<x|n|x * 2.0|None|best>>
            <<pass|break|best = x|if n == 3:\n                break>>
        <<pass|prev = x|if n == 2:\n            best = prev|best = None>>
        x = x <<* 2.0|+ 3.0>>
        n += 1
        <<pass|if n > 7:\n            break>>
    <<pass|if prev is not None and best is not None:\n        x = prev * best|\
while n < k:\n        n += 1\n        if n > 2:\n            best = x|\
for i in range(k):\n        if best is None:\n            best = x + i>>
    return <<best|x, best|prev, n|best * 2.0, n|(best, prev)|x|best is prev>>
call(g§, tensor(1.0), tensor(4))
call(g§, tensor(5.0), tensor(<<2|1>>))
call(g§, tensor(30.0), tensor(0))
call(g§, tensor(3.5), tensor(3))
"""),
]
