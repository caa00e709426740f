"""Judges what a program did staged against what it did eagerly.

Equal; or refused, by an error of tracing that names a line of the program; or
different in a way that a recorded event names. All else is unexplained, and has
a kind:

  result, state, print   a value, what the globals hold, what stage.print says
  skipped                an error that only the eager run had
  aside                  an error of the host's while tracing that the eager
                         run has not: mostly of a side that was not taken
  raised                 any other error that only the staged run had
  class, text, line      an error of both that differs in it
  refusal-line           a refusal that names no line of the program
  refused-change         a refused call that left the globals changed
  crash                  the process ended
"""
import math
import re

# The classes by which staging refuses.
REFUSALS = ("SymbolicError", "LeakError", "FrozenError", "SignatureError")
# How a refusal reads: it says what to do instead, or what the two sides are.
CURE = re.compile(r"; |\buse\b|\bpass\b|\bput\b|\breturn\b|\bassign\b|"
                  r"\binstead\b|\bwhere the condition\b|\bbefore the loop\b|"
                  r"\bafter a turn\b|\bappend\b|\btake a copy\b|"
                  r"\bcast converts\b")
# Two sides that do not merge, and names that turns need not set: refused
# whatever becomes of their value.
SIDES = re.compile(r"\bwhere the condition\b.*\bwhere it is false\b|"
                   r"\bbegin with one\b")
LINE = re.compile(r"\bline \d")
# The operation that an error's text begins with.
OPERATION = re.compile(r"^\w+: ")
# What a trace may not know, found out in a loop's turns or a gradient as well.
UNKNOWN = "is unknown in this trace; "
# A name in the text of a frozen read; what the line of an effect changes.
QUOTED = re.compile(r"'(\w+)'")
CHANGED = re.compile(r"[^=(]*")
# What a number cannot do.
NO_NUMBER = re.compile(r"'(bool|int|float)'.* (is not|has no) ")
# The truth of a tensor whose size a trace does not know is its only element.
NO_TRUTH = "bool: a tensor of"
NOT_ONE = re.compile(r"reshape: .* cannot become \(\)")
NO_TARGET = "gradient: a target is no tensor"
# A tensor of a trace in a text.
SYMBOL = re.compile(r"<[^<>]*: \w+\[[^\]]*\]>|a host float")
# What the ledger calls a change of each kind of container.
WORDS = {"list": ("list",), "dict": ("dict",), "set": ("set",),
         "deque": ("deque", "attribute"), "object": ("attribute",),
         "array": ("attribute",),
         "name": ("global", "dict")}
# Effects that are no change of a container, and what they can explain.
QUIET = ("print",)
# Codes of events that lead eager and staged code different ways: a handler
# that cannot act, an iterator or random number that is drawn once, a size that
# is None, whether two objects are one, the class of what is a number eagerly.
ASTRAY = ("D105", "D106", "D112", "identity", "class")
NEAR = 1e-5  # between numbers that the host and tensors computed
NEAR_HALVES = {"float16": 4e-3, "bfloat16": 3e-2}
# Numbers that cancelled were larger than what is left: by so much, or of halves
# by what is here.
LARGER = 0.2
LARGER_HALVES = {"float16": 2, "bfloat16": 2}
MOST_HALF = 65504  # the greatest float16
# A sum of ones in turn grows no further, one of partial sums does.
STALLS = {"float16": 2 ** 11, "bfloat16": 2 ** 8}


class Difference(Exception):
    """The first place where two values differ: its kind and path."""

    def __init__(self, path, left, right):
        super().__init__()
        self.path, self.left, self.right = path, left, right
        self.sides = left, right  # before its name is told


class Step:
    """What one `call` or `show` did."""

    def __init__(self):
        self.host, self.graph = [], []
        self.result = self.error = self.before = self.state = None


class Verdict:
    """What the judge says: `kind` is None where all is explained."""

    def __init__(self, kind=None, detail="", how="equal", step=0):
        self.kind, self.detail, self.how = kind, detail, how
        self.step = step


def plain(value):
    """Nested lists of numbers as one flat list, with the lengths between."""
    if isinstance(value, list):
        return [len(value)] + [part for item in value for part in plain(item)]
    return [value]


