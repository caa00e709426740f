# Sets joined, cut, compared; a graph's parts by sets.
def primes(n):
    s = set(range(2, n))
    for i in range(2, int(n ** 0.5) + 1):
        if i in s: s -= set(range(i * i, n, i))
    return s
a = set(range(0, 30000, 2)); b = set(range(0, 30000, 3))
for _ in range(10):
    u = a | b; i = a & b; d = a - b; x = a ^ b
    ok = i <= a and a.issubset(u) and d.isdisjoint(b)
    seen = set()
    for v in range(20000):
        k = v * v % 5003
        if k in seen: continue
        seen.add(k)
    words = {w.lower() for w in ["Ab", "cd", "EF", "gh"] * 1000}
    f = frozenset(x); p = primes(5000)
print(len(u), len(i), len(d), len(x), ok, len(seen), len(words), len(f), len(p))
