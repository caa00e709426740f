"""Runs staged programs under TensorFlow and compares what Duet does.

Errors are compared by whether there is one: a call that either of the two
refuses ends the comparison. Values, Variables and all other globals must agree:
eagerly, which is what the operations mean, and staged. A staged difference is
explained where TensorFlow's own staged run departs from its eager one and
Duet's does not (`departs`), or where an event of Duet's names it (`event`).
"""
import os
import subprocess
import sys

from judge import Difference, Judge, Verdict, compare
from runner import Runner, prelude

# What the two mean to do otherwise, or what TensorFlow has no name for.
OFF = ("rng*", "host-random*", "expr.text*", "argument.T", "dict-order")


def python():
    """The python that may have TensorFlow."""
    return os.environ.get("TF_PYTHON", sys.executable)


def found_tensorflow():
    """Whether it has it."""
    return subprocess.run([python(), "-c", "import tensorflow"],
                          capture_output=True, check=False).returncode == 0


def difference(one, other):
    """What differs between two runs of a call, or None."""
    try:
        compare(one.result, other.result, ())
        Judge.states(one.state, other.state)
    except Difference as error:
        return f"{error.left} | {error.right}"
    return None


class TensorFlow(Runner):
    """Runs programs under TensorFlow, which reserves more memory than the
    limit of a program allows."""

    limits = None

    def __init__(self):
        super().__init__(python(), seconds=600)
        self.head = prelude("prelude.py", "prelude_tf.py")


class TensorFlowRunner(Runner):
    """Judges Duet's staged runs by TensorFlow's."""

    def judge(self, programs):
        """Pairs of each program and its verdict."""
        ours, theirs = self.records(programs), TensorFlow().records(programs)
        return [(program, self.verdict(ours[program.number],
                                       theirs[program.number]))
                for program in programs]

    @staticmethod
    def verdict(ours, theirs):
        """The first call that differs."""
        if not ours.ended:
            return Verdict("crash", "the process ended", "unexplained")
        steps = zip(theirs.runs["eager"], ours.runs["eager"],
                    theirs.runs["staged"], ours.runs["staged"])
        for at, step in enumerate(steps):
            if any(run.error for run in step):
                return Verdict(how="equal" if all(run.error for run in step)
                               else "refused", step=at)
            eager = difference(*step[:2])
            if eager:
                return Verdict("eager", eager, "unexplained", at)
            staged = difference(*step[2:])
            if staged and difference(*step[0::2]) and \
                    not difference(*step[1::2]):
                return Verdict(how="departs", step=at)
            if staged:
                # Our own departure must be told.
                own = Judge(ours.runs["eager"], ours.runs["staged"],
                            ours.effects, ours.frozen, ours.codes).verdict()
                return Verdict(how="event", step=at) if own.how == "event" \
                    else Verdict("tensorflow", staged, "unexplained", at)
        return Verdict()
