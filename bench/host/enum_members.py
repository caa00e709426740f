# Members of an Enum as keys, compared, by value and by name.
from enum import Enum
class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
d = {Color.RED: 0, Color.GREEN: 0, Color.BLUE: 0}
cs = [Color.RED, Color.GREEN, Color.BLUE]
for i in range(60000):
    c = cs[i % 3]
    d[c] += 1
    if c is Color.RED and c.value == 1 and c.name == "RED": d[c] += 1
    if c == Color.GREEN: d[c] += 2
print(d[Color.RED], d[Color.GREEN], Color(3))
