"""Runs staged programs under TensorFlow and compares what Duet does.

Values, Variables and all other globals must agree: of all eager calls, which is what the
operations mean, and of the staged ones. Errors are compared by whether there is
one. A call that one of the two refuses ends the comparison: `refused` is the
first, `in part` a later one. From a call on that TensorFlow refuses staged alone
its eager run says what Duet's staged one must do (`eager`). A staged difference
is explained where TensorFlow's own staged run departs from its eager one and
Duet's does not (`departs`), or where an event of Duet's names it (`event`): so
of the dtype that a host number has as a tensor (D108), which is that of those
beside it in Duet. A sum that cancels may differ by last bits of its operands.
"""
import os
import subprocess
import sys

from judge import Difference, Judge, Verdict, compare, finite, near
from runner import Runner, prelude
from scenes_late import LATE
from scenes_library import LIBRARY
from scenes_more import MORE
from scenes_none import NONE
from scenes_rows import ROWS
from scenes_sizes import SIZES
from scenes_written import WRITTEN

# What the two mean to do otherwise (gradients go through Duet's datasets), or
# what TensorFlow has no name for.
OFF = ("rng*", "host-random*", "expr.text*", "argument.T", "dict-order",
       "idiom.tensor-list*", "idiom.match*", "idiom.dataset@*",
       "idiom.dataset-map@*", "tensors",
       *(f"scene.{row[0]}"
         for row in MORE + LATE + LIBRARY + WRITTEN + NONE + ROWS +
         SIZES))


def python():
    """The python that may have TensorFlow."""
    return os.environ.get("TF_PYTHON", sys.executable)


def found_tensorflow():
    """Whether it has it."""
    return subprocess.run([python(), "-c", "import tensorflow"],
                          capture_output=True, check=False).returncode == 0


# The last bit of 1.
BITS = {"float32": 2.0 ** -23, "float64": 2.0 ** -52}


def size_of(value):
    """The largest number in what a run shows."""
    if isinstance(value, (tuple, list)):
        return max(map(size_of, value), default=0)
    if isinstance(value, dict):
        return size_of(list(value.values()))
    return abs(value) if finite(value) else 0


def but_for_cancelled(size):
    """As `near`, but of a sum that cancels, which is small beside numbers of
    this size, the last bits are those of its operands."""
    def alike(left, right, dtype=None, largest=0):
        return near(left, right, dtype, largest) or \
            dtype in BITS and finite(left) and finite(right) and \
            max(abs(left), abs(right)) < 1e-3 * size and \
            abs(left - right) <= 4 * BITS[dtype] * size
    return alike


def differing(one, other):
    """The first Difference between two runs of a call, or None."""
    alike = but_for_cancelled(size_of([one.result, one.state]))
    try:
        compare(one.result, other.result, (), alike)
        Judge.states(one.state, other.state, alike)
    except Difference as error:
        return error
    return None


def difference(one, other):
    """The same as a text, or None."""
    error = differing(one, other)
    return error and f"{error.left} | {error.right}"


class TensorFlow(Runner):
    """Runs programs under TensorFlow, which reserves more memory than the
    limit of a program allows."""

    limits = None

    def __init__(self):
        super().__init__(python(), seconds=600)
        self.head = prelude("prelude.py", "prelude_tf.py")


class TensorFlowRunner(Runner):
    """Judges Duet's eager and staged runs by TensorFlow's."""

    def judge(self, programs):
        """Pairs of each program and its verdict."""
        ours, theirs = self.records(programs), TensorFlow().records(programs)
        return [(program, self.verdict(ours[program.number],
                                       theirs[program.number]))
                for program in programs]

    def verdict(self, ours, theirs):
        """The first call that differs, or how far they are alike."""
        if not ours.ended:
            return Verdict("crash", "the process ended", "unexplained")
        eager = self.eager(ours.runs["eager"], theirs.runs["eager"])
        if eager.kind:
            return eager
        staged = self.staged(ours, theirs)
        return staged if staged.kind or eager.how == "equal" else eager

    @staticmethod
    def eager(ours, theirs):
        """Of the eager runs."""
        for at, (their, our) in enumerate(zip(theirs, ours)):
            failed = [bool(run.error) for run in (their, our)]
            found = difference(their, our)
            if any(failed) and (found or not all(failed)):
                return parting(at, "ours" if failed[1] else "theirs",
                               our if failed[1] else their)
            if found:
                return Verdict("eager", found, "unexplained", at)
        return Verdict()

    @staticmethod
    def staged(ours, theirs):
        """Of the staged runs, up to the first call that fails eagerly."""
        how = "equal"
        for at, step in enumerate(zip(theirs.runs["eager"], ours.runs["eager"],
                                      theirs.runs["staged"],
                                      ours.runs["staged"])):
            their, our, their_staged, our_staged = step
            if their.error or our.error:
                return Verdict(how=how, step=at)
            if our_staged.error:
                return parting(at, "ours staged", our_staged)
            if their_staged.error or how == "eager":
                how, their_staged = "eager", their
            found = difference(their_staged, our_staged)
            if found and difference(their, their_staged) and \
                    not difference(our, our_staged):
                return Verdict(how="departs", step=at)
            if found:
                # Our own departure must be told; so must the dtype that a
                # host number took where TensorFlow gave it another.
                own = Judge(ours.runs["eager"][:at + 1],
                            ours.runs["staged"][:at + 1], ours.effects,
                            ours.frozen, ours.codes)
                told = own.verdict().how == "event" or \
                    own.typed(differing(their_staged, our_staged))
                return Verdict(how="event", step=at) if told \
                    else Verdict("tensorflow", found, "unexplained", at)
        return Verdict(how=how)


def parting(at, who, run):
    """The verdict where a call fails for one of the two."""
    return Verdict(detail=f"{who}: {run.error[0]}: {run.error[1]}", step=at,
                   how="in part" if at else "refused")
