"""Runs staged programs under TensorFlow and compares what Duet does staged.

Errors are compared by whether there is one: a call that either of the two
refuses ends the comparison. Values, Variables and all other globals must agree.
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
        pairs = zip(theirs.runs["staged"], ours.runs["staged"])
        for at, (one, other) in enumerate(pairs):
            if one.error or other.error:
                return Verdict(how="equal" if one.error and other.error
                               else "refused", step=at)
            try:
                compare(one.result, other.result, ())
                Judge.states(one.state, other.state)
            except Difference as error:
                return Verdict("tensorflow", f"{error.left} | {error.right}",
                               "unexplained", at)
        return Verdict()
