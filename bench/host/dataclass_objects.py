# Dataclasses made, compared, sorted and hashed.
from dataclasses import dataclass, field
@dataclass
class P:
    x: int
    y: int
    tags: list = field(default_factory=list)
    def dist(self): return abs(self.x) + abs(self.y)
@dataclass(order=True, frozen=True)
class Q:
    a: int
    b: str
ps = [P(i % 13, -i % 7) for i in range(15000)]
t = sum(p.dist() for p in ps)
eq = sum(1 for i in range(0, 14998, 2) if ps[i] == ps[i + 1])
qs = sorted(Q(i * 37 % 101, str(i % 10)) for i in range(2000))
u = {q: 1 for q in qs}
print(t, eq, qs[0], len(u), repr(ps[3]))
