# Sets and dicts of pairs.
def step(cells):
    counts = {}
    for (x, y) in cells:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    k = (x + dx, y + dy)
                    counts[k] = counts.get(k, 0) + 1
    return {k for k, n in counts.items() if n == 3 or (n == 2 and k in cells)}
cells = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2), (10, 10), (11, 10), (12, 10),
         (20, 5), (21, 5), (20, 6), (22, 6), (21, 7)}
for _ in range(2500): cells = step(cells)
print(len(cells), sorted(cells)[:3])
