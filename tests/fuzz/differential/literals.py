"""Literals of each kind: the plain ones and those at the edges."""

INTS = """0 1 -1 2 3 -3 5 7 10 -10 16 31 32 63 64 100 127 128 255 256 1000 -1000
65535 65536 2**30 2**31 -2**31 2**32 2**60 2**61 -2**61 2**61-1 -2**61-1 2**62
2**63 2**63-1 -2**63 2**64 2**64-1 10**15 10**16+1 10**20 -10**20 10**40+7
-(10**30) 3**50 0x1F 0o17 0b101 1_000 2**53 2**53+1 2**1023 2**1024 10**400
""".split()
FLOATS = """0.0 -0.0 1.0 -1.0 0.5 -0.5 1.5 2.5 -2.5 3.5 0.1 0.2 1e-5 1e-4 1e15 1e16
1e17 -1e16 1e22 1e23 1e100 -1e100 1e300 1e308 5e-324 2.2250738585072014e-308
1.7976931348623157e308 3.14159 2.675 1.005 123456.789 1/3 2/3 float('inf')
float('-inf') float('nan') 1e-10 9007199254740993.0 4.35 0.000123456 99.995
""".split()
WORDS = ["", "a", "b", "abc", "ABC", "Hello World", "hello", "x y  z", " pad ",
         "\t\n", "a,b,,c", "1", "12", "-3", "3.5", "1e5", "0x1f", "nan", "ab" * 3,
         "line1\nline2\r\nline3", "{}", "{0}", "%d", "%s", "ß", "é", "Ünïcödé",
         "日本語", "🙂x", "ǅ", "ŉ", "ﬁ", "İ", "Σίσυφος", "ΑΣ", "٣", "²", "Ⅷ", "一",
         "\u2028", "\x1c", "\x85", "\x00", "a\x00b", "'", '"', "'\"", "\\",
         "e\u0301", "\u200d", "\xa0", "True", "None", "_x", "9a", "title Case",
         "they're bill's", "aXbXc", "aaaa", "zZ", "-", "+1", " 7 ", "1_000",
         "\U0001d7d8", "\ufeff", "ſ", "K", "\u0345", "µ", "ᾳ", "ǰ"]
BYTES = [b"", b"a", b"abc", b"ABC", b"a b c", b"\x00", b"\xff\xfe", b" x ",
         b"12", b"hello world", b"a,b,c", b"\n\r\n", b"\xc3\xa9", b"'", b"aXbX",
         b"Title Case", b"%d", b"aaaa", b"\t\x0b", b"\xed\xa0\x80", b"0"]


def pick(values):
    """A literal function that draws from a list of texts."""
    return lambda g: g.rng.choice(values)


def draw_int(g):
    dice = g.rng.random()
    if dice < 0.5:
        return str(g.rng.randint(-9, 20)) if dice < 0.45 else "True"
    if dice < 0.9:
        return g.rng.choice(INTS)
    return str(g.rng.randint(-10 ** g.rng.randint(1, 45),
                             10 ** g.rng.randint(1, 45)))


def draw_float(g):
    dice = g.rng.random()
    if dice < 0.6:
        return g.rng.choice(FLOATS)
    if dice < 0.8:
        return repr(g.rng.uniform(-100, 100))
    if dice < 0.9:
        return repr(round(g.rng.uniform(-1000, 1000), g.rng.randint(0, 4)))
    return repr(g.rng.uniform(-1, 1) * 10.0 ** g.rng.randint(-320, 308))


def draw_str(g):
    if g.rng.random() < 0.8:
        return repr(g.rng.choice(WORDS))
    return repr("".join(g.rng.choice(WORDS)[:3]
                        for _ in range(g.rng.randint(0, 5))))


def draw_bytes(g):
    return repr(g.rng.choice(BYTES))


def draw_items(g, kinds):
    """0 to 4 literals with commas between."""
    kind = g.rng.choice(kinds)
    kinds = kinds if g.rng.random() < 0.25 else [kind]
    return ", ".join(g.literal(g.rng.choice(kinds))
                     for _ in range(g.rng.choice([0, 1, 2, 2, 3, 3, 4, 5])))


PLAIN = ["small", "int", "str", "float", "bool", "none", "small"]
NESTED = PLAIN + ["list", "tuple", "bytes"]
# Kinds of values whose hash is the same in every run: of these sets are made.
FIXED = ["small", "int", "bool", "real", "pair"]
KEYS = ["small", "int", "str", "bool", "none", "tuple"]


def draw_list(g):
    return f"[{draw_items(g, NESTED if g.rng.random() < 0.2 else PLAIN)}]"


def draw_numbers(g):
    """A list of ints, or of ints and floats."""
    kinds = g.rng.choice([["small"], ["int"], ["small", "float"]])
    return f"[{draw_items(g, kinds)}]"


def draw_words(g):
    return f"[{draw_items(g, ['str'])}]"


def draw_tuple(g):
    items = draw_items(g, PLAIN)
    return f"({items},)" if items else "()"


def draw_set(g):
    items = draw_items(g, FIXED[:2] if g.rng.random() < 0.6 else FIXED)
    return f"{{{items}}}" if items else "set()"


def draw_fset(g):
    return f"frozenset({draw_set(g)})" if g.rng.random() < 0.9 \
        else "frozenset()"


def draw_dict(g):
    keys = draw_items(g, KEYS)
    pairs = [f"{key}: {g.literal(g.rng.choice(NESTED))}"
             for key in split_items(keys)]
    return "{" + ", ".join(pairs) + "}"


