"""What may differ from CPython by design, each with its reason."""
import re

# (pattern of CPython's line, pattern of ours, reason)
RULES = [
    (r"(de|en)coding with '.*' codec failed", r"",
     "CPython wraps errors of codecs that it looks up by name"),
    (r"object layout differs", r"", "our layouts are fewer than CPython's"),
    (r"nonempty __slots__ not supported", r"", "slots cost nothing here"),
    (r"multiple bases have instance lay-out conflict", r"", "as above"),
    (r"[0-9.]+j\\b|complex", r"", "there is no complex"),
    (r"^! MemoryError|^! OverflowError", r"^! (MemoryError|OverflowError)",
     "where a size is too large is found at another place"),
    (r"'?collections\.(deque|OrderedDict|defaultdict)", r"",
     "classes of lib/ have plain names in messages"),
    (r"^! (TypeError|ValueError|OverflowError|ZeroDivisionError)",
     r"^! (TypeError|ValueError|OverflowError|ZeroDivisionError)"
     r".*timedelta", "lib/datetime checks in another order"),
]


def explained(ours, theirs):
    """Is the first difference one of the rules'?"""
    return any(re.search(other, theirs) and re.search(mine, ours)
               for other, mine, _ in RULES)
