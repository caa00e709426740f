# Generators of generators, yield from, send, and C that reads them.
def numbers(n):
    for i in range(n): yield i
def evens(it):
    for x in it:
        if x % 2 == 0: yield x
def square(it):
    for x in it: yield x * x
def take(it, n):
    for i, x in enumerate(it):
        if i >= n: return
        yield x
def flat(t):
    for x in t:
        if isinstance(x, list): yield from flat(x)
        else: yield x
def coro():
    total = 0
    while True:
        x = yield total
        if x is None: return
        total += x
s = 0
for _ in range(20):
    s += sum(take(square(evens(numbers(40000))), 15000))
tree = [[i, [i + 1, [i + 2, [i + 3]]]] for i in range(3000)]
s += sum(flat(tree)) + sum(flat(tree))
c = coro()
next(c)
for i in range(60000): r = c.send(i)
print(s, r, sum(a * b for a, b in zip(numbers(40000), evens(numbers(80000)))))
