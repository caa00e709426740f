# Decorators, closures, *args and **kwargs, partial, callbacks.
from functools import wraps, partial
def counted(f):
    @wraps(f)
    def inner(*args, **kwargs):
        inner.calls += 1
        return f(*args, **kwargs)
    inner.calls = 0
    return inner
@counted
def add(a, b=1, *rest, scale=1): return (a + b + sum(rest)) * scale
def make(n):
    total = n
    def step(x):
        nonlocal total
        total += x
        return total
    return step
def apply_all(fs, x):
    for f in fs: x = f(x)
    return x
fs = [partial(add, 1), make(3), lambda x: x * 2 % 1000, add, make(1)]
r = 0
for i in range(25000):
    r = (r + apply_all(fs, i)) % 1000003
    r += add(i, scale=2) + add(i, 2, 3, 4)
print(r, add.calls)
