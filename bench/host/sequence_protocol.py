# Classes with __getitem__, __len__, __iter__ and __next__, walked by C and by
# loops.
class Grid:
    def __init__(self, w, h):
        self.w = w
        self.h = h
        self.cells = [0] * (w * h)
    def __getitem__(self, p): return self.cells[p[1] * self.w + p[0]]
    def __setitem__(self, p, v): self.cells[p[1] * self.w + p[0]] = v
    def __len__(self): return len(self.cells)
    def __contains__(self, v): return v in self.cells
    def __iter__(self): return iter(self.cells)
class Seq:
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i):
        if i >= self.n: raise IndexError(i)
        return i * 2
g = Grid(100, 100)
for k in range(4):
    for y in range(100):
        for x in range(100):
            g[x, y] = g[x, y] + x * y
s = Seq(30000)
print(sum(g), len(g), 7 in g, sum(s), len(list(s)), sum(1 for _ in reversed(s)))
class It:
    def __init__(self, n):
        self.i = 0
        self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.i >= self.n: raise StopIteration
        self.i += 1
        return self.i
t = 0
for v in It(50000): t += v
print(t, sum(It(50000)), len(list(It(30000))))
