"""Fuzzer of staged programs: does staging make a difference that nobody told?

fuzz.py [--duet PATH] [--seed S] [--start N] [--count N] [--jobs N] [--only N]
        [--family PATTERN] [--known] [--reduce] [--show N] [--save FOLDER]
        [--features] [--refusals] [--suite] [--rows] [--tensorflow]

Each program runs eagerly and staged, in several calls; judge.py says what is
equal, refused, named by an event, or unexplained. What known.py lists is left
out; --known leaves it in. --family writes programs that use a feature of that
pattern. --features tells how often programs with each feature differ, and
--refusals how often each message refuses one and which is the first. --suite
also runs the programs of known.py, which must still differ; --rows tells how
many random programs differ by what each row switches off. --tensorflow compares
what Duet does staged with TensorFlow's values; TF_PYTHON names a python that
has it. Ends with status 0 if nothing is unexplained.
"""
import argparse
import collections
import multiprocessing
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "differential"))

from known import KNOWN, LENIENT, OFF
from programs import program
from runner import Program, Runner, shape
from smaller import smaller
from with_tensorflow import OFF as NOT_TENSORFLOW
from with_tensorflow import TensorFlowRunner, found_tensorflow

BATCH = 50


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--duet", default="./duet")
    parser.add_argument("--seed", default="staged")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--family")
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--save")
    parser.add_argument("--features", action="store_true")
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("--suite", action="store_true")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--tensorflow", action="store_true")
    return parser.parse_args()


def runner(options, seconds=60):
    """What runs and judges programs."""
    lenient = () if options.known else LENIENT
    kind = TensorFlowRunner if options.tensorflow else Runner
    return kind(options.duet, lenient, seconds)


def switched_off(options):
    """The features that programs must not use."""
    return ([] if options.known else OFF) + \
        (list(NOT_TENSORFLOW) if options.tensorflow else [])


def run_batch(task):
    """Writes and runs one batch: pairs of each program and its verdict."""
    options, start, count = task
    off = switched_off(options)
    return runner(options).judge([
        Program(number, *program(options.seed, number, off, options.family))
        for number in range(start, start + count)])


def batches(options):
    """The batches of the run."""
    end = options.start + options.count
    return [(options, start, min(BATCH, end - start))
            for start in range(options.start, end, BATCH)]


def message(text):
    """A refusal's text without the program's names, numbers and types."""
    text = re.sub(r"'[^'\n]*'", "'…'", text)
    text = re.sub(r"\b\w*\d[\w.]*(\[[^]]*\])*", "…", text)
    return " ".join(text.split())[:150]


class Report:
    """What was found so far; each cause is shown once."""

    def __init__(self, options):
        self.options = options
        self.hows = collections.Counter()
        self.kinds = collections.Counter()
        self.causes = {}  # kind and shape: the first program and its verdict
        self.features = collections.defaultdict(lambda: [0, 0])
        self.refusals = collections.defaultdict(list)

    def add(self, made, verdict):
        """Counts one program."""
        self.hows[verdict.how] += 1
        for feature in made.features:
            self.features[feature][0] += 1
            self.features[feature][1] += bool(verdict.kind)
        if verdict.how in ("refused", "in part"):
            self.refusals[message(verdict.detail)].append(made.number)
        if verdict.kind:
            self.kinds[verdict.kind] += 1
            self.save(made)
            self.causes.setdefault((verdict.kind, shape(verdict.detail)),
                                   (made, verdict))

    def save(self, made):
        """Keeps a program that differs."""
        folder = self.options.save
        if folder:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"{made.number}.py"), "w",
                      encoding="utf-8") as file:
                file.write(made.text)

    def show(self):
        """Each cause with its first program, made smaller if that is asked."""
        for made, verdict in list(self.causes.values())[:self.options.show]:
            print(f"--- {made.number} {verdict.kind}, step {verdict.step}: "
                  f"{verdict.detail[:300]}")
            if self.options.reduce:
                test = runner(self.options, 5).differs(
                    verdict.kind, shape(verdict.detail))
                text = smaller(made.text, test)
                print("    " + text.replace("\n", "\n    "))
            sys.stdout.flush()
        if self.options.features:
            rows = sorted((row for row in self.features.items() if row[1][1]),
                          key=lambda row: -row[1][1] / row[1][0])
            for feature, (all, bad) in rows:
                print(f"{bad:5} of {all:5}  {feature}")
        if self.options.refusals:
            for text, numbers in sorted(self.refusals.items(),
                                        key=lambda row: -len(row[1])):
                first = ", ".join(map(str, numbers[:5]))
                print(f"{len(numbers):5}, first {first}: {text}")


def still_known(options):
    """How many rows of known.py still differ as they say, and how many do
    not: those have been mended, and their rows must go."""
    passed = failed = 0
    for row in KNOWN:
        lenient = [kind for kind in LENIENT if kind not in row.lenient]
        [(_, verdict)] = Runner(options.duet, lenient).judge(
            [Program(0, row.text)])
        if verdict.kind == row.kind:
            passed += 1
        else:
            failed += 1
            print(f"FAIL known.py, {row.name!r}: the program is "
                  f"{verdict.how}: if that is right delete the row\n"
                  f"    {verdict.kind}: {verdict.detail[:300]}")
    return passed, failed


def judge_row(task):
    """Random programs with what a row switches off: the row's name, how many
    there were, how many differ, and the first of these."""
    options, row = task
    lenient = [kind for kind in LENIENT if kind not in row.lenient]
    off = [pattern for other in KNOWN if other.name != row.name
           for pattern in other.off]
    pairs = Runner(options.duet, lenient, 10).judge([
        Program(number, *program(options.seed, number, off,
                                 "|".join(row.off)))
        for number in range(options.start, options.start + options.count)])
    bad = [made.number for made, verdict in pairs if verdict.kind]
    return row.name, len(bad), min(bad, default="none")


def main():
    options = arguments()
    if options.tensorflow and not found_tensorflow():
        print("skipped: no TensorFlow\n0 passed, 0 failed")
        return 0
    if options.rows:
        with multiprocessing.Pool(options.jobs) as pool:
            for name, bad, first in pool.imap(
                    judge_row, [(options, row) for row in KNOWN]):
                print(f"| {name} | {bad} of {options.count}, first {first} |",
                      flush=True)
        return 0
    if options.only is not None:
        options.start, options.count = options.only, 1
        print(program(options.seed, options.only, switched_off(options),
                      options.family)[0])
    report, began = Report(options), time.time()
    with multiprocessing.Pool(options.jobs) as pool:
        for pairs in pool.imap(run_batch, batches(options)):
            for made, verdict in pairs:
                report.add(made, verdict)
    report.show()
    failed = report.hows["unexplained"]
    passed = options.count - failed
    print(", ".join(f"{count} {how}" for how, count in
                    report.hows.most_common()),
          f"in {time.time() - began:.1f} s", dict(report.kinds) or "")
    if options.suite:
        rows = still_known(options)
        passed, failed = passed + rows[0], failed + rows[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
