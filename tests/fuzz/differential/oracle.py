"""CPython as a long-lived oracle: reads programs, answers what they print.

One line of JSON in, a list of [number, text, script]; one line out, an object
from each number to [output, ending]. The prelude is imported once; each program
runs in a child of its own, so that none sees what another left behind, and the
child is ended by its own alarm. `script` programs are run by a fresh python as
a file, with what they write to standard error: uncaught errors are part of it.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile

SECONDS = 10  # that a program may take
MEMORY = 4 << 30  # bytes of address space of a program


def limits():
    """For a child: a program may neither hang nor eat the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def forked(number, text, prelude):
    """Runs `text` in a child: what it wrote, and 0 or how it died."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(target, 1)
        os.close(source)
        signal.alarm(SECONDS)
        limits()
        prelude["run"](number, text)
        sys.stdout.flush()
        os._exit(0)
    os.close(target)
    parts = []
    while True:
        part = os.read(source, 1 << 16)
        if not part:
            break
        parts.append(part)
    os.close(source)
    ending = os.waitpid(child, 0)[1]
    return b"".join(parts), "hang" if ending == signal.SIGALRM else ending


def as_script(command, number, text):
    """Runs `text` as a file: output, errors and status as one text."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = os.path.join(folder, f"p{number}.py")
        with open(path, "w", encoding="utf-8",
                  errors="surrogatepass") as file:
            file.write(text)
        try:
            done = subprocess.run(
                command + [path], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                timeout=SECONDS, cwd=folder,
                preexec_fn=None if os.environ.get("FUZZ_NO_LIMIT")
                else limits)
        except subprocess.TimeoutExpired:
            return b"", "hang"
    told = done.stderr.replace(folder.encode(), b"")
    told = told.replace(b".py\", line", b"\", line")
    output = done.stdout + b"\n--- errors\n" + told
    ending = 0 if done.returncode in (0, 1) else done.returncode
    if b"runtime error:" in told or b"AddressSanitizer" in told:
        ending = "sanitizer"
    return output + b"--- status %d\n" % done.returncode, ending


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    prelude = {"__name__": "prelude"}
    with open(os.path.join(folder, "prelude.py"), encoding="utf-8") as file:
        exec(compile(file.read(), "prelude.py", "exec"), prelude)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        answer = {}
        for number, text, script in json.loads(line):
            output, ending = as_script([sys.executable], number, text) \
                if script else forked(number, text, prelude)
            answer[number] = [output.decode("utf-8", "replace"), ending]
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
