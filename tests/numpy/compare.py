#!/usr/bin/env python3
"""Compares Duet's functions with NumPy's on random operands.

    compare.py DUET [--seed S] [--count N] [--start K]

Without a count each function and dtype has its turn, and no op of the table
may be left out but those of WITHOUT.

A case (cases.py) runs eagerly and as a staged function, with one thread and
two, as machine code and without: equal bits. Each step of the eager run is
compared with what NumPy makes of the same operands (functions.py): ints
exactly, floats within the ULP that docs/functions.md tells.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from cases import Case, evaluate, walk
from functions import FLOATS, bfloat16, fault

PROGRAM = """
import data
inputs, results = data.load("in.npz"), {{}}
def run(number, function, names):
    x = [inputs[f"c{{number}}_{{name}}"] for name in names]
    for turn in range(2):  # a trace, and a call of it
        try:
            made = function(*x)
        except Exception as error:
            print(number, type(error).__name__, error)
            return
    for name, value in made:
        results[f"c{{number}}_{{name}}"] = value
{cases}
data.save("{out}", results)
"""
# Functions of the op table that NumPy has no like of.
OP_LIST = pathlib.Path(__file__).parent / "../../src/ops/op_list.h"
WITHOUT = ("print next cross_entropy dropout ensure_shape stop_gradient"
           " custom_gradient".split())
# Name, options, environment. All of a case's steps come out of the first.
WAYS = [("eager", ["--eager"], {"DUET_THREADS": "1"}),
        ("staged", [], {"DUET_THREADS": "1"}),
        ("eager, 2 threads", ["--eager"], {"DUET_THREADS": "2"}),
        ("staged, 2 threads", [], {"DUET_THREADS": "2"}),
        ("staged, interpreted", [], {"DUET_ISA": "loop"})]


def text_of(number, case, all_steps):
    """A case as Duet code."""
    body = "".join(f"    {name} = {text}\n" for name, text in case.lines)
    shown = [n for n, _ in case.lines]
    shown = shown if all_steps else shown[-1:]
    made = ", ".join(f"('{n}', {n})" for n in shown)
    return (f"@stage\ndef f({', '.join(case.inputs)}):\n{body}"
            f"    return [{made}]\n"
            f"run({number}, f, {list(case.inputs)})\n")


def run_way(duet, folder, cases, way):
    """What a run gives: {name: array}, {number of a case: its error}."""
    name, options, environment = way
    out = name.replace(" ", "_").replace(",", "") + ".npz"
    text = "".join(text_of(k, c, name == "eager" or k % 2)
                   for k, c in cases.items())
    file = folder / (out + ".duet")
    file.write_text(PROGRAM.format(cases=text, out=out))
    ran = subprocess.run([duet, *options, file.name], cwd=folder, text=True,
                         capture_output=True, env={**os.environ, **environment})
    if ran.returncode != 0:
        print(f"FAIL {name}: status {ran.returncode}\n{ran.stderr[-2000:]}")
        sys.exit(1)
    errors = dict((int(line.split()[0]), line) for line in
                  ran.stdout.splitlines())
    with np.load(folder / out) as file:
        return {k: v.view(bfloat16) if v.dtype == "V2" else v
                for k, v in file.items()}, errors


def same_bits(x, y):
    """Equal, NaN equal to each NaN."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype in FLOATS:
        kind = f"u{x.dtype.itemsize}"
        nan = np.isnan(x) & np.isnan(y)
        return bool(np.all(nan | (np.ascontiguousarray(x).view(kind) ==
                                  np.ascontiguousarray(y).view(kind))))
    return np.array_equal(x, y)


def faults_of(number, case, ran):
    """What is wrong with a case: texts."""
    eager, errors = ran[0]
    if number in errors:
        return ["eager: " + errors[number]]
    values = dict(case.inputs)
    for name, text in case.lines:
        got = values[name] = eager[f"c{number}_{name}"]
        with np.errstate(all="ignore"):
            wrong = fault(got, evaluate(text, values))
        if wrong:
            return [f"{name}: {wrong}"]
    for (made, errors), way in zip(ran[1:], WAYS[1:]):
        if number in errors and "is unknown" in errors[number]:
            continue  # a size that depends on values: refused
        if number in errors:
            return [f"{way[0]}: {errors[number]}"]
        for name, _ in case.lines:
            key = f"c{number}_{name}"
            if key in made and not same_bits(made[key], eager[key]):
                return [f"{name}: {way[0]} has other bits than eager code"]
    return []


def left_out(duet, cases):
    """Names of the op table that are functions and that no case calls."""
    rows = re.findall(r"^OP\((\w+),", OP_LIST.read_text(), re.M)
    program = ("import builtins\nfor name in " + repr(rows) + ":\n"
               "    if hasattr(builtins, name.lower()): print(name.lower())\n")
    with tempfile.NamedTemporaryFile("w", suffix=".duet") as file:
        file.write(program)
        file.flush()
        names = subprocess.run([duet, file.name], text=True, check=True,
                               stdout=subprocess.PIPE).stdout.split()
    text = " ".join(t for case in cases for _, t in case.lines)
    called = set(re.findall(r"(\w+)\(", text))
    return [n for n in names if n not in called and n not in WITHOUT]


def show(number, case, wrong):
    print(f"FAIL case {number}: {wrong}")
    for name, value in case.inputs.items():
        print(f"    {name}: {value.dtype} of {value.shape}")
    for name, text in case.lines:
        print(f"    {name} = {text}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("duet")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--start", type=int, default=0)
    options.add_argument("--count", type=int)
    options = options.parse_args()
    passed = failed = 0
    made = []
    turns = walk()
    count = options.count or len(turns)
    numbers = range(options.start, options.start + count)
    for first in range(0, len(numbers), 250):
        cases = {}
        for k in numbers[first:first + 250]:
            cases[k] = Case([options.seed, k])
            cases[k].step(*turns[k % len(turns)])
            for _ in range(k % 4):
                cases[k].step()
        made += cases.values()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            np.savez(folder / "in.npz", **{
                f"c{k}_{name}": value for k, case in cases.items()
                for name, value in case.inputs.items()})
            ran = [run_way(options.duet, folder, cases, way) for way in WAYS]
        for k, case in cases.items():
            wrong = faults_of(k, case, ran)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            for text in wrong:
                show(k, case, text)
    missing = [] if options.count else left_out(options.duet, made)
    if missing:
        failed += 1
        print("FAIL no case calls " + ", ".join(missing))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
