"""Differential fuzzer: random programs, the same output as CPython's 3.11?

fuzz.py --duet PATH [--seed S] [--start N] [--count N] [--batch N]
        [--save FOLDER] [--reduce] [--show N] [--only N] [--skip "N N …"]

Ends with status 0 if nothing differs that rules.py does not explain.
"""
import argparse
import os
import sys
import time

from programs import program
from reduce import reduce
from rules import explained
from runner import Runner, first_difference, judge


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--duet", default="./duet")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seed", default="duet")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--save")
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--only", type=int)
    parser.add_argument("--skip", default="")
    return parser.parse_args()


def reducer(runner, kind, want):
    """A test that a smaller program still differs in the same way."""
    def differs(text):
        mine = runner.outputs([(0, text)], runner.duet).get(0, ["missing"])
        other = runner.outputs([(0, text)], runner.python).get(0)
        return mine != other and judge(mine, other) == kind and \
            not explained(*first_difference(mine, other))
    return differs


def report(options, runner, entry, shown):
    number, text, kind, mine, other = entry
    left, right = first_difference(mine, other)
    print(f"--- {number} {kind}\n  duet:    {left[:300]}"
          f"\n  cpython: {right[:300]}")
    if "*** ended" in left or kind == "crash":
        print("\n".join(mine[-2:]))
    if options.reduce and shown < options.show:
        text = reduce(text, reducer(runner, kind, (left, right)))
        print("    " + text.replace("\n", "\n    "))
    if options.save:
        os.makedirs(options.save, exist_ok=True)
        path = os.path.join(options.save, f"{number}.py")
        with open(path, "w", encoding="utf-8",
                  errors="surrogatepass") as file:
            file.write(text)
    sys.stdout.flush()


def main():
    options = arguments()
    runner = Runner([options.duet], [options.python])
    if options.only is not None:
        print(program(options.seed, options.only))
        options.start, options.count = options.only, 1
    counts = {"crash": 0, "value": 0, "message": 0, "explained": 0}
    began, shown = time.time(), 0
    end = options.start + options.count
    skip = {int(number) for number in options.skip.split()}
    for first in range(options.start, end, options.batch):
        programs = [(number, program(options.seed, number)) for number in
                    range(first, min(first + options.batch, end))
                    if number not in skip]
        for entry in runner.compare(programs):
            if entry[2] != "crash" and explained(
                    *first_difference(entry[3], entry[4])):
                counts["explained"] += 1
                continue
            counts[entry[2]] += 1
            report(options, runner, entry, shown)
            shown += 1
    failed = counts["crash"] + counts["value"] + counts["message"]
    ran = options.count - sum(options.start <= number < end
                              for number in skip)
    print(f"{ran} programs, {time.time() - began:.0f} s, {counts}")
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
