# Exceptions as the usual way out.
class ParseError(Exception):
    def __init__(self, msg, pos):
        super().__init__(msg)
        self.pos = pos
def parse(s):
    try: return int(s)
    except ValueError: pass
    try: return float(s)
    except ValueError: pass
    if s.startswith("!"): raise ParseError("bad " + s, 0)
    return s
items = ["12", "3.5", "abc", "!x", "99", "1e3", "zz", "!yy"] * 10000
ok = bad = 0
for it in items:
    try:
        parse(it)
        ok += 1
    except ParseError as e:
        bad += e.pos + 1
    finally:
        ok += 0
d = {}
miss = 0
for i in range(30000):
    try: d[i % 7]
    except KeyError: miss += 1
    d[i % 7] = 0
    try: [1, 2][i % 4]
    except IndexError: miss += 1
print(ok, bad, miss)