def zeros_of(value):
    """The nested lists with 0 for each number."""
    return [zeros_of(item) for item in value] if isinstance(value, list) else 0


def plus(left, right):
    """The sum of nested lists of numbers; what is NaN or infinite stays."""
    if isinstance(left, list):
        return [plus(*pair) for pair in zip(left, right)]
    return next((one for one in (left, right) if not finite(one)), None) or \
        left + right


def finite(value):
    """Whether it is a number that has a size."""
    return isinstance(value, (int, float))


def near(left, right, dtype=None, largest=0):
    """Two numbers, one of which the host computed in double precision; of
    halves, beside a number so large, whose last bit is theirs."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        most = NEAR_HALVES.get(dtype, NEAR)
        stalls = STALLS.get(dtype, math.inf)
        return left == right or min(left, right) >= stalls or \
            max(left, right) <= -stalls or \
            abs(left - right) <= most * max(abs(left), abs(right), largest)
    return left == right


def fits(left, right, dtype):
    """Whether the second is the first in a dtype of fewer bits, may be."""
    return near(left, right, dtype) or dtype == "float16" and \
        finite(left) and abs(left) > MOST_HALF and \
        right == ("float", "inf" if left > 0 else "-inf")


def same(left, right, dtype=None, largest=0):
    """Two numbers of the same bits: True is not 1, and 0.0 is not -0.0."""
    del dtype, largest
    return repr(left) == repr(right)


def steep(alike):
    """As `alike`, but for what zeros make of a number: NaN beside an infinite
    slope, and the sign of a zero that they are added to."""
    def found(left, right, dtype=None, largest=0):
        return right == ("float", "nan") or \
            left == right == 0 and type(left) is type(right) or \
            alike(left, right, dtype, largest)
    return found


def as_tensor(value):
    """The number in a host number or scalar tensor, else None."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, tuple) and is_tensor(value) and \
            not isinstance(value[2], list):
        return value[2]
    return None


def is_bool(number):
    """Whether it is True or False, which print and count otherwise."""
    return isinstance(number, bool)


def is_tensor(value):
    """Whether a graph may have computed it; an array that is an argument is a
    tensor there."""
    return isinstance(value, tuple) and value[:1] in (
        ("tensor",), ("variable",), ("array",))


def tensors(left, right):
    """Whether both are tensors; a Variable comes back as a value."""
    return is_tensor(left) and is_tensor(right)


def compare(left, right, path, alike=near):
    """Raises Difference at the first place that differs. Numbers that tracing
    made tensors are equal to those they stand for (the merge and the weak
    numbers of loops are stated rules); those of tensors are `alike`."""
    if left == right and repr(left) == repr(right):
        return
    if tensors(left, right):
        flat = plain(left[2]), plain(right[2])
        # What cancelled was of the size of the programs' numbers.
        largest = LARGER_HALVES.get(left[1], LARGER) + \
            max(map(abs, filter(finite, flat[0])), default=0)
        if left[1] == right[1] and len(flat[0]) == len(flat[1]) and \
                all(alike(*pair, left[1], largest) for pair in zip(*flat)):
            return
        raise Difference(path + left[:1], left, right)
    if isinstance(left, str) and is_tensor(right) and \
            right[2] == f"tensor({left.encode()!r}, dtype=string)":
        return
    numbers = as_tensor(left), as_tensor(right)
    if None not in numbers:
        if near(*numbers) and len(set(map(is_bool, numbers))) == 1:
            return
        raise Difference(path, left, right)
    if not isinstance(left, tuple) or not isinstance(right, tuple) or \
            left[0] != right[0]:
        raise Difference(path, left, right)
    kind = left[0]
    if kind not in ("list", "tuple", "deque", "set", "dict", "object"):
        raise Difference(path, left, right)
    parts = left[-1], right[-1]
    if left[:2] == right[:2] == ("object", "IndexedSlices") and \
            alike is not same:
        parts = sorted_rows(parts[0]), sorted_rows(parts[1])
    if len(parts[0]) != len(parts[1]) or left[:-1] != right[:-1]:
        raise Difference(path + (kind,), left, right)
    for one, other in zip(*parts):
        if kind in ("dict", "object"):
            if one[0] != other[0]:
                raise Difference(path + (kind,), left, right)
            one, other = one[1], other[1]
        compare(one, other, path + (kind,), alike)


