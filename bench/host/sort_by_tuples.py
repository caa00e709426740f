# Sorting by keys that are tuples, made by lambdas.
seed = 7
rows = []
for i in range(20000):
    seed = (seed * 1103515245 + 12345) % 2147483648
    rows.append(("n%d" % (seed % 500), seed % 100, i))
for _ in range(3):
    a = sorted(rows, key=lambda r: (r[1], r[0], -r[2]))
    b = sorted(rows, key=lambda r: r[2], reverse=True)
    c = sorted(rows)
    rows2 = rows[:]
    rows2.sort(key=lambda r: (-r[1], r[0]))
print(a[0], b[0], c[0], rows2[-1])
