# Records grouped by a key into a dict of lists, then summed up.
words = ["apple", "pear", "plum", "fig", "cherry", "date", "kiwi", "lime",
         "melon", "peach"]
records = [(words[i % 10], i % 7, i * 1.5) for i in range(40000)]
def group(records):
    groups = {}
    for name, kind, value in records:
        if name not in groups:
            groups[name] = []
        groups[name].append((kind, value))
    return groups
def by_setdefault(records):
    groups = {}
    for name, kind, value in records:
        groups.setdefault((name, kind), []).append(value)
    return groups
for _ in range(5):
    g = group(records)
    h = by_setdefault(records)
totals = {k: sum(v for _, v in items) for k, items in sorted(g.items())}
best = max(h.items(), key=lambda item: (len(item[1]), item[0]))
print(totals["fig"], best[0], len(best[1]), len(h))
