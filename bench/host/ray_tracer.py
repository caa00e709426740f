# Small objects with operators and floats.
import math
class Vec:
    def __init__(self, x, y, z):
        self.x = x
        self.y = y
        self.z = z
    def dot(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z
    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y, self.z + o.z)
    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y, self.z - o.z)
    def scale(self, k):
        return Vec(self.x * k, self.y * k, self.z * k)
    def norm(self):
        return self.scale(1.0 / math.sqrt(self.dot(self)))
class Sphere:
    def __init__(self, c, r):
        self.c = c
        self.r = r
    def hit(self, o, d):
        oc = self.c - o
        b = oc.dot(d)
        disc = b * b - oc.dot(oc) + self.r * self.r
        if disc < 0:
            return None
        t = b - math.sqrt(disc)
        return t if t > 0 else None
scene = [Sphere(Vec(0.0, 0.0, 5.0), 1.0), Sphere(Vec(1.5, 0.5, 4.0), 0.7),
         Sphere(Vec(-1.0, -0.5, 3.0), 0.4)]
light = Vec(1.0, 1.0, -1.0).norm()
total = 0.0
for y in range(360):
    for x in range(80):
        d = Vec((x - 40) / 40.0, (y - 180) / 240.0, 1.0).norm()
        best = None
        for s in scene:
            t = s.hit(Vec(0.0, 0.0, 0.0), d)
            if t is not None and (best is None or t < best[0]):
                best = (t, s)
        if best:
            p = d.scale(best[0])
            n = (p - best[1].c).norm()
            total += max(0.0, n.dot(light))
print(round(total, 6))
