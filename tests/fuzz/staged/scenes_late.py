"""Scenes of names that turns of a loop, or sides of an `if` in one, need not
set, as in scenes.py: read in the same turn, in a later one, behind the loop."""

LATE = [
    ("late-turns", """\
y = z = last = first = tensor(3.0)
@stage
def g§(xs, k):
    total = k * 0.0
    <<pass|y = k|z = k|y = 1|z = 2>>
    for x in xs:
        <<pass|if x > 1.0:\n            total = total + y|total = total + y|\
if total > 1.0:\n            total = total - y\n            z = total|pass>>
        if <<x > k|x > 2.0|total < 1.0|x != 1.0>>:
            y = <<x|x * k|1.0|2|total|x + y>>
            <<pass|break|continue|z = x|z = y|return y>>
        <<pass|elif x < 0.0:\n            y = k|else:\n            z = 1.0|\
if total > 3.0:\n            z = y|if x < 0.0:\n            del y>>
        total = total + <<x|1.0|x * 0.5>>
        <<pass|pass|total = total + y|y = total|if total > 4.0:\n            \
y = total|z = x|print('turn')>>
    <<pass|else:\n        y = k|else:\n        return total|pass>>
    return <<y|y * 2.0|total, y|y, z|z|(y if total > 2.0 else k)>>
call(g§, tensor([1.0, 3.0, -1.0, 2.5]), tensor(2.0))
call(g§, tensor([1.0, 0.5]), tensor(1.0))
call(g§, tensor([-1.0, 4.0, 4.0]), tensor(<<0.0|5.0>>))
call(g§, zeros(0), tensor(1.0))
"""),
    ("late-nested", """\
y = z = last = first = tensor(3.0)
@stage
def g§(n, m, k):
    total = k * 0
    for i in range(n):
        <<pass|if i > 0:\n            total = total + y|pass|\
if i > 1:\n            total = total + z>>
        for j in range(<<m|i|3>>):
            <<pass|if j > 0:\n                total = total + y|\
total = total + i>>
            if <<j > k|i + j > 2|total % 2 == 0>>:
                y = <<i|j|total|i + j>>
                <<pass|break|continue|z = y>>
            <<pass|y = j|z = i|if i > 0:\n                z = j>>
        <<pass|total = total + y|if total > 3:\n            total = y|z = i|\
else:\n            y = i|y = total>>
        <<pass|if i == k:\n            break|if y > 2:\n            z = total>>
    return <<total|y|total, y|z|y + z, total|i|j + total|total, i>>
call(g§, tensor(3), tensor(2), tensor(0))
call(g§, tensor(<<2|4>>), tensor(1), tensor(1))
call(g§, tensor(1), tensor(3), tensor(<<1|5>>))
call(g§, tensor(2), tensor(0), tensor(0))
call(g§, tensor(0), tensor(3), tensor(0))
"""),
    ("late-while", """\
y = z = last = first = tensor(3.0)
@stage
def g§(x, k):
    n = 0
    while <<x < 20.0|x < 20.0 and n < 6|n < k>>:
        <<pass|if n > 0:\n            x = x + last * 0.5|last = x>>
        if <<x > 4.0|n > 1|n % 2 == 0>>:
            last = <<x|n|x * 2.0|1.0>>
            <<pass|break|first = x|if n == 3:\n                break>>
        <<pass|last = x|if n == 2:\n            first = last>>
        x = x <<* 2.0|+ 3.0>>
        n += 1
    <<pass|if n > 2:\n        x = last|while n < k:\n        n += 1\n        \
if n > 2:\n            last = x|for i in range(k):\n        if i > 1:\n        \
    last = x|else:\n        last = x>>
    return <<last|x, last|last * 2, n|first|(last, first)|x>>
call(g§, tensor(1.0), tensor(4))
call(g§, tensor(5.0), tensor(<<2|1>>))
call(g§, tensor(30.0), tensor(0))
call(g§, tensor(3.5), tensor(3))
"""),
    ("late-guarded", """\
def helper§(xs, k):
    for x in xs:
        if x > k:
            best = x
            <<pass|break>>
    <<pass|else:\n        best = k>>
    return best
@stage
def g§(xs, k):
    total = k
    for x in xs:
        try:
            <<total = total + helper§(xs, x)|pass|part = x|total = total + x>>
            if x > k:
                part = <<x|total|helper§(xs, k)>>
        finally:
            <<total = total + 1.0|pass|if total > 2.0:\n                \
total = total + part>>
        with <<Tape()|contextlib.nullcontext()|contextlib.suppress(KeyError)>>:
            if <<x > 1.0|total > 3.0>>:
                seen = part<< * 2.0|>>
                <<pass|break|continue>>
            <<pass|total = total + seen|pass>>
    return total<<, part|, seen||, helper§(xs, total)>>
call(<<g§|graded, g§>>, tensor([1.0, 3.0, 2.0]), tensor(2.0))
call(g§, tensor([0.5, 0.25]), tensor(1.0))
call(g§, tensor([4.0, -1.0, 0.5, 7.0]), tensor(<<0.0|3.0>>))
"""),
    ("late-graded", """\
v§ = Variable(2.0)
@stage
def g§(xs, k):
    total = k * v§
    for <<x in xs|i, x in enumerate(xs)|x, w in zip(xs, xs * 2.0)>>:
        if <<x > k|total > 2.0|x > 1.0 and total < 9.0>>:
            y = x * <<v§|total|k|x>>
            <<pass|v§.assign_add(1.0)|break>>
        <<total = total + x|if x > 1.0:\n            total = total + y|\
total = total * y|y = total|if total > 1.0:\n            y = y * x>>
    <<pass|for x in xs:\n        if x < k:\n            y = x * total|\
if total > 3.0:\n        total = total * y>>
    return <<y|y * total|total|y + x>>
call(graded, g§, tensor([1.0, 3.0, 2.0]), tensor(1.5))
call(graded, g§, tensor([3.0, 0.5]), tensor(<<1.0|-1.0>>))
call(graded, g§, tensor([0.1, 0.2, 4.0]), tensor(2.0))
"""),
    ("late-sized", """\
@stage(signature=[spec((None, <<2|None>>), float32), spec((), float32)])
def g§(rows, k):
    total = k
    for row in rows:
        <<pass|if total > 2.0:\n            total = total + sum(y)>>
        if <<sum(row) > k|row[0] > 1.0>>:
            y = <<row|row * k|concat([row, row])|row[:1]|[row, k]|\
{'a': row}|(row, 1)|'text'|None|rows|tensor(['s'])|row > 0.0>>
            <<pass|break|z = len(rows)>>
        <<pass|elif total > 1.0:\n            y = row|y = row|\
total = total + sum(y)>>
        total = total + 1.0
    return <<y|total, y|y, z|len(y)|total + sum(y)>>
call(g§, tensor([[1.0, 3.0], [2.0, 2.5]]), tensor(2.0))
call(g§, tensor([[0.5, 0.25]]), tensor(1.0))
call(g§, tensor([[4.0, -1.0], [0.5, 7.0], [0.0, 0.0]]), tensor(<<0.0|3.5>>))
call(g§, zeros((0, 2)), tensor(0.0))
"""),
]
