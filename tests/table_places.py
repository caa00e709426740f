"""Tells which expression of a table printed a row, and with which values.

    python3.11 table_places.py NAME.duet NAME.out ROW…

runs the program as CPython does and prints for each of these rows of its
stored output a line: the row's number, where it comes from, the expression
and the names in it, divided by tabs.
"""
import io
import linecache
import os
import re
import runpy
import sys

PLAIN = (int, float, str, bytes, bool, type(None))
UNTOLD = (type(re), type(re.match), type)


def shown(value, depth=2):
    """A short text that calls nothing of the program's own."""
    kind = type(value)
    if kind in PLAIN:
        text = repr(value)
    elif depth and kind in (list, tuple, set, frozenset):
        text = f"{kind.__name__}({', '.join(shown(v, depth - 1) for v in value)})"
    elif depth and kind is dict:
        text = ", ".join(f"{shown(k, 0)}: {shown(v, depth - 1)}"
                         for k, v in value.items())
        text = "{" + text + "}"
    elif kind is type:
        text = value.__name__
    else:
        text = f"<{kind.__name__}>"
    return text if len(text) < 120 else text[:117] + "…"


class Recorder(io.TextIOBase):
    """Takes what is printed, and notes who began each line."""

    def __init__(self, folder):
        self.folder = folder + os.sep
        self.open = None
        self.places = {}

    def place(self):
        """The frames of the program, the innermost first."""
        frames, frame = [], sys._getframe(2)
        while frame:
            if frame.f_code.co_filename.startswith(self.folder):
                frames.append(frame)
            frame = frame.f_back
        # The innermost prints for others, unless it is the program itself.
        return [(f.f_code.co_filename, f.f_lineno, *expression(f))
                for f in frames[1:] or frames]

    def write(self, text):
        for piece in text.splitlines(True):
            if self.open is None:
                self.open = "", self.place()
            row, place = self.open[0] + piece, self.open[1]
            self.open = row, place
            if row.endswith("\n"):
                self.places.setdefault(row, []).append(place)
                self.open = None
        return len(text)


def expression(frame):
    """The text of the expression where a frame is, and what its names hold."""
    positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    line, end, start, stop = positions
    lines = linecache.getlines(frame.f_code.co_filename)[line - 1:end]
    lines[-1] = lines[-1].encode()[:stop].decode()
    lines[0] = lines[0].encode()[start:].decode()
    text = " ".join(line.strip() for line in lines)
    names = dict.fromkeys(re.findall(r"\b[^\W\d]\w*", text))
    values = frame.f_locals
    told = [f"{name} = {shown(values[name])}" for name in names
            if name in values and type(values[name]) not in UNTOLD]
    return text, ", ".join(told)


def told(place):
    """A place as the columns of a line."""
    outer = [f"{os.path.basename(file)}:{line}" for file, line, *_ in place[1:]]
    file, line, text, names = place[0]
    where = f"{os.path.basename(file)}:{line}"
    if outer:
        where += f" (from {', '.join(outer)})"
    return "\t".join([where, text, names])


def main(program, stored, *rows):
    wanted = {int(row) for row in rows}
    real = sys.stdout
    # A program may change folders.
    program, stored = os.path.abspath(program), os.path.abspath(stored)
    recorder = Recorder(os.path.dirname(program))
    sys.argv[:] = [program]
    sys.path.insert(0, os.path.dirname(program))
    sys.stdout = sys.stderr = recorder
    try:
        runpy.run_path(program, run_name="__main__")
    except BaseException:
        pass
    sys.stdout, sys.stderr = real, sys.__stderr__
    # Rows are found by their text: the n-th row of a text is the n-th one that
    # was printed, whatever a subprocess printed between.
    seen = {}
    with open(stored, errors="replace") as file:
        for number, row in enumerate(file, 1):
            seen[row] = seen.get(row, 0) + 1
            places = recorder.places.get(row, [])
            if number in wanted and seen[row] <= len(places):
                print(number, told(places[seen[row] - 1]), sep="\t")


main(*sys.argv[1:])
