# Decorators with *args/**kwargs, partial, keyword calls, closures.
import functools

def traced(fn):
    calls = []
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        calls.append((args, kwargs))
        if len(calls) > 10:
            calls.clear()
        return fn(*args, **kwargs)
    inner.calls = calls
    return inner

def memo(fn):
    cache = {}
    def inner(*args):
        if args not in cache:
            cache[args] = fn(*args)
        return cache[args]
    return inner

def repeat(times=2):
    def deco(fn):
        def inner(*args, **kw):
            for _ in range(times):
                r = fn(*args, **kw)
            return r
        return inner
    return deco

@traced
def area(width, height=2, *, scale=1):
    return width * height * scale

@memo
def grid(r, c):
    return 1 if r == 0 or c == 0 else grid(r - 1, c) + grid(r, c - 1)

@repeat(times=3)
def hello(name, greeting="hi"):
    return greeting + name

def compose(*fs):
    return functools.reduce(lambda f, g: lambda x: f(g(x)), fs)

class Pipeline:
    def __init__(self, **options):
        self.options = {"a": 1, **options}
    def run(self, x, *steps, **kw):
        for s in steps:
            x = s(x, **kw)
        return x

add = lambda x, k=1: x + k
mul = lambda x, k=2: x * k
total = 0
f = compose(lambda x: x + 1, lambda x: x * 2, abs)
inc = functools.partial(add, k=5)
p = Pipeline(b=2)
for i in range(3000):
    total += area(i, scale=2) + area(i, 3) + area(width=i, height=1)
    total += f(-i) + inc(i)
    total += p.run(i, add, mul, k=3)
    total += len(hello("bob", greeting="yo")) + max(i, 5, key=lambda v: -v)
print(total, grid(18, 18), p.options)
