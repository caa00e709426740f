# What every program of the differential fuzzer may use. Runs under both
# interpreters, in front of a batch of programs (runner.py puts them below).
import bisect
import collections
import contextlib
import copy
import datetime
import functools
import gc
import heapq
import itertools
import json
import math
import operator
import random
import statistics
import string
import sys
import textwrap

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
    if depth > 4:
        return repr(value)
    if kind is set or kind is frozenset:
        items = sorted(canonical(item, depth + 1) for item in value)
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
        chain.append(type(error).__name__ + ": " + text)
        if error.__cause__ is not None:
            chain.append("cause")
            error = error.__cause__
        elif error.__suppress_context__:
            break
        else:
            error = error.__context__
    print("!", " | ".join(chain))


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
        exec(text, space)
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


