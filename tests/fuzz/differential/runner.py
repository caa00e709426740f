"""Runs batches of programs under both interpreters and compares."""
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 40         # that a batch may take
MEMORY = 4 << 30     # bytes of address space, where there is no sanitizer
SEEDS = 12           # hash seeds that explain a difference


def limit_memory():
    if not os.environ.get("FUZZ_NO_LIMIT"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def batch_text(programs):
    """One file: the prelude, then each program as a text."""
    with open(os.path.join(HERE, "prelude.py"), encoding="utf-8") as file:
        parts = [file.read()]
    for number, text in programs:
        parts.append(f"run({number}, {text!r})\n")
    return "".join(parts)


def run_file(command, path, hash_seed=0):
    """What a batch printed, and how it ended."""
    environment = dict(os.environ, PYTHONHASHSEED=str(hash_seed),
                       PYTHONINTMAXSTRDIGITS="0", LC_ALL="C.UTF-8",
                       PYTHONWARNINGS="ignore", NO_COLOR="1")
    try:
        done = subprocess.run(command + [path], env=environment,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=SECONDS, preexec_fn=limit_memory)
    except subprocess.TimeoutExpired as error:
        return error.stdout or b"", "hang", error.stderr or b""
    return done.stdout, done.returncode, done.stderr


def split(output):
    """A dict: number of a program, its lines."""
    found, lines = {}, []
    for line in output.decode("utf-8", "replace").split("\n"):
        match = re.fullmatch(r"=== (\d+)", line)
        if match:
            lines = found.setdefault(int(match[1]), [])
        else:
            lines.append(line)
    return found


class Runner:
    """Runs programs; `duet` and `python` are command lists."""

    def __init__(self, duet, python):
        self.duet = duet
        self.python = python

    def outputs(self, programs, command, hash_seed=0):
        """Lines of each program. A batch that dies goes on behind the
        program that killed it, whose lines then end in a note."""
        found = {}
        rest = list(programs)
        while rest:
            with tempfile.NamedTemporaryFile(
                    "w", suffix=".py", encoding="utf-8",
                    errors="surrogatepass") as file:
                file.write(batch_text(rest))
                file.flush()
                output, status, errors = run_file(command, file.name,
                                                  hash_seed)
            part = split(output)
            found.update(part)
            if status == 0 and b"runtime error:" not in errors:
                break
            if not part:
                raise SystemExit(f"{command}: {status}\n"
                                 + errors.decode("utf-8", "replace")[-3000:])
            last = max(part)
            note = errors.decode("utf-8", "replace")[-1500:]
            found[last] = found[last] + [f"*** ended: {status}", note]
            if status == 0:
                break
            rest = [entry for entry in rest if entry[0] > last]
        return found

    def compare(self, programs):
        """A list of (number, text, kind, ours, theirs) of what differs. The
        kinds: "crash", "value", "message"."""
        ours = self.outputs(programs, self.duet)
        theirs = self.outputs(programs, self.python)
        # What hangs or outgrows the memory in both says nothing.
        programs = [(number, text) for number, text in programs
                    if not any(line.startswith("*** ended")
                               for line in theirs.get(number, []))]
        differing = []
        for number, text in programs:
            mine, other = ours.get(number, ["missing"]), theirs.get(number)
            if mine != other:
                differing.append((number, text, mine, other))
        return [entry for entry in self.unexplained(differing)]

    def unexplained(self, differing):
        """Those whose output does not depend on CPython's hash seed."""
        varied = set()
        programs = [(number, text) for number, text, _, _ in differing]
        if programs:
            base = {number: other for number, _, _, other in differing}
            for seed in range(1, SEEDS):
                left = [entry for entry in programs if entry[0] not in varied]
                if not left:
                    break
                again = self.outputs(left, self.python, seed)
                varied |= {number for number, _ in left
                           if again.get(number) != base[number]}
        for number, text, mine, other in differing:
            kind = judge(mine, other)
            if kind == "crash" or number not in varied:
                yield number, text, kind, mine, other


def without_messages(lines):
    """The types of exceptions alone."""
    return [" | ".join(part.split(":")[0] for part in line.split(" | "))
            if line.startswith("! ") else line for line in lines]


def judge(mine, other):
    if any(line.startswith("*** ended") for line in mine):
        return "crash"
    if without_messages(mine) == without_messages(other or []):
        return "message"
    return "value"


def first_difference(mine, other):
    """The first pair of lines that differ."""
    for at in range(max(len(mine), len(other))):
        left = mine[at] if at < len(mine) else "(ended)"
        right = other[at] if at < len(other) else "(ended)"
        if left != right:
            return left, right
    return None
