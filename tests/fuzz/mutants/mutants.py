"""Mutated programs: the same SyntaxError as CPython's 3.11?

mutants.py --duet PATH [--seed S] [--start N] [--count N] [--most N] [--show]
           [--keep FOLDER] FILE...

Each mutant is a valid program of FILE... in which one to `most` tokens were
deleted, doubled, swapped or put in. A line in front ends the run at once, so
what is compared is what the compiler alone writes to stderr, warnings included,
and the status. Mutant N of a seed is always the same one. Refusals of what
Duet leaves out by name are counted, not compared. Ends with status 0 if nothing
differs.
"""
import argparse
import concurrent.futures
import difflib
import io
import os
import random
import re
import subprocess
import sys
import tempfile
import tokenize

FIRST = "raise SystemExit\n"
# What is put in: every keyword and operator, and literals good and bad.
EXTRA = """
    False None True and as assert break class continue def del elif else
    except finally for from global if import in is lambda nonlocal not or pass
    raise return try while with yield
    ( ) [ ] { } , : ; . = == != < > <= >= + - * / // % ** @ & | ^ ~ << >> ->
    := += -= *= ** ... $ ? ! ` \\ ' " ''' f'{' f'{}' f'{x!z}' 'a' b'a' b'é'
    0 1 1.5 0x 0b2 1_ 01 1e 1__0 x _ print exec \n
""".split(" ")
EXTRA = [word for word in (each.strip(" ") for each in EXTRA) if word]
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING,
           tokenize.ENDMARKER}
# CPython 3.11 reads a file's lines by pieces of 1,000 bytes and shows the last
# piece alone where a statement has several lines.
LONGEST = 900
# What Duet refuses by name, and an error for which releases of CPython 3.11 have
# different rules and places.
REFUSED = re.compile(r"^SyntaxError: (Duet has no |iterable argument unpacking "
                     r"follows keyword argument unpacking$)", re.M)


def places(text):
    """(start, end) of each token of `text`, as offsets."""
    starts, at = [], 0
    for line in text.splitlines(keepends=True):
        starts.append(at)
        at += len(line)
    starts.append(at)
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIPPED:
            (row, column), (end_row, end_column) = token.start, token.end
            found.append((starts[row - 1] + column,
                          starts[end_row - 1] + end_column))
    return [(start, end) for start, end in found if start >= len(FIRST)]


def mutated(text, spans, dice):
    """`text` with one token deleted, doubled, swapped or put in."""
    at = dice.randrange(len(spans))
    start, end = spans[at]
    token = text[start:end]
    match dice.randrange(5):
        case 0:
            return text[:start] + text[end:]
        case 1:
            return text[:end] + dice.choice(["", " "]) + token + text[end:]
        case 2 if at + 1 < len(spans):
            second, last = spans[at + 1]
            return (text[:start] + text[second:last] + text[end:second] +
                    token + text[last:])
        case 3:
            other = text[slice(*dice.choice(spans))]
            return text[:start] + other + text[end:]
    word = dice.choice(EXTRA)
    return text[:start] + word + dice.choice(["", " "]) + text[start:]


def load(paths):
    """The texts that CPython takes, each with its tokens."""
    bases = []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        if "__future__" in text or "\r" in text or "\f" in text:
            continue
        if max(map(len, text.split("\n"))) > LONGEST:
            continue
        try:
            compile(FIRST + text, path, "exec")
            spans = places(FIRST + text)
            if spans:
                bases.append((path, FIRST + text, spans))
        except (SyntaxError, ValueError, tokenize.TokenError):
            continue
    return bases


def mutant(options, bases, number):
    dice = random.Random(f"{options.seed} {number}")
    path, text, spans = dice.choice(bases)
    for _ in range(dice.randint(1, options.most)):
        text = mutated(text, spans, dice)
        try:
            spans = places(text)
        except (tokenize.TokenError, SyntaxError):
            break  # its tokens cannot be told any more
        if not spans:
            break
    return path, text


def run(command, folder):
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    try:
        done = subprocess.run(command + ["program.py"], cwd=folder, timeout=60,
                              stdin=subprocess.DEVNULL, env=environment,
                              capture_output=True)
    except subprocess.TimeoutExpired:
        return None, "took too long"
    text = done.stderr.decode("utf-8", "replace")
    # One names the file as it was given, the other by its whole path.
    return done.returncode, text.replace(f"{folder}/", "")


def compare(options, bases, number):
    """(number, path, text, differing lines), or None; False: refused."""
    path, text = mutant(options, bases, number)
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        with open(f"{folder}/program.py", "w", encoding="utf-8",
                  newline="") as file:
            file.write(text)
        want = run([sys.executable, "-S", "-E"], folder)
        got = run([os.path.abspath(options.duet)], folder)
    if want == got:
        return None
    if REFUSED.search(got[1]):
        return False
    lines = [f"status {want[0]}"] + want[1].splitlines()
    other = [f"status {got[0]}"] + got[1].splitlines()
    return number, path, text, list(
        difflib.unified_diff(lines, other, "CPython", "Duet", "", "", 9, ""))


def show(found):
    number, path, _, lines = found
    print(f"mutant {number} of {path}")
    print("\n".join(f"    {line}" for line in lines))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--duet", default="./duet")
    parser.add_argument("--seed", default="mutants")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--most", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("files", nargs="+")
    return parser.parse_args()


def main():
    options = arguments()
    bases = load(sorted(options.files))
    numbers = range(options.start, options.start + options.count)
    failed = refused = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda n: compare(options, bases, n), numbers):
            if found:
                failed += 1
                show(found)
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    with open(f"{options.keep}/{found[0]}.py", "w",
                              encoding="utf-8", newline="") as file:
                        file.write(found[2])
            elif found is False:
                refused += 1
    print(f"{len(bases)} programs, {options.count} mutants, {refused} of them "
          "with what Duet leaves out")
    print(f"{options.count - failed - refused} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
