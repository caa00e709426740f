"""Runs batches of staged programs in one duet process each, and judges.

A process that dies goes on behind the program that killed it.
"""
import ast
import functools
import os
import re
import resource
import subprocess
import sys
import tempfile

from apart import apart
from judge import ASTRAY, Judge, Step, Verdict

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 60  # that a batch may take
ROUNDS = 2  # of taking out what is told
MEMORY = 4 << 30  # bytes of address space of a batch
NUMBER = re.compile(r"@ (eager|staged|end) (\d+)")
ROW = re.compile(r"@ (effects|frozen|told) ")


class Program:
    """A number, a text, and what the generator put into it."""

    def __init__(self, number, text, features=frozenset()):
        self.number, self.text, self.features = number, text, features


class Record:
    """The two runs of a program, as far as they got. What is printed of them
    is only read where the two differ."""

    def __init__(self):
        self.lines = {"eager": [], "staged": []}
        self.rows = {}  # "effects" and others: what the ledgers hold, as text
        self.ended = False
        self.note = ""  # why it did not

    @functools.cached_property
    def runs(self):
        """The steps of each run."""
        return {mode: read_steps(lines) for mode, lines in self.lines.items()}

    effects = functools.cached_property(lambda self: self.ledger("effects"))
    frozen = functools.cached_property(lambda self: self.ledger("frozen"))
    told = functools.cached_property(lambda self: self.ledger("told"))

    def ledger(self, name):
        """The rows of one of the ledgers."""
        return ast.literal_eval(self.rows.get(name, "[]"))

    @property
    def codes(self):
        """What events tell, by their codes."""
        return [code for _, code in self.told]

    def causes(self):
        """The lines of what leads the two runs different ways."""
        return {row[0] for row in self.effects} | \
            {line for line, code in self.told if code in ASTRAY}

    def verdict(self, lenient, text, anew=False):
        """What the judge says of the program with this text; `anew`: whose
        functions trace anew when something frozen has changed."""
        if not self.ended and not self.runs["staged"] and \
                self.note.startswith("hang"):
            return Verdict(how="endless")  # eagerly too
        if not self.ended:
            return Verdict("crash", "the process ended", "unexplained")
        if self.lines["eager"] == self.lines["staged"]:
            return Verdict()
        if any(step.error and step.error[0] == "MemoryError"
               for run in self.runs.values() for step in run):
            return Verdict(how="endless")  # a list that each turn doubles
        derived = "graded" in text
        if "Tape(" in text:
            derived += order(ast.parse(text))
        if derived:
            derived += hands_on(ast.parse(text))
        return Judge(self.runs["eager"], self.runs["staged"], self.effects,
                     self.frozen, self.codes, lenient, derived,
                     anew).verdict()


