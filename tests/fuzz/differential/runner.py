"""Runs batches of programs under both interpreters and compares.

CPython is asked through oracle.py. Duet runs a batch in one process, the
prelude in front; a batch that dies goes on behind the program that killed it.
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

from oracle import as_script, limits

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 60  # that a batch may take


def environment(hash_seed):
    """What both interpreters see: nothing of the user's."""
    return dict(os.environ, PYTHONHASHSEED=str(hash_seed),
                PYTHONINTMAXSTRDIGITS="0", LC_ALL="C.UTF-8",
                PYTHONWARNINGS="ignore", NO_COLOR="1",
                PYTHONDONTWRITEBYTECODE="1")


class Program:
    """A number, a text, and whether it runs as a script of its own."""

    def __init__(self, number, text, script=False):
        self.number = number
        self.text = text
        self.script = script

    def triple(self):
        return [self.number, self.text, self.script]


class Oracle:
    """A CPython that answers batches; a hash seed of its own each."""

    def __init__(self, python, hash_seed=0):
        self.process = subprocess.Popen(
            [python, os.path.join(HERE, "oracle.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment(hash_seed), text=True)

    def ask(self, programs):
        self.process.stdin.write(json.dumps(
            [program.triple() for program in programs]) + "\n")
        self.process.stdin.flush()

    def answer(self):
        """A dict: number, lines; None for one that hung or died there, or met
        a SystemError, which is a fault of CPython's own (some of its types
        raise it when memory runs out)."""
        line = self.process.stdout.readline()
        return {int(number): lines_of(text)
                if ending == 0 and "! SystemError" not in text else None
                for number, (text, ending) in json.loads(line).items()}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def lines_of(text):
    """Lines without the mark that names the program."""
    return [line for line in text.removesuffix("\n").split("\n")
            if not re.fullmatch(r"=== \d+", line)]


def batch_text(programs):
    """One file: the prelude, then each program as a text."""
    with open(os.path.join(HERE, "prelude.py"), encoding="utf-8") as file:
        parts = [file.read()]
    for program in programs:
        parts.append(f"run({program.number}, {program.text!r})\n")
    return "".join(parts)


def split(output):
    """A dict: number of a program, its lines."""
    found, lines = {}, []
    text = output.decode("utf-8", "replace").removesuffix("\n")
    for line in text.split("\n"):
        match = re.fullmatch(r"=== (\d+)", line)
        if match:
            lines = found.setdefault(int(match[1]), [])
        else:
            lines.append(line)
    return found


class Batch:
    """Duet at work on programs, in the background."""

    def __init__(self, duet, programs):
        self.duet = duet
        self.programs = list(programs)
        self.started = None

    def start(self):
        self.file = tempfile.NamedTemporaryFile(
            "w", suffix=".py", encoding="utf-8", errors="surrogatepass")
        self.file.write(batch_text(self.programs))
        self.file.flush()
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.started = subprocess.Popen(
            [self.duet, self.file.name], stdin=subprocess.DEVNULL,
            stdout=self.out, stderr=self.err, env=environment(0),
            preexec_fn=None if os.environ.get("FUZZ_NO_LIMIT") else limits)

    def finish(self):
        """Output, status, errors."""
        try:
            status = self.started.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.started.kill()
            self.started.wait()
            status = "hang"
        self.out.seek(0)
        self.err.seek(0)
        output, errors = self.out.read(), self.err.read()
        for file in (self.file, self.out, self.err):
            file.close()
        return output, status, errors


class Runner:
    """Runs programs under `duet` and an oracle."""

    def __init__(self, duet, python):
        self.duet = duet
        self.python = python
        self.oracle = Oracle(python)
        self.others = []  # CPythons at other addresses, when first needed

    def start(self, programs):
        """Both begin; `finish` collects."""
        together = [program for program in programs if not program.script]
        batch = Batch(self.duet, together)
        if together:
            batch.start()
        self.oracle.ask(programs)
        return programs, batch

    def ours(self, programs, batch):
        """Lines of each program of ours. The last lines of a program that
        killed its process are a note on how it ended."""
        found = {}
        for program in programs:
            if program.script:
                output, ending = as_script([self.duet], program.number,
                                           program.text)
                lines = lines_of(output.decode("utf-8", "replace"))
                found[program.number] = lines if ending == 0 else \
                    lines + [f"*** ended: {ending}"]
        while batch.programs:
            output, status, errors = batch.finish()
            part = split(output)
            found.update(part)
            bad = b"runtime error:" in errors or b"Sanitizer" in errors
            if status == 0 and not bad:
                break
            if not part:
                raise SystemExit(f"{self.duet}: {status}\n"
                                 + errors.decode("utf-8", "replace")[-3000:])
            last = max(part)
            note = errors.decode("utf-8", "replace")[-1500:]
            found[last] = found[last] + [f"*** ended: {status}", note]
            if status == 0:
                break
            batch = Batch(self.duet, [program for program in batch.programs
                                      if program.number > last])
            if batch.programs:
                batch.start()
        return found

    def finish(self, started):
        """A list of (program, kind, ours, theirs) of what differs, and the
        number of programs that said nothing: CPython hung or died, or does
        not agree with itself."""
        programs, batch = started
        ours = self.ours(programs, batch)
        theirs = self.oracle.answer()
        differing, silent = [], 0
        for program in programs:
            other = theirs[program.number]
            mine = ours.get(program.number, ["missing"])
            if other is None:
                silent += 1
            elif mine != other:
                differing.append((program, judge(mine, other), mine, other))
        settled = self.settled(differing)
        return settled, silent + len(differing) - len(settled)

    def settled(self, differing):
        """Without those in which a CPython, asked once more in other
        processes, writes something else where we do: text made of addresses.
        Several are asked, as two may agree by chance."""
        if differing and not self.others:
            self.others = [Oracle(self.python) for _ in range(4)]
        for other in self.others:
            if differing:
                other.ask([entry[0] for entry in differing])
                again = other.answer()
                differing = [
                    entry for entry in differing
                    if not again[entry[0].number]
                    or first_place(entry[2], entry[3]) !=
                    first_place(again[entry[0].number], entry[3])]
        return differing

    def differs(self, kind, script, pair):
        """A test for the reducer: which of the texts differs first, in the
        same way as the pair of lines?"""
        def alike(entry):
            return kind == "crash" or cause(
                kind, *first_difference(*entry[2:])) == cause(kind, *pair)

        def test(texts):
            found, _ = self.finish(self.start(
                [Program(at, text, script) for at, text in enumerate(texts)]))
            return min((entry[0].number for entry in found
                        if entry[1] == kind and alike(entry)), default=None)
        return test


def without_messages(lines):
    """The types of exceptions alone."""
    return [" | ".join(part.split(":")[0] for part in line.split(" | "))
            if line.startswith("! ") else line for line in lines]


def judge(mine, other):
    """What kind of difference: "crash", "message" or "value"."""
    if any(line.startswith("*** ended") for line in mine):
        return "crash"
    if without_messages(mine) == without_messages(other or []):
        return "message"
    return "value"


def first_place(mine, other):
    """The number of the first line that differs, or None."""
    for at, (left, right) in enumerate(itertools.zip_longest(mine, other)):
        if left != right:
            return at
    return None


def first_difference(mine, other):
    """The first pair of lines that differ."""
    at = first_place(mine, other)
    if at is None:
        return "", ""
    return tuple(lines[at] if at < len(lines) else "(ended)"
                 for lines in (mine, other))


def cause(kind, left, right):
    """What two differences of one bug most likely share: the first lines that
    differ, without numbers, names and quoted texts."""
    parts = []
    for line in (left, right):
        line = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", line)
        parts.append(re.sub(r"[-0-9.]+|[^\x00-\x7f]", "#", line)[:70])
    return (kind, *parts)
