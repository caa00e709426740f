"""Random calls of what str and bytes have in common."""
state = 7
def rnd(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
    return (state >> 33) % n
BA = [b"a", b"b", b"ab", b"A", b"B", b" ", b"\t", b"\n", b"\r", b"\x0b", b"\x0c", b"\x1c", b"\x1f", b"\xe4", b"\xff", b"\x00", b"z", b"1", b"0", b"-", b"+", b"aa", b"", b"  "]
SA = ["a", "b", "ab", "A", "B", " ", "\t", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "ä", "ß", "\u2003", "\u2028", "z", "1", "0", "-", "+", "aa", "", "  ", "é", "Σ", "ǅ", "½", "٣"]
def tx(alpha, n):
    r = alpha[0][:0]
    for _ in range(rnd(n)): r += alpha[rnd(len(alpha))]
    return r
SEARCHING = ("find", "rfind", "index", "rindex", "count", "startswith",
             "endswith")
CUTTING = ("replace", "strip", "lstrip", "rstrip", "removeprefix",
           "removesuffix", "split", "rsplit", "splitlines", "partition",
           "rpartition")
PADDING = "ljust", "rjust", "center", "zfill", "expandtabs"
CASES = "lower", "upper", "title", "capitalize", "swapcase"
KINDS = ("isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower",
         "istitle", "isascii")
NAMES = ["find", "rfind", "index", "rindex", "count", "replace", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "ljust", "rjust", "center", "zfill", "expandtabs", "split", "rsplit", "splitlines", "partition", "rpartition", "lower", "upper", "title", "capitalize", "swapcase", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "istitle", "startswith", "endswith", "isascii"]
def num():
    return (-1, 0, 1, 2, 3, 5, 10, -3, 100)[rnd(9)]
def call(kind):
    """The next random call: its name, text and arguments."""
    alpha = BA if kind == 0 else SA if kind == 1 else [c for c in SA if c.isascii()]
    s = tx(alpha, 14)
    name = NAMES[rnd(len(NAMES))]
    args = []
    def t():
        if rnd(30) == 0: return (None, 5, "x", b"x", 300)[rnd(5)]
        return tx(alpha, 3)
    if name in ("find", "rfind", "index", "rindex", "count", "startswith", "endswith"):
        args = [t()]
        if rnd(2): args.append(num() if rnd(5) else None)
        if len(args) == 2 and rnd(2): args.append(num())
    elif name == "replace":
        args = [t(), t()]
        if rnd(2): args.append(num())
    elif name in ("strip", "lstrip", "rstrip"):
        if rnd(2): args = [t()]
    elif name in ("removeprefix", "removesuffix", "partition", "rpartition"):
        args = [t()]
    elif name in ("ljust", "rjust", "center"):
        args = [num()]
        if rnd(2): args.append(t())
    elif name in ("zfill", "expandtabs"):
        args = [num()]
    elif name in ("split", "rsplit"):
        if rnd(2): args = [t()] if rnd(5) else [None]
        if len(args) and rnd(2): args.append(num())
    elif name == "splitlines":
        if rnd(2): args = [True]
    return name, s, args


def rows(*names):
    """Prints those of the calls whose method is named."""
    for _ in range(1500):
        name, s, args = call(rnd(3))
        if name not in names:
            continue
        try:
            r = getattr(s, name)(*args)
        except Exception as e:
            r = type(e).__name__ + ": " + str(e)
        told = isinstance(r, str) and r[:5] in ("TypeE", "Value")
        print(name, repr(s), args, r if told else repr(r))
