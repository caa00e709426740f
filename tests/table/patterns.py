"""1,200 random patterns on random texts.

A row is a pattern, or what is wrong with it, and a checksum over what seven
ways of searching find in three texts: a wrong one shows the pattern.
"""
import random
import re
import warnings

warnings.simplefilter("ignore")
R = random.Random(20261121)
LETTERS = {"t": "aabbcAB1_ \n-", "u": "aabbcA1_ \n-éſKkµΜ", "b": "aabbcAB1_ \n-é"}
groups = 0
mode = "t"


def atom(depth):
    """One thing that can be repeated; groups only while `depth` lasts."""
    global groups
    k = R.random()
    if k < .32:
        return R.choice("aabbcA1_")
    if k < .36 and mode == "u":
        return R.choice("éſKkÉ\u0130iI")
    if k < .40:
        return "."
    if k < .47:
        return R.choice([r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"])
    if k < .55:
        parts = ["a", "b", "c", "a-c", "A-Z", "0-9", r"\w", r"\d", r"\s", r"\W", "_", "-", r"\n"]
        if mode == "u":
            parts += ["é", "à-ÿ", "ſ"]
        return "[" + R.choice(["", "^"]) + "".join(R.choice(parts) for _ in range(R.randint(1, 3))) + "]"
    if k < .60:
        return R.choice(["^", "$", r"\b", r"\B", r"\A", r"\Z"])
    if depth <= 0:
        return R.choice("abc")
    if k < .74:
        groups += 1
        name = f"?P<n{groups}>" if R.random() < .2 else ""
        return "(" + name + ways(depth - 1) + ")"
    if k < .82:
        return "(?:" + ways(depth - 1) + ")"
    if k < .86:
        return R.choice(["(?=", "(?!"]) + ways(depth - 1) + ")"
    if k < .90:
        return R.choice(["(?<=", "(?<!"]) + R.choice([R.choice("abc") * 2, r"\w", "a|b", ways(depth - 1)]) + ")"
    if k < .93:
        return "(?>" + ways(depth - 1) + ")"
    if k < .96 and groups:
        return f"\\{R.randint(1, groups)}"
    if k < .98 and groups:
        return f"(?({R.randint(1, groups)}){sequence(depth - 1)}|{sequence(depth - 1)})"
    return f"(?{R.choice(['i', 's', 'm', '-i', 'x'])}:{ways(depth - 1)})"


def sequence(depth):
    """Atoms, some of them repeated; no possessive groups."""
    text = ""
    for _ in range(R.randint(0 if depth < 2 else 1, 3)):
        text += atom(depth)
        if R.random() < .35:
            text += R.choice(["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{,2}", "{2,}", "{0}"])
            text += R.choice(["", "", "", "?"] + (["+"] if text[-2:-1] != ")" and ")" not in text else []))
    return text


def ways(depth):
    """Sequences to choose from."""
    return "|".join(sequence(depth) for _ in range(R.choice([1, 1, 1, 2, 3])))


def found(match):
    """All that a match says."""
    return match and (match.regs, match.lastindex, match.lastgroup)


def checksum(compiled, text):
    """A number for what every way of searching finds."""
    dash = "-" if isinstance(text, str) else b"-"
    seen = [found(compiled.search(text)), found(compiled.match(text)), found(compiled.fullmatch(text)),
            compiled.findall(text), compiled.split(text, 2), compiled.subn(dash, text),
            [found(m) for m in compiled.finditer(text, 1)]]
    total = 0
    for byte in repr(seen).encode():
        total = (total * 31 + byte) % 1000003
    return total


def rows(wanted):
    """Prints those patterns whose kind of text and flags are wanted."""
    global groups, mode
    for number in range(1200):
        groups = 0
        mode = "ttub"[number % 4]
        pattern = ways(R.randint(1, 3))
        if R.random() < .15:
            pattern = R.choice(["(?i)", "(?s)", "(?m)", "(?im)", "(?x)", "(?a)"]) + pattern
        if R.random() < .1:
            at = R.randint(0, len(pattern))
            pattern = pattern[:at] + R.choice("()[]{}*+?\\|^$-<>=!:P#") + pattern[at:]
        flags = R.choice([0, 0, 0, re.I, re.M, re.S, re.I | re.M, re.A, re.X])
        texts = ["".join(R.choice(LETTERS[mode]) for _ in range(R.randint(0, 9))) for _ in range(3)]
        if mode == "b":
            pattern = pattern.encode("latin1", "ignore")
            texts = [text.encode("latin1") for text in texts]
        if not wanted(mode, flags):
            continue
        try:
            compiled = re.compile(pattern, flags)
            print(repr(pattern), int(flags), compiled.groups, [checksum(compiled, text) for text in texts])
        except re.error as error:
            print(repr(pattern), error)
