# Fixed-width report by f-strings, format() and %.
items = [("widget-%d" % i, (i * 37) % 101 + 0.25 * (i % 4), i % 7,
          i * 13 % 29) for i in range(400)]

def report(rows):
    lines = []
    total = 0.0
    for n, (name, price, group, count) in enumerate(rows, 1):
        amount = price * count
        total += amount
        lines.append(f"{n:>4}. {name:<14}|{group:^5}|{price:>9.2f}"
                     f" x {count:3d} = {amount:>12,.2f}")
        if n % 20 == 0:
            lines.append("{:-^40}".format(" page %d " % (n // 20)))
    lines.append("%-20s %10.2f %s" % ("total", total, str(len(rows)).zfill(5)))
    return "\n".join(lines)

size = 0
for k in range(25):
    size += len(report(items))
print(size)