def limits():
    """A program may not eat the machine."""
    if not os.environ.get("FUZZ_NO_LIMIT"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read_records(output):
    """A dict: number of a program, its Record."""
    found, record, lines = {}, Record(), []
    for line in output.split("\n"):
        mark = NUMBER.fullmatch(line)
        row = ROW.match(line)
        if mark:
            record = found.setdefault(int(mark[2]), Record())
            record.ended = mark[1] == "end"
            lines = record.lines.get(mark[1], [])
        elif row:
            record.rows[row[1]] = line[row.end():]
        elif line:
            lines.append(line)
    return found


def read_steps(lines):
    """The steps of a run: what each printed stands in front of its record."""
    steps, step = [], Step()
    for line in lines:
        if not line.startswith("@ "):
            (step.graph if line.startswith("s") else step.host).append(line)
            continue
        _, name, text = line.split(" ", 2)
        value = ast.literal_eval(text)
        if name == "state":
            if steps:
                steps[-1].state = value
        elif name == "before":
            step.before = value
        else:
            setattr(step, name, value)
            steps.append(step)
            step = Step()
    return steps


def prelude(*names):
    """The texts that stand in front of each batch."""
    parts = []
    for name in names:
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            parts.append(file.read())
    return "".join(parts)


class Runner:
    """Runs programs under `duet`."""

    limits = staticmethod(limits)

    def __init__(self, duet, lenient=(), seconds=SECONDS):
        self.duet, self.lenient, self.seconds = duet, lenient, seconds
        self.head = prelude("prelude.py", "prelude_duet.py")

    def command(self, path):
        """What runs the file of a batch."""
        return [self.duet, path]

    def batch(self, programs):
        """Output and status of one process."""
        text = self.head + "".join(
            f"run({program.number}, {program.text!r})\n"
            for program in programs)
        with tempfile.NamedTemporaryFile("w", suffix=".py",
                                         encoding="utf-8") as file:
            file.write(text)
            file.flush()
            try:
                done = subprocess.run(
                    self.command(file.name), stdin=subprocess.DEVNULL,
                    capture_output=True, timeout=self.seconds,
                    preexec_fn=self.limits,
                    env=dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1",
                             PYTHONHASHSEED="0"))
                return done.stdout, done.returncode, done.stderr
            except subprocess.TimeoutExpired as error:
                return error.stdout or b"", "hang", b""

    def records(self, programs):
        """A dict: number, Record, for all of them."""
        found, left = {}, list(programs)
        while left:
            output, status, errors = self.batch(left)
            part = read_records(output.decode("utf-8", "replace"))
            found.update(part)
            if status == 0:
                break
            if not part:
                raise RuntimeError(f"{self.duet}: {status}\n"
                                 + errors.decode("utf-8", "replace")[-3000:])
            last = max(part)
            found[last].ended = False
            found[last].note = f"{status} " + \
                errors.decode("utf-8", "replace")[-600:]
            left = [program for program in left if program.number > last]
        return found

    def judge(self, programs):
        """Pairs of each program and its Verdict."""
        found = self.records(programs)
        pairs = [(program, self.judged(program, found[program.number]))
                 for program in programs]
        hidden = self.hidden([(program, found[program.number])
                              for program, verdict in pairs
                              if verdict.how == "event"])
        return [(program, hidden.get(program.number, verdict))
                for program, verdict in pairs]

    def judged(self, program, record, anew=False):
        """The verdict on one program."""
        verdict = record.verdict(self.lenient, program.text, anew)
        if verdict.kind == "crash":
            verdict.detail = record.note
        if self.explained(program, record, verdict):
            return Verdict(how="event", step=verdict.step)
        if verdict.kind == "aside" and "aside" in self.lenient and \
                is_aside(program.text, record.runs["staged"][verdict.step]):
            return Verdict(how="refused", step=verdict.step)
        return verdict

    def hidden(self, pairs):
        """A dict: number, Verdict, of those of the programs that differ still
        where what is told of them is taken out, and nothing tells it."""
        bad = {}
        for _ in range(ROUNDS):  # what is left may do what it did not before
            parts = {program.number:
                     Program(program.number,
                             apart(program.text, record.causes()))
                     for program, record in pairs}
            found = self.records(parts.values()) if parts else {}
            verdicts = {number: self.judged(part, found[number], True)
                        for number, part in parts.items()}
            bad.update((number, verdict)
                       for number, verdict in verdicts.items() if verdict.kind)
            pairs = [(parts[number], found[number])
                     for number, verdict in verdicts.items()
                     if verdict.how == "event" and found[number].causes()]
        return bad

    def explained(self, program, record, verdict):
        """Whether a change of the program shows where a difference is from."""
        if verdict.kind == "text" and "None" in program.text:
            # Which operation of a line fails first is seen where sizes are.
            return self.ended_by(program, closed(program.text), verdict)
        if verdict.kind in ("result", "state", "print") and \
                "text" in record.codes:
            return self.ended_by(program, unmeasured(program.text), verdict)
        if verdict.kind == "aside":
            # What comes behind an error of run time is traced, handler or not.
            return self.ended_by(program, unhandled(program.text), verdict)
        kinds = "skipped", "print", "line", "class", "text"
        return verdict.kind in kinds and \
            self.unneeded(program, record.runs["eager"], verdict)

    def ended_by(self, program, text, verdict):
        """Whether the difference is gone in this text of the program."""
        [record] = self.records([Program(program.number, text)]).values()
        said = record.verdict(self.lenient, text)
        return said.kind is None or said.step > verdict.step

    def unneeded(self, program, eager, verdict):
        """Whether what failed eagerly alone is an operation that nobody needs
        (D105): as soon as its value is printed it fails staged as well."""
        error = eager[verdict.step].error
        text = printed(program.text, error[2]) if error else None
        if text is None:
            return False
        if verdict.kind in ("print", "line"):  # what comes behind it differs no more
            return self.ended_by(program, text, verdict)
        [record] = self.records([Program(program.number, text)]).values()
        steps = record.runs["staged"]
        said = 2 if verdict.kind == "text" else 1
        return verdict.step < len(steps) and \
            (steps[verdict.step].error or [])[:said] == error[:said]

    def differs(self, kind, detail):
        """A test for the reducer: which of the texts differs likewise?"""
        def test(texts):
            pairs = self.judge([Program(at, text)
                                for at, text in enumerate(texts)
                                if ends(text)])
            return next((program.number for program, verdict in pairs
                         if verdict.kind == kind
                         and shape(verdict.detail) == detail), None)
        return test


