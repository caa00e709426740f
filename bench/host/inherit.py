# getattr with a default, hasattr, isinstance, abstract bases, visitor dispatch.
class Shape:
    name = "shape"
    def area(self): raise NotImplementedError
    def describe(self): return f"{self.name} {self.area():.1f}"
class Sq(Shape):
    name = "sq"
    def __init__(self, s): self.s = s
    def area(self): return self.s * self.s
class Rect(Sq):
    def __init__(self, s, t): super().__init__(s); self.t = t
    def area(self): return self.s * self.t
class Visitor:
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__, self.generic)(node)
    def generic(self, node): return 0
    def visit_Sq(self, node): return node.area()
v = Visitor(); shapes = [Sq(2), Rect(2, 3), Sq(4), Shape()]; total = 0
for i in range(30000):
    s = shapes[i & 3]
    total += v.visit(s) + (1 if hasattr(s, "t") else 0) + getattr(s, "zz", 2)
    if isinstance(s, (Rect, int)): total += len(s.describe())
    try: s.missing()
    except AttributeError: total += 1
    if type(s) is Sq and callable(s.area): total += s.area()
print(total)
