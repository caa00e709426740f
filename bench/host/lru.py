# A cache that forgets: OrderedDict with move_to_end and popitem.
from collections import OrderedDict
class LRU:
    def __init__(self, n): self.n = n; self.d = OrderedDict(); self.hits = 0
    def get(self, k):
        if k not in self.d: return None
        self.d.move_to_end(k); self.hits += 1
        return self.d[k]
    def put(self, k, v):
        if k in self.d: self.d.move_to_end(k)
        self.d[k] = v
        if len(self.d) > self.n: self.d.popitem(last=False)
c = LRU(100)
for i in range(60000):
    k = i * i % 331
    if c.get(k) is None: c.put(k, i)
print(c.hits, len(c.d), next(iter(c.d)))
