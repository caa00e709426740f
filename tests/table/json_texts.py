"""Random values, their JSON, and that broken."""
import json
def gen(rnd, d):
    k = rnd.randrange(12 if d > 0 else 8)
    if k == 0: return None
    if k == 1: return rnd.random() < .5
    if k == 2: return rnd.choice([rnd.randrange(-100, 100), rnd.randrange(-2**62, 2**62), rnd.randrange(-2**70, 2**70), 10**rnd.randrange(40), 2**61, -2**61])
    if k == 3: return rnd.choice([rnd.random() * 100, rnd.uniform(-1e10, 1e10), 1e300 * rnd.random(), 1e-300 * rnd.random(), 5e-324, -0.0, 1e22, 1e16, 123456789012345680.0, 1.5, float("inf"), float("-inf"), 2.0 ** rnd.randrange(-1000, 1000)])
    if k < 8:
        return "".join(rnd.choice(["a", "b", "xyz", "\n", "\t", "\"", "\\", "/", "\x00", "\x1f", "\x7f", "\u00e9", "\u20ac", "\U0001f600", "\ud800", "\udc00", " ", "\u2028", "\x08", "\x0c", "\r", "0"]) for _ in range(rnd.randrange(8)))
    if k == 8 or k == 9:
        v = [gen(rnd, d - 1) for _ in range(rnd.randrange(5))]
        return tuple(v) if rnd.random() < .2 else v
    out = {}
    for _ in range(rnd.randrange(5)):
        key = gen(rnd, 0)
        if rnd.random() < .7: key = "k" + str(rnd.randrange(30))
        out[key] = gen(rnd, d - 1)
    return out
def show(f, *a, **k):
    try:
        return repr(f(*a, **k))
    except json.JSONDecodeError as e:
        return "JDE %r %d %d %d %r" % (e.msg, e.pos, e.lineno, e.colno, str(e))
    except Exception as e:
        return "%s %r" % (type(e).__name__, e.args)
class Rnd:
    def __init__(self, s): self.s = s
    def n(self):
        self.s = (self.s * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.s >> 33
    def randrange(self, a, b=None):
        if b is None: a, b = 0, a
        return a + (self.n() << 62 | self.n() << 31 | self.n()) % (b - a)
    def random(self): return self.n() / 2**31
    def uniform(self, a, b): return a + (b - a) * self.random()
    def choice(self, l): return l[self.n() % len(l)]
rnd = Rnd(7)
N = 120
alpha = list("{}[]:,\"\\ \n\t0123456789.eE+-aunltrfsINdity/xdD8C") + ["\u00e9", "\U0001f600", "\x01", "null", "true", "NaN", "-Infinity", "Infinity", "\\u", "\\ud83d", "\\ude00", "\"a\""]
opts = [{}, {}, {"indent": 2}, {"indent": "\t"}, {"indent": 0}, {"separators": (",", ":")}, {"sort_keys": True}, {"ensure_ascii": False}, {"allow_nan": False}, {"skipkeys": True}, {"indent": 1, "sort_keys": True, "ensure_ascii": False}, {"check_circular": False}, {"indent": 3, "separators": ("; ", "=")}]
hooks = [{}, {}, {"object_hook": lambda d: ("H", len(d), d)}, {"object_pairs_hook": lambda p: ("P", p)}, {"parse_float": lambda s: "F" + s}, {"parse_int": lambda s: "I" + s}, {"parse_constant": lambda s: "C" + s}, {"strict": False}, {"parse_int": float}, {"parse_float": str, "object_hook": None}]
def rows(wanted):
    """Prints what became of the whole texts, or of the broken ones."""
    def told(kind, *row):
        if kind == wanted:
            print(*row)

    for i in range(N):
        v = gen(rnd, 4)
        o = rnd.choice(opts)
        t = show(json.dumps, v, **o)
        told("whole", i, ascii(t))
        try:
            t = json.dumps(v, ensure_ascii=rnd.random() < .7, indent=rnd.choice([None, None, 1]))
        except Exception:
            continue
        h = rnd.choice(hooks)
        told("whole", i, ascii(show(json.loads, t, **h)))
        for _ in range(3):
            b = t
            for _ in range(rnd.randrange(1, 4)):
                at = rnd.randrange(len(b) + 1)
                c = rnd.randrange(4)
                if c == 0: b = b[:at] + b[at + 1:]
                elif c == 1: b = b[:at] + rnd.choice(alpha) + b[at:]
                elif c == 2: b = b[:at] + rnd.choice(alpha) + b[at + 1:]
                else: b = b[:at] if rnd.random() < .3 else b
            told("broken", i, ascii(b), ascii(show(json.loads, b, **h)), ascii(show(json.JSONDecoder().raw_decode, b, rnd.randrange(0, 2))))
        b = "".join(rnd.choice(alpha) for _ in range(rnd.randrange(12)))
        told("broken", i, ascii(b), ascii(show(json.loads, b, **h)))
