"""Random staged programs through `duet --compare`: is every difference named?

compare.py [--duet PATH] [--seed S] [--start N] [--count N] [--show N]
           [--save FOLDER]

A program that shows D100 is a fault of the comparison's, or of staging; so is
one in which `alike` stands beside outputs that differ. Ends with the number of
programs by code, and with status 0 if there was no fault.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "differential"))

from known import OFF
from programs import program

# Every program calls `call` and `show`; what it may name besides.
HEAD = """\
import collections, copy, data, functools, itertools, os, random, tempfile, time
import numpy as np
from collections import deque, defaultdict, namedtuple
from contextlib import contextmanager
from dataclasses import dataclass
random.seed(7)
_known = []

def _state():
    kinds = (int, float, list, dict, set, deque, Variable)
    for name, value in sorted(globals().items()):
        if name[0] != "_" and isinstance(value, kinds):
            print("   ", name, "=", value)

_folder = tempfile.TemporaryDirectory()

def path(name):
    return os.path.join(_folder.name, name)

def saved(function, *args, **named):
    return function(*args, **named)

def show(value):
    print(value)

def call(function, *args, **named):
    try:
        print(function(*args, **named))
    except Exception as error:
        print(type(error).__name__)
    _state()

"""
LAST = re.compile(r"^(alike): |^(D\d+(?:, D\d+)*); %explain ", re.MULTILINE)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--duet", default="./duet")
    parser.add_argument("--seed", default="compare")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--save")
    return parser.parse_args()


def compared(duet, text, folder):
    """The codes, and what was printed."""
    path = os.path.join(folder, "program.duet")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + text)
    try:
        done = subprocess.run(
            [duet, "--compare", "program.duet"], cwd=folder, timeout=180,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=dict(os.environ, NO_COLOR="1", COLUMNS="120",
                     PYTHONHASHSEED="0"))
    except subprocess.TimeoutExpired:
        return ["hang"], ""
    found = LAST.findall(done.stdout)
    if not found:
        return ["crash"], done.stdout + done.stderr
    alike, codes = found[-1]
    codes = codes.split(", ") if codes else [alike]
    if alike and "\n≠" in done.stdout:
        codes = ["wrongly alike"]
    return codes, done.stdout


def main():
    options = arguments()
    counts, faults = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.start, options.start + options.count):
            text, _ = program(options.seed, number, OFF, None)
            codes, output = compared(options.duet, text, folder)
            counts.update(codes)
            if {"D100", "hang", "crash", "wrongly alike"} & set(codes):
                faults.append(number)
                if len(faults) <= options.show:
                    print(f"--- {options.seed} {number}: {', '.join(codes)}\n"
                          f"{text}\n{output}")
                if options.save:
                    with open(os.path.join(options.save, f"{number}.duet"),
                              "w", encoding="utf-8") as file:
                        file.write(HEAD + text)
    print(f"{options.count} programs: "
          + ", ".join(f"{code} {counts[code]}" for code in sorted(counts)))
    print(f"{len(faults)} unexplained: {faults[:50]}")
    return 1 if faults else 0


sys.exit(main())
