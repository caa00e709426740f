# A class hierarchy with properties, __eq__, __hash__, __lt__, __repr__.
import math
from functools import total_ordering

@total_ordering
class Shape:
    count = 0

    def __init__(self, name):
        self._name = name
        Shape.count += 1

    @property
    def name(self):
        return self._name

    @property
    def area(self):
        raise NotImplementedError

    def __eq__(self, other):
        if not isinstance(other, Shape):
            return NotImplemented
        return self.area == other.area and self.name == other.name

    def __lt__(self, other):
        return (self.area, self.name) < (other.area, other.name)

    def __hash__(self):
        return hash((self._name, self.area))

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, {self.area:.2f})"

class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r

    @property
    def area(self):
        return math.pi * self.r ** 2

class Rect(Shape):
    def __init__(self, w, h):
        super().__init__("rect")
        self.w, self.h = w, h

    @property
    def area(self):
        return self.w * self.h

class Square(Rect):
    def __init__(self, side):
        super().__init__(side, side)
        self._name = "square"

seen = {}
shapes = []
for i in range(1500):
    s = (Circle(i % 17), Rect(i % 13, i % 11), Square(i % 7))[i % 3]
    shapes.append(s)
    seen[s] = seen.get(s, 0) + 1
shapes.sort()
big = max(shapes, key=lambda s: s.area)
unique = set(shapes)
print(len(seen), len(unique), Shape.count, big, shapes[0] <= shapes[-1])
print(sum(len(repr(s)) for s in shapes))
