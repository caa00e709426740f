# What every program of the differential fuzzer may use. Runs under both
# interpreters, in front of a batch of programs (runner.py puts them below).
import bisect
import collections
import contextlib
import copy
import copyreg
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import gc
import heapq
import io
import itertools
import json
import math
import operator
import random
import re
import statistics
import string
import sys
import textwrap
import traceback
import typing

LIMIT = 400  # characters shown of a value


def without_addresses(text):
    """The text with `at 0x7f…` cut out: addresses differ by nature."""
    parts = text.split(" at 0x")
    for at in range(1, len(parts)):
        parts[at] = parts[at].lstrip("0123456789abcdefABCDEF")
    return " at".join(parts)


def canonical(value, depth=0):
    """repr, but sets are shown sorted: their order is nobody's promise."""
    kind = type(value)
    if kind is RecursionError:
        # Which of the calls found no room left is told by oops no more.
        return kind.__name__
    if depth > 4:
        return repr(value)
    if kind is set or kind is frozenset:
        # Without addresses, by which functions would stand in any order.
        items = sorted(without_addresses(canonical(item, depth + 1))
                       for item in value)
        return kind.__name__ + "{" + ", ".join(items) + "}"
    if kind is list or kind is tuple:
        items = [canonical(item, depth + 1) for item in value]
        return ("[" if kind is list else "(") + ", ".join(items) + (
            "]" if kind is list else ")")
    if kind is dict:
        return "{" + ", ".join(canonical(key, depth + 1) + ": " +
                               canonical(item, depth + 1)
                               for key, item in value.items()) + "}"
    return repr(value)


def show(*values):
    """Prints the values, shortened, without what differs by nature."""
    text = []
    for value in values:
        part = without_addresses(canonical(value))
        if len(part) > LIMIT:
            part = part[:LIMIT] + "..." + str(len(part))
        text.append(part.encode("ascii", "backslashreplace").decode())
    print(*text)


def oops(error):
    """Prints an exception: type, text, and what stood behind it."""
    chain = []
    while error is not None and len(chain) < 6:
        try:
            text = without_addresses(str(error))[:LIMIT]
        except Exception as second:
            text = "str: " + type(second).__name__
        text = text.encode("ascii", "backslashreplace").decode()
        if isinstance(error, RecursionError):
            # Which of the calls found no room left depends on how many of
            # CPython's own stand between them.
            text = ""
        if isinstance(error, TypeError) and re.search(
                r"\btakes |expected (at |exactly |\d)|missing (\d|required)|"
                r"keyword argument|given by name|must have at least|"
                r"needs an argument|multiple values for", text):
            # Calls that do not fit a function of C are worded by Duet.
            text = ""
        chain.append(type(error).__name__ + ": " + text)
        if error.__cause__ is not None:
            chain.append("cause")
            error = error.__cause__
        elif error.__suppress_context__:
            break
        else:
            error = error.__context__
    print("!", " | ".join(chain))


def trace(error):
    """Prints an exception with the lines of the program that it came through.
    The library's own frames are left out: its code is not CPython's."""
    oops(error)
    places, depth = [], 0
    while error is not None and depth < 4:
        places.append(" ".join(
            f"{name}:{line}"
            for frame, line in traceback.walk_tb(error.__traceback__)
            for name in [frame.f_code.co_name]
            if frame.f_code.co_filename == "program"))
        error, depth = error.__cause__ or (
            None if error.__suppress_context__ else error.__context__), \
            depth + 1
    print("   ", " | ".join(places)[:LIMIT])


# Values that the rules of the language leave open must not come up at all: the
# generator sends what could be one through these.

def fixed(value):
    """The value, if its hash follows from it alone. Hashes of texts depend on
    the run, those of None, types and nan on addresses: no set whose order can
    be seen may hold them."""
    kind = type(value)
    if kind is tuple or kind is frozenset:
        for item in value:
            fixed(item)
    elif kind not in (int, bool, float) or value != value:
        raise TypeError("no fixed hash: " + kind.__name__)
    return value


def firm(values):
    """A list of the values, each with a fixed hash."""
    return [fixed(value) for value in values]


def remade(kind, *values):
    """kind(*values), without sets of loose order and bytes of great size."""
    if kind is set or kind is frozenset:
        values = [firm(value) for value in values]
    elif kind is bytes:
        values = [modest(value) for value in values]
    elif kind is type(fixed):
        # No function is made of a code object (docs/language.md).
        return kind.__name__
    return kind(*values)


def modest(value):
    """The value, if it is no int too large for a length: where memory ends
    differs by nature."""
    return value if type(value) is not int or abs(value) < 1000 else 7


def whole(value):
    """The value, but never a float with a fraction: a negative number to such
    a power is complex, and there is no complex."""
    return 2 if isinstance(value, float) and value % 1 else value


def unmade(iterator):
    """Iterators are not copied."""
    raise TypeError(f"cannot pickle {type(iterator).__name__!r} object")


for kind in [type(iter(made)) for made in (
        [], (), "", "\u20ac", b"", range(1), range(2**64), {}, {}.values(),
        {}.items(), {0}, collections.deque(), collections.OrderedDict())] + [
        type(reversed(made)) for made in (
            [], {}, {}.values(), {}.items(), collections.deque())] + [
        type(iter(int, 0)), enumerate, filter, map, reversed, zip] + [
        kind for kind in vars(itertools).values() if isinstance(kind, type)]:
    copyreg.pickle(kind, unmade)


def seeded(seed):
    """Random.seed, but None is a seed as any: it would be the time's."""
    def steady(self, a=None, version=2):
        return seed(self, 7 if a is None else a, version)
    return steady


random.Random.seed = seeded(random.Random.seed)


class Guard(contextlib.ContextDecorator):
    """A context manager that tells what it sees and may swallow it."""

    def __init__(self, number, swallow):
        self.number = number
        self.swallow = swallow

    def __enter__(self):
        print("enter", self.number)
        return self.number

    def __exit__(self, kind, error, trace):
        print("exit", self.number, kind and kind.__name__)
        return self.swallow


NAMES = {name: value for name, value in list(globals().items())
         if name[:2] != "__" and name not in ("gc", "sys", "LIMIT")}
NAMES["__name__"] = "__main__"
gc.disable()
if hasattr(gc, "freeze"):
    gc.freeze()


def run(number, text):
    """One program, in names of its own."""
    print("===", number)
    sys.stdout.flush()
    space = dict(NAMES)
    try:
        exec(compile(text, "program", "exec"), space)
    except Exception as error:
        oops(error)
        error = None
    except BaseException as error:
        print("! base", type(error).__name__)
        error = None
    try:
        space.clear()
    except Exception as error:
        oops(error)
    if "__del__" in text or number % 50 == 0:
        gc.collect()
    sys.stdout.flush()