def is_aside(text, step):
    """Whether the error of tracing is of an operation that stands in the line,
    which other turns and sides meet with other operands."""
    _, said, line, _, classes, _ = step.error
    operation = said.split(":")[0] + "("
    return "OpError" in classes and operation in text.split("\n")[line - 1]


def order(node):
    """How many Tapes stand around each other in it."""
    tape = isinstance(node, ast.With) and "Tape(" in \
        ast.unparse(node.items[0])
    return tape + max(map(order, ast.iter_child_nodes(node)), default=0)


def hands_on(tree):
    """Whether a function with an `if` returns a parameter: what flows to it as
    that result is then summed by itself (docs/decisions.md)."""
    def returned(function):
        return {part.id for end in ast.walk(function)
                if isinstance(end, ast.Return)
                for part in (end.value.elts if isinstance(end.value, ast.Tuple)
                             else [end.value]) if isinstance(part, ast.Name)}
    return any(returned(function) & {one.arg for one in function.args.args}
               for function in ast.walk(tree)
               if isinstance(function, ast.FunctionDef)
               and any(isinstance(part, ast.If) for part in ast.walk(function)))


def computed(value):
    """The parts of an expression that are computed, inner ones first."""
    if isinstance(value, (ast.Lambda, ast.ListComp, ast.GeneratorExp)):
        return [value]
    return [part for child in ast.iter_child_nodes(value)
            for part in computed(child)] + (
        [value] if isinstance(value, (ast.BinOp, ast.Call, ast.Compare,
                                      ast.Subscript, ast.IfExp)) else [])


def printed(text, line):
    """The program with all that the statement at a line computes printed in
    front of it, or None."""
    tree = ast.parse(text)
    for parent in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(parent, name, None)
            for at, node in enumerate(body if isinstance(body, list) else []):
                value = getattr(node, "value", getattr(node, "test", None))
                if isinstance(node, ast.Delete):
                    value = node.targets[0]
                if node.lineno != line or value is None:
                    continue
                target = node.targets[0] if isinstance(node, ast.Assign) \
                    else getattr(node, "target", None)
                left = target and ast.parse(ast.unparse(target)).body[0].value
                if isinstance(node, ast.AugAssign):
                    value = ast.BinOp(left, node.op, value)
                elif isinstance(left, ast.Subscript):
                    value = ast.Tuple([value, left])
                # One by one: the line may fail in the midst of it.
                body[at:at] = ast.parse("\n".join(
                    f"stage.print('s', *parts([{ast.unparse(part)}]))"
                    for part in computed(value))).body
                return ast.unparse(tree) + "\n"
    return None


def closed(text):
    """The program without signatures, which leave sizes open."""
    return re.sub(r"@stage\(signature=.*\)$", "@stage", text, flags=re.M)


class Unhandled(ast.NodeTransformer):
    """What is raised is not handled."""

    def visit_Try(self, node):
        self.generic_visit(node)
        return ast.Try(node.body, [], [], node.finalbody + node.orelse
                       or [ast.Pass()])


def unhandled(text):
    """The program without handlers: an error that eager code handled, and that
    ends what comes behind it, ends the call."""
    return ast.unparse(Unhandled().visit(ast.parse(text))) + "\n"


class Unmeasured(ast.NodeTransformer):
    """Texts have the length 0."""

    def visit_Call(self, node):
        self.generic_visit(node)
        return ast.Constant(0) if ast.unparse(node.func) == "len" and \
            isinstance(node.args[0], ast.JoinedStr) else node


def unmeasured(text):
    """The program without the lengths of texts, which differ where a text
    made while tracing has a tensor's name in place of its value (D107)."""
    return ast.unparse(Unmeasured().visit(ast.parse(text))) + "\n"


def ends(text):
    """Whether each `while` of a smaller program still counts its turns: one
    that runs forever would cost the reducer seconds."""
    return all(isinstance(loop.body[0], ast.AugAssign)
               and ast.unparse(loop.body[0].value) == "1"
               and (isinstance(loop.test, ast.Compare)
                    or isinstance(loop.test, ast.BoolOp)
                    or len(loop.body) > 1
                    and isinstance(loop.body[1], ast.If)
                    and isinstance(loop.body[1].body[0], ast.Break))
               for loop in ast.walk(ast.parse(text))
               if isinstance(loop, ast.While))


def shape(detail):
    """What two differences of one cause share, without numbers and names."""
    detail = re.sub(r"\bv\d+\b|'[^']*'(?=:)", "v", detail)
    return re.sub(r"-?\d+\.?\d*(e[-+]?\d+)?", "#", detail)[:60]


if __name__ == "__main__":
    # runner.py DUET FILE…: judges the programs of the files.
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as source:
            [(_, said)] = Runner(sys.argv[1]).judge([Program(0,
                                                             source.read())])
        print(path, said.how, said.kind, said.detail)
