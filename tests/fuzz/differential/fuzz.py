"""Differential fuzzer: random programs, the same output as CPython's 3.11?

fuzz.py --duet PATH [--seed S] [--start N] [--count N] [--batch N]
        [--resume FILE] [--save FOLDER] [--reduce] [--show N] [--only N]
        [--vary]

Ends with status 0 if nothing differs. With --resume, FILE holds how far the run
of this seed got and what it found, and the next run goes on there. --vary asks
a CPython with another hash seed instead of Duet: what differs there is a fault
of the generator, which must make no program that the rules leave open.
"""
import argparse
import json
import os
import sys
import time

from programs import program
from reduce import reduce
from runner import Oracle, Program, Runner, cause, first_difference, judge


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--duet", default="./duet")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seed", default="duet")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--resume")
    parser.add_argument("--save")
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--only", type=int)
    parser.add_argument("--vary", action="store_true")
    return parser.parse_args()


class Report:
    """What was found so far; each cause is shown once."""

    def __init__(self, options, runner):
        self.options = options
        self.runner = runner
        self.causes = {}  # cause: numbers of programs
        self.done = options.start
        self.silent = 0
        self.began = time.time()

    def load(self):
        path = self.options.resume
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                held = json.load(file)
            if held["seed"] == self.options.seed:
                self.done, self.silent = held["done"], held["silent"]
                self.causes = {tuple(key): numbers
                               for key, numbers in held["causes"]}

    def store(self):
        if self.options.resume:
            with open(self.options.resume + ".new", "w",
                      encoding="utf-8") as file:
                json.dump({"seed": self.options.seed, "done": self.done,
                           "silent": self.silent,
                           "causes": list(self.causes.items())}, file)
            os.replace(self.options.resume + ".new", self.options.resume)

    def add(self, entry):
        made, kind, mine, other = entry
        left, right = first_difference(mine, other)
        numbers = self.causes.setdefault(cause(kind, left, right), [])
        numbers.append(made.number)
        self.save(made)
        if len(numbers) > 1:
            return
        print(f"--- {made.number} {kind}\n  duet:    {left[:300]}"
              f"\n  cpython: {right[:300]}")
        if kind == "crash":
            print("\n".join(mine[-2:]))
        if self.options.reduce and len(self.causes) <= self.options.show:
            text = reduce(made.text, self.runner.differs(
                kind, made.script, (left, right)))
            print("    " + text.replace("\n", "\n    "))
        sys.stdout.flush()

    def save(self, made):
        folder = self.options.save
        if folder:
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, f"{made.number}.py")
            with open(path, "w", encoding="utf-8",
                      errors="surrogatepass") as file:
                file.write(made.text)

    def close(self):
        failed = sum(map(len, self.causes.values()))
        ran = self.done - self.options.start
        print(f"{ran} programs, {time.time() - self.began:.0f} s, "
              f"{len(self.causes)} causes, {self.silent} silent")
        print(f"{ran - failed} passed, {failed} failed")
        return 1 if failed else 0


class Varied:
    """In place of Runner: CPython against itself, another hash seed."""

    def __init__(self, python):
        self.oracles = Oracle(python, 0), Oracle(python, 7)

    def start(self, programs):
        for oracle in self.oracles:
            oracle.ask(programs)
        return programs

    def finish(self, programs):
        first, second = [oracle.answer() for oracle in self.oracles]
        return [(made, judge(second[made.number], first[made.number]),
                 second[made.number], first[made.number])
                for made in programs
                if None not in (first[made.number], second[made.number])
                and first[made.number] != second[made.number]], 0


def main():
    options = arguments()
    if options.only is not None:
        options.start, options.count = options.only, 1
        print(program(options.seed, options.only)[0])
    runner = Varied(options.python) if options.vary else \
        Runner(options.duet, options.python)
    report = Report(options, runner)
    report.load()
    end, waiting = options.start + options.count, None
    # While one batch runs, the next one is written.
    while report.done < end or waiting:
        first = waiting[0] if waiting else report.done
        ahead = min(first + options.batch, end) if waiting else first
        made = [Program(number, *program(options.seed, number))
                for number in range(ahead, min(ahead + options.batch, end))]
        if waiting:
            found, silent = runner.finish(waiting[1])
            for entry in found:
                report.add(entry)
            report.done, report.silent = ahead, report.silent + silent
            report.store()
        waiting = (ahead, runner.start(made)) if made else None
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
