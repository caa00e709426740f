# Runs the programs of the staged fuzzer and records what they do; Duet's own
# part is prelude_duet.py. Stands in front of a batch of programs, which
# runner.py puts below.
#
# A program is a module: what it sets up, then statements, of which
# `call(f, ...)` runs one call and `show(value)` looks at a value. Everything
# is written to standard output: lines that begin with "@ " are records, a
# letter and a Python literal; all others are what the program printed.
import collections
import copy
import functools
import itertools
import random
import re
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass

DEPTH = 8  # of structures that are looked into
ID = re.compile(r"\b\d{6,}\b")  # in texts
READ = re.compile(r"in the graph: program:(\d+)")
MOST = 1000  # items of a list that are: a loop may double it again and again


def dtype_name(value):
    """float32, whatever it is called by the dtype itself."""
    return str(value.dtype).split("'")[-2 if "'" in str(value.dtype) else 0]


def number(value):
    """A literal for a number; those that have none are texts."""
    if type(value) is float and (value != value or value - value != 0):
        return repr(("float", repr(value)))
    return repr(value)


def elements(value):
    """Nested lists of numbers as text."""
    if type(value) is list:
        return "[" + ", ".join(elements(item) for item in value) + "]"
    return number(value)


def named(key, seen, depth):
    """A key of a dict, which may be an object's id, or TensorFlow's ref()."""
    return "'id'" if type(key) is int and key > 1 << 16 \
        or type(key).__name__ == "Reference" else canon(key, seen, depth + 1)


def canon(value, seen, depth=0):
    """A literal that says all that can be seen of a value: kinds, numbers,
    order, and which containers are the same one."""
    kind = type(value)
    if kind.__name__ == "undecided":  # of a trace, as a symbol is
        return "('symbol', '')"
    if value is None or kind in (bool, int, float, str):
        return number(value)
    name = kind.__name__
    if name in TENSORS:
        return f"('tensor', '{dtype_name(value)}', {elements(listed(value))})"
    if name in ARRAYS:
        return f"('array', '{dtype_name(value)}', {elements(listed(value))})"
    if depth > DEPTH:
        return f"('deep', '{name}')"
    if isinstance(value, tuple):
        return "('tuple', [" + ", ".join(
            canon(item, seen, depth + 1) for item in value) + "])"
    if id(value) in seen:
        return f"('same', {seen[id(value)][0]})"
    if name in VARIABLES:
        seen[id(value)] = len(seen), value
        value = value.value()
        return ("('variable', "
                f"'{dtype_name(value)}', {elements(listed(value))})")
    if kind in (list, collections.deque):
        seen[id(value)] = len(seen), value
        items = [canon(item, seen, depth + 1)
                 for item in itertools.islice(value, MOST)]
        if len(value) > MOST:
            items += [str(len(value)), canon(value[-1], seen, depth + 1)]
        return f"('{name}', [" + ", ".join(items) + "])"
    if kind in (set, frozenset):
        return f"('{name}', [" + ", ".join(
            sorted(canon(item, seen, depth + 1) for item in value)) + "])"
    if kind in (dict, collections.defaultdict, collections.OrderedDict,
                collections.Counter):
        seen[id(value)] = len(seen), value
        return "('dict', [" + ", ".join(
            f"({named(key, seen, depth)}, {canon(item, seen, depth + 1)})"
            for key, item in value.items()) + "])"
    if name in SYMBOLS:
        return "('symbol', '')"
    if name in ("function", "staged", "type", "module", "Function", "Bind",
                "Dataset", "Iterator", "Checkpoints"):
        return "('other', '')"
    if name == "IndexedSlices":
        return f"('object', '{name}', [" + ", ".join(
            f"('{key}', {canon(getattr(value, key), seen, depth + 1)})"
            for key in ("values", "indices", "dense_shape")) + "])"
    if hasattr(value, "__dict__"):
        seen[id(value)] = len(seen), value
        return f"('object', '{name}', [" + ", ".join(
            f"('{key}', {canon(item, seen, depth + 1)})"
            for key, item in vars(value).items()) + "])"
    return f"('other', '{name}')"


def floats(value, found=None):
    """The tensors and Variables of floats in a structure."""
    found = [] if found is None else found
    kind = type(value).__name__
    if kind in TENSORS + VARIABLES and "float" in dtype_name(value):
        found.append(value)
    elif isinstance(value, dict):
        for item in value.values():
            floats(item, found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            floats(item, found)
    return found


def places(error):
    """The lines of the program that the error came through, innermost last; of
    a graph that was read what a note says, None: nothing."""
    trail, lines = error.__traceback__, [0]
    while trail is not None:
        name = trail.tb_frame.f_code.co_filename
        if name == FILE[0]:
            lines.append(trail.tb_lineno)
        elif name.endswith("_graph_file.duet"):
            read = [found[1] for note in getattr(error, "__notes__", ())
                    if (found := READ.match(note))]
            lines.append(int(read[0]) if read else None)
            break
        trail = trail.tb_next
    return lines


def ancestry(error):
    """The names of the error's classes."""
    return [cls.__name__ for cls in type(error).__mro__]


class World:
    """One run of a program: `call` and `show` as it sees them."""

    def __init__(self):
        self.space, self.ran = {}, None

    def names(self):
        """What the program can name from here on."""
        self.space.update(NAMES, call=self.call, show=self.show,
                          graded=self.graded)
        self.known = set(self.space)
        return self.space

    def call(self, function, *args, **named):
        """Calls it; its result or its error, and everything after it."""
        before, self.ran = self.looked(), None
        try:
            result = function(*args, **named)
            print("@ result", canon(result, {}))
        except Exception as error:
            print("@ before", self.ran or before)
            self.failed(error)
        print("@ state", self.looked())

    def graded(self, function, *args, **named):
        """What it gives, and the gradients of that by all that flows in. Not
        by what a global holds: a call may make a tensor of its number."""
        own = [value for name, value in self.space.items()
               if name not in self.known]
        sources = floats([
            [value for value in [*args, *named.values()]
             if not any(value is other for other in own)],
            [value for value in own if type(value).__name__ in VARIABLES]])
        with Tape() as tape:
            for source in sources:
                tape.watch(source)
            result = function(*args, **named)
        self.ran = self.looked()  # a gradient that is refused comes behind it
        return result, tape.gradient(floats(result), sources,
                                     unconnected_gradients="zero")

    def failed(self, error):
        """Records an error."""
        notes = list(getattr(error, "__notes__", ()))
        text = ID.sub("id", str(error))[:600]
        lines = places(error)
        print("@ error", repr((type(error).__name__, text, lines[-1], notes,
                               ancestry(error), lines)))

    def show(self, value):
        """Records a value."""
        print("@ result", canon(value, {}))

    def looked(self):
        """All that the program's globals hold."""
        seen, parts = {}, []
        for name in list(self.space):
            if name in self.known or name[0] == "_":
                continue
            value = self.space[name]
            text = canon(value, seen)
            if "other" not in text or not callable(value):
                parts.append(f"'{name}': {text}")
        return "{" + ", ".join(parts) + "}"

    def run(self, text):
        """The whole program; what escapes it is the last record."""
        random.seed(7)
        try:
            execute(text, self.names())
        except Exception as error:
            self.failed(error)


# What a program may use without importing it.
NAMES = {"deque": collections.deque, "defaultdict": collections.defaultdict,
         "namedtuple": collections.namedtuple,
         "random": random, "time": time, "itertools": itertools,
         "functools": functools, "copy": copy, "dataclass": dataclass,
         "contextmanager": contextmanager}
FILE = ["program"]