def sorted_rows(fields):
    """The fields of a gradient of rows, whose sums may be in another order."""
    values, indices, shape = (field[1] for field in fields)
    rows = sorted(zip(indices[2], values[2]), key=repr)
    return [("values", values[:2] + ([row[1] for row in rows],)),
            ("indices", indices[:2] + ([row[0] for row in rows],)),
            ("dense_shape", shape)]


def same_line(left, right):
    """Two printed lines: the numbers that staging made tensors print so."""
    if left == right:
        return True
    number = r"-?\d+\.?\d*(?:e[-+]?\d+)?"
    parts = re.split(f"({number})", left), re.split(f"({number})", right)
    if len(parts[0]) != len(parts[1]):
        return False
    return all(near(float(one), float(other)) if at % 2 else one == other
               for at, (one, other) in enumerate(zip(*parts)))


def any_order(text):
    """An error's words in any order, without the operation's name: dtypes that
    differ are named as the operands stand."""
    return sorted(re.findall(r"\w+", OPERATION.sub("", text)))


def symbolic(text):
    """A pattern for what eager code says where a trace says `text`, which
    names tensors that have no value yet."""
    return re.compile(".*".join(map(re.escape, SYMBOL.split(text))), re.DOTALL)


class Judge:
    """Compares the two runs of one program."""

    def __init__(self, eager, staged, effects, frozen, codes, lenient=(),
                 order=1, anew=False):
        self.eager, self.staged = eager, staged
        self.effects, self.frozen, self.codes = effects, frozen, codes
        self.lenient = lenient  # kinds that are known everywhere
        # What the trace read and changed, once: any value may come from it.
        read = {name for row in frozen for name in QUOTED.findall(row[1])}
        # Where all is traced anew neither explains anything.
        self.changed = not anew and any(row[2] for row in frozen)
        self.stale = not anew and any(
            read & set(re.findall(r"\w+", CHANGED.match(row[-1])[0]))
            for row in effects)
        self.how = "equal"
        # Numbers of 32 bits where eager code has a host's (D108), and second
        # gradients through loops (docs/decisions.md), have not the same bits.
        self.alike = near if "D108" in codes or order > 1 else same
        if "unused" in codes:
            self.alike = steep(self.alike)
        # A call failed or went another way in one run alone, where an event
        # says why: later calls meet what that one has not done.
        self.late = False
        self.past = None  # the globals behind the last call

    def explained(self, path=None):
        """Whether a recorded event names such a difference."""
        changed = self.late or self.stale or self.changed or \
            any(code in ASTRAY for code in self.codes)
        words = {row[1] for row in self.effects} - set(QUIET)
        if path is None:
            found = bool(words) or changed
        else:
            wanted = {word for kind in ("name",) + path
                      for word in WORDS.get(kind, ())}
            found = bool(wanted & words) or changed or \
                path[-1:] == ("variable",) and bool(words)
        if found:
            self.how = "event"
        return found

    def settled(self, error):
        """Whether a host number that became a tensor took the dtype of others
        before it met what eager code does not mix with it, or has one of its
        own by which it does not mix, or is divided by 0 as one (D108); or an
        argument that became one mixes otherwise than what it was (D107)."""
        found = "D108" in self.codes and (
            error[0] == "DTypeError" or
            error[0] == "ZeroDivisionError" and "float" in error[1] or
            NO_TARGET in error[1]) or \
            error[0] in ("DTypeError", "TypeError") and "given" in self.codes
        if found:
            self.how = "event"
        return found

    def parted(self, error):
        """Whether what is one object here and two there is told, or a dict's
        order, or a gradient that is no rows any more, may be since zeros are
        added to them, or zeros of rows that eager code does not reach."""
        left, right = error.left, error.right
        kinds = [side[0] if isinstance(side, tuple) else "" for side in
                 (left, right)]
        found = "alias" in self.codes and "same" in kinds or \
            "order" in self.codes and kinds == ["dict", "dict"] and \
            self.reordered(left[1], right[1]) or \
            ("rows" in self.codes or "unused" in self.codes) and \
            is_tensor(right) and \
            kinds[0] == "object" and left[1] == "IndexedSlices" and \
            self.are_rows(left[2], right) or \
            "unused" in self.codes and is_tensor(left) and \
            kinds[1] == "object" and right[1] == "IndexedSlices" and \
            left[2] == zeros_of(left[2]) and self.are_rows(right[2], left)
        # A gradient that some turn or side ends is 0, and not None.
        found = found or "unused" in self.codes and left is None and \
            is_tensor(right) and right[2] == zeros_of(right[2])
        if found:
            self.how = "event"
        return found

    def converted(self, error):
        """Whether an argument that is no tensor became one (D107), of which
        eager code changes the elements, makes what has another dtype, or asks
        for the class."""
        found = "given" in self.codes and (
            is_tensor(error.right)
            or isinstance(error.left, bool) and isinstance(error.right, bool))
        if found:
            self.how = "event"
        return found

    def typed(self, error):
        """Whether a host number that became a tensor gave another the dtype
        that it had to have, or a bool its own (D108)."""
        left, right = error.left, error.right
        found = "D108" in self.codes and (
            tensors(left, right) and left[1] != right[1] and
            all(fits(*pair, right[1])
                for pair in zip(plain(left[2]), plain(right[2])))
            or is_bool(left) and left == as_tensor(right))
        if found:
            self.how = "event"
        return found

    @staticmethod
    def are_rows(fields, tensor):
        """Whether the fields of a gradient of rows say what the tensor is."""
        fields = dict(fields)
        made = zeros_of(tensor[2])
        for row, values in zip(fields["indices"][2], fields["values"][2]):
            made[row] = plus(made[row], values)
        try:
            compare(("tensor", fields["values"][1], made), tensor, (),
                    steep(near))
        except Difference:
            return False
        return True

    def reordered(self, left, right):
        """Whether the items of two dicts differ in their order alone."""
        try:
            compare(*(("dict", sorted(items, key=lambda item: repr(item[0])))
                      for items in (left, right)), (), self.alike)
        except Difference:
            return False
        return True

    def verdict(self):
        """The first difference that nothing explains."""
        for at, (one, other) in enumerate(zip(self.eager, self.staged)):
            found = self.step(one, other)
            if found == "refused":
                alike = one.error and one.error[:2] == other.error[:2]
                return Verdict(
                    detail=("eagerly too, " if alike else "")
                    + f"{other.error[0]}: {other.error[1]}",
                    how="refused", step=at)
            if found:
                return Verdict(*found, how="unexplained", step=at)
        if len(self.eager) != len(self.staged):
            return Verdict("steps", "one run ended early", "unexplained")
        return Verdict(how=self.how)

    def step(self, one, other):
        """None, "refused" or (kind, detail)."""
        if other.error and one.error != other.error:
            found = self.error(one, other)
            if found == "refused":
                try:
                    self.states(other.before, other.state)
                except Difference as error:
                    if "refused-change" not in self.lenient and \
                            not self.ran_alike(one, other) and \
                            not self.explained(error.path):
                        return "refused-change", \
                            f"{error.left} -> {error.right}"
            if found:
                return found
        elif one.error and not other.error:
            if not self.explained() and not self.settled(one.error):
                return "skipped", f"{one.error[0]}: {one.error[1]}"
            self.late = True
        astray = False
        if one.result is not None and other.result is not None:
            try:
                compare(one.result, other.result, (), self.alike)
            except Difference as error:
                astray = True
                if not self.explained() and not self.parted(error) and \
                        not self.converted(error) and not self.typed(error):
                    return "result", f"{error.left} | {error.right}"
        return self.after(one, other, astray)

    def ran_alike(self, one, other):
        """Whether what ran before it was refused left what eager code left
        when it failed, or failed by a number that became a tensor."""
        if any("while tracing" in note for note in other.error[3]):
            return False
        if not one.error and self.settled(other.error):
            return True
        try:
            self.states(one.state, other.state, self.alike)
        except Difference:
            return False
        return True

    def after(self, one, other, astray):
        """What the call printed and what it left; `astray`: after a result
        that differs, for a reason which may have led it another way."""
        if len(one.graph) != len(other.graph) or \
                not all(map(same_line, one.graph, other.graph)):
            if not self.explained():
                return "print", f"{one.graph} | {other.graph}"
        if one.host != other.host:
            if not any(row[1] == "print" for row in self.effects) and \
                    not self.explained():
                return "host-print", f"{one.host} | {other.host}"
            self.how = "event"
        try:
            self.states(one.state, other.state, self.alike)
        except Difference as error:
            # An argument's change is made when the call ends; this one failed.
            self.late |= astray or \
                bool(other.error) and "argument" in self.codes
            # A tensor that stands there instead of another is a result.
            path = None if tensors(*error.sides) or self.idle(other, error) \
                else error.path
            sides = Difference((), *error.sides)
            if not self.late and not self.explained(path) and \
                    not self.parted(sides) and not self.converted(sides):
                return "state", f"{error.left} | {error.right}"
            self.how = "event"
        else:
            self.late = False  # all that it had not done has been caught up
        self.past = other.state
        return None

    def idle(self, other, error):
        """Whether the call has left that as it was: what is done once, which
        is told, may have led it past the change."""
        name = error.left[0]
        return bool(self.past) and name in self.past and \
            self.past[name] == other.state[name]

    @staticmethod
    def states(left, right, alike=near):
        """The globals, one after another."""
        if left is None or right is None:
            return
        for name in left:
            if name not in right:
                raise Difference((), (name,), ())
            try:
                compare(left[name], right[name], (), alike)
            except Difference as error:
                error.left = name, error.left
                raise

    def error(self, one, other):
        """An error of the staged run that the eager one has not."""
        name, text, line, notes, classes, lines = other.error
        eager = one.error or ("", "", -1, [], [], [])
        line = eager[2] if line is None else line
        tracing = any("while tracing" in note for note in notes)
        if eager[:2] == other.error[:2]:
            if eager[2] != line and not self.explained():
                kind = "aside" if tracing else "line"
                if kind not in self.lenient:
                    return kind, f"{eager} | {other.error}"
            # Where the trace failed nothing has run: no more to compare.
            return "refused" if tracing else None
        # A trace may meet a helper's line on a side that is not taken first.
        aside = tracing and lines[:-1] != eager[5][:-1]
        if eager[0] == name and eager[2] == line and not aside:
            # Texts show values, which a frozen one may have changed.
            # A number that two sides made a tensor meets another dtype one
            # operation of the line sooner than where it is a number.
            if tracing and (SIDES.search(text)
                            or symbolic(text).fullmatch(eager[1])
                            or any_order(text) == any_order(eager[1])
                            or self.settled(other.error)):
                return "refused"
            found = self.explained() or self.settled(other.error)
            return None if found else ("text", f"{eager[1]} | {text}")
        refusal = tracing or UNKNOWN in text or \
            any(cls in REFUSALS for cls in classes)
        as_number = "D108" in self.codes and eager[0] == "TypeError" and \
            NO_NUMBER.search(eager[1]) and "OpError" in classes
        not_one = eager[1].startswith(NO_TRUTH) and NOT_ONE.match(text)
        if (eager[0] in classes or as_number or not_one) and not refusal and \
                (eager[2] == line or self.explained()):
            return None  # a host number that became a tensor fails as one
        if refusal and CURE.search(text):
            if line or LINE.search(text) or "refusal-line" in self.lenient:
                return "refused"
            return "refusal-line", f"{name}: {text}"
        if self.explained():
            return "refused" if tracing else None
        if not tracing and self.settled(other.error):
            return "refused"
        # Eager code had failed by a dtype where the number goes on as a tensor.
        if one.error and not tracing and self.settled(one.error):
            self.late = True
            return None
        if tracing and line:
            return "refused" if one.error and "aside" in self.lenient else \
                ("aside", f"{name}: {text} (line {line})")
        if one.error:
            return "class", f"{eager[:2]} | {other.error[:2]}"
        return "raised", f"{name}: {text} (line {line})"
