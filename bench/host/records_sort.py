# Records as namedtuples and dataclasses: filtered, sorted, grouped.
from collections import namedtuple
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter

Row = namedtuple("Row", "name dept pay age")

@dataclass(order=True)
class Job:
    priority: int
    name: str = field(compare=False)
    tags: list = field(default_factory=list, compare=False)

@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)

depts = ["ops", "dev", "hr", "law"]
rows = [Row("n%03d" % (i * 7 % 500), depts[i % 4], 1000 + i * 37 % 900,
            20 + i % 40) for i in range(800)]
total = 0
for k in range(8):
    by_pay = sorted(rows, key=lambda r: (-r.pay, r.name))
    by_age = sorted(rows, key=attrgetter("age", "name"))
    groups = {}
    for r in rows:
        groups.setdefault(r.dept, []).append(r)
    for dept, members in groups.items():
        total += max(members, key=lambda r: r.pay).pay
        total += sum(m.age for m in members) // len(members)
    older = [r._replace(age=r.age + 1) for r in rows if r.age > 50]
    name, dept, pay, age = by_pay[0]
    total += pay + age + len(older) + by_age[0].age
jobs = [Job(i * 31 % 97, f"job{i}") for i in range(600)]
jobs.sort()
points = {Point(i % 30, i % 20) for i in range(3000)}
p = Point(0)
for i in range(1500):
    p = p.moved(i % 3, 1)
    if p in points:
        total += 1
print(total, jobs[0].name, len(points), p,
      replace(jobs[1], priority=5).priority)