def split_items(text):
    """The items of a text of literals: commas within brackets do not part."""
    items, depth, start, quote, at = [], 0, 0, None, 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = None
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            items.append(text[start:at].strip())
            start = at + 1
        at += 1
    if text[start:].strip():
        items.append(text[start:].strip())
    return items


def draw_slice(g):
    parts = [g.rng.choice(["None", "", g.literal("small")]) or "None"
             for _ in range(3)]
    return f"slice({', '.join(parts)})"


def draw_range(g):
    small = [str(g.rng.randint(-8, 12)) for _ in range(3)]
    if small[2] == "0":
        small[2] = "-1"
    return f"range({', '.join(small[:g.rng.randint(1, 3)])})"


SPEC_TYPES = [""] * 4 + list("dfgeEGFsxXobcn%") + ["", "z", "q"]


def draw_spec(g):
    """A format spec: mostly right, whatever it is applied to."""
    rng = g.rng
    parts = [rng.choice(["", "", "", "<", ">", "^", "=", "*<", "0>", "é^", "x="]),
             rng.choice(["", "", "", "+", "-", " ", "z"]),
             rng.choice(["", "", "", "#"]), rng.choice(["", "", "", "0"]),
             rng.choice(["", "", "5", "10", "1", "23"]),
             rng.choice(["", "", "", ",", "_"]),
             rng.choice(["", "", ".0", ".2", ".3", ".10", ".1", ".20"]),
             rng.choice(SPEC_TYPES)]
    return "".join(parts)


def draw_percent(g):
    """A % conversion."""
    rng = g.rng
    return "%" + "".join([
        rng.choice(["", "", "", "-", "+", " ", "0", "#", "-+", "0+", "#0"]),
        rng.choice(["", "", "5", "12", "3"]),
        rng.choice(["", "", ".0", ".2", ".5", ".12"]),
        rng.choice("dsrafgexXoicuGEF%sdr")])


def draw_braces(g):
    """A template for str.format."""
    rng = g.rng
    fields = rng.choice([["{}", "{!r}", "{:>8}"], ["{0}", "{1}", "{0!s:<6}"],
                         ["{k}", "{0}", "{k!a}"], ["{0[0]}", "{1.real}", "{}"],
                         ["{{}}", "{:{}}", "}}"], ["{", "}", "{!x}", "{0:}"]])
    count = rng.randint(1, 3)
    return repr("-".join(rng.choice(fields) for _ in range(count)))


LITERALS = {
    "int": draw_int, "float": draw_float, "str": draw_str, "bytes": draw_bytes,
    "small": pick("0 1 2 3 4 5 6 7 8 9 10 12 -1 -2 -3".split()),
    "count": pick("0 1 2 3 4 -1".split()),
    "real": lambda g: repr(round(g.rng.uniform(-99, 99), g.rng.randint(0, 3))),
    "pair": lambda g: f"({g.literal('small')}, {g.literal('int')})",
    "loose": lambda g: f"{{{draw_items(g, KEYS)}, 1}}".replace("{, ", "{"),
    "bool": pick(["True", "False"]), "none": pick(["None"]),
    "list": draw_list, "tuple": draw_tuple, "pset": draw_set, "fset": draw_fset,
    "dict": draw_dict, "slice": draw_slice, "range": draw_range,
    "numbers": draw_numbers, "words": draw_words,
    "spec": lambda g: repr(draw_spec(g)),
    "percent": lambda g: repr("".join(draw_percent(g) for _ in range(
        g.rng.choice([1, 1, 1, 2])))),
    "percentbytes": lambda g: repr(draw_percent(g).encode()),
    "braces": draw_braces,
    "encoding": pick(["'utf-8'", "'ascii'", "'latin-1'", "'utf-16'", "'utf-8'",
                      "'utf-16-le'", "'utf-32'", "'utf-32-be'", "'utf-8-sig'",
                      "'UTF8'", "'utf-16-le'", "'nope'", "'iso-8859-1'",
                      "'utf-16-be'"]),
    "errors": pick(["'strict'", "'ignore'", "'replace'", "'surrogateescape'",
                    "'backslashreplace'", "'xmlcharrefreplace'",
                    "'surrogatepass'", "'nope'"]),
    "iter": lambda g: f"iter({g.literal(g.rng.choice(['list', 'range', 'str', 'tuple', 'dict']))})",
    "unary": pick(["str", "repr", "len", "bool", "type", "abs", "list",
                   "lambda q: hash(fixed(q))",
                   "tuple", "lambda q: q", "lambda q: (q, q)", "int", "ord",
                   "lambda q: -q", "lambda q: q[0]", "lambda q: str(q)[::-1]",
                   "lambda *q: q", "str.upper", "float", "callable",
                   "sorted", "None"]),
    "binary": pick(["lambda a, b: a + b", "lambda a, b: (a, b)", "max", "min",
                    "lambda a, b: b", "divmod", "isinstance",
                    "lambda a, b: pow(modest(a), whole(modest(b)))",
                    "lambda a, b=0: a", "operator.mul", "operator.lt"]),
    "type": pick("int float str bytes list tuple dict set frozenset bool range "
                 "object slice type".split()),
    # Attributes that are data: methods show their address.
    "data": pick(["'real'", "'imag'", "'nope'", "'__class__'", "'numerator'",
                  "'start'", "'__name__'", "'stop'"]),
    "attr": pick(["'real'", "'imag'", "'nope'", "'__class__'", "'numerator'",
                  "'start'", "'__len__'", "'__dict__'",
                  "'__name__'", "'upper'", "'append'"]),
}
