"""Kinds of data for pprint, shown by widths, indents and depths."""
import collections
import dataclasses
import pprint
import re
import types


@dataclasses.dataclass
class Point:
    name: str
    where: list = dataclasses.field(default_factory=list)
    hidden: int = dataclasses.field(default=3, repr=False)


@dataclasses.dataclass
class Spoken:
    name: str

    def __repr__(self):
        return "Spoken, and never broken, however long the line becomes for it"


class Names(list):
    pass


class Loud(list):
    def __repr__(self):
        return "Loud of " + list.__repr__(self)


class Space(types.SimpleNamespace):
    pass


WORDS = "the quick brown fox jumped over the lazy dog".split()
NUMBERS = {word: i for i, word in enumerate(WORDS)}
TEXT = " ".join(WORDS)
loop = [1, [2]]
loop[1].append(loop)
ring = {"me": None}
ring["me"] = ring

DATA = {
    "list": WORDS, "tuple": tuple(WORDS), "one": (TEXT,), "dict": NUMBERS,
    "nested": {"a": {"b": {"c": WORDS}}, "d": [WORDS[:3], NUMBERS]},
    "set": set(range(30)), "frozen": frozenset(range(30)), "words": {tuple(WORDS)}, "empty": [[], (), {}, set()],
    "text": TEXT, "texts": [TEXT, TEXT + "\n" + TEXT], "lines": TEXT + "\nshort\n  two  blanks " + TEXT,
    "keyed": {"key": TEXT}, "bytes": bytes(range(40)), "bytes in": [b"abcdefghijklmnopqrstuvwxyz" * 2, b"x"],
    "mixed keys": {1: "a", "b": 2, (3,): None, None: 4.5}, "long word": "x" * 50, "numbers": list(range(30)),
    "ordered": collections.OrderedDict(NUMBERS), "default": collections.defaultdict(list, NUMBERS),
    "counter": collections.Counter(TEXT.replace(" ", "")), "chain": collections.ChainMap(NUMBERS, {"b": TEXT}),
    "deque": collections.deque(WORDS), "short deque": collections.deque(WORDS, 5),
    "no items": [collections.OrderedDict(), collections.defaultdict(int), collections.Counter(),
                 collections.deque([], 7), collections.ChainMap()],
    "proxy": types.MappingProxyType(NUMBERS), "namespace": types.SimpleNamespace(**NUMBERS), "space": Space(**NUMBERS),
    "point": Point(TEXT, WORDS), "points": [Point(word, [Point(word)]) for word in WORDS[:4]], "spoken": [Spoken("x"), Spoken("y")],
    "names": Names(WORDS), "loud": Loud(WORDS), "user dict": collections.UserDict(NUMBERS),
    "user list": collections.UserList(WORDS), "user text": collections.UserString(TEXT),
    "big": [10 ** 9, 123456, True, -5000],
}


def show(name, value, **settings):
    text = re.sub(r"id=\d+", "id=N", pprint.pformat(value, **settings))
    print(f"--- {name} {settings}")
    print(text)


def rows(*names):
    for name in names:
        value = DATA[name]
        show(name, value)
        show(name, value, width=20)
        show(name, value, width=31, indent=4)
        show(name, value, width=40, compact=True, sort_dicts=False)
        show(name, value, depth=1)
        show(name, value, depth=2, width=1)
        show(name, value, underscore_numbers=True, width=50)
        print(pprint.isreadable(value), pprint.isrecursive(value), re.sub(r"id=\d+", "id=N", pprint.saferepr(value)))
