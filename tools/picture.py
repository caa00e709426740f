#!/usr/bin/env python3
"""Draws a session at the prompt as SVG: picture.py DUET OUT.svg <SESSION

Types the lines of standard input into a real terminal (tmux, which has to be
installed), waits after each until the prompt is back, and draws what the
screen then holds, colours included; a `<` in front of a line takes its indentation one level back.
docs/prompt.svg is made so:

    tools/picture.py build/duet docs/prompt.svg <docs/prompt.keys
"""
import html
import os
import re
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 100, 60
CHAR, LINE, PAD = 7.82, 17.0, 14.0
FORE, BACK = "#d6deeb", "#10151c"
# The terminal's eight colours, and their bright forms.
COLOURS = ["#5c6773", "#f07178", "#8fd68f", "#e6c07b", "#6cb6ff", "#d2a8ff",
           "#76d9d9", "#d6deeb"]
BLANK = "\u00a0" # blanks in a row would become one
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def tmux(*words):
    """The output of one tmux command on a server of our own."""
    return subprocess.run(["tmux", "-L", f"picture{os.getpid()}", *words],
                          capture_output=True, text=True, check=True).stdout


def screen():
    """The rows of the screen, with escapes for colours."""
    return tmux("capture-pane", "-p", "-e", "-t", "p").rstrip("\n").split("\n")


def settle():
    """Waits until the screen stands still and ends in a prompt."""
    before = None
    for _ in range(100):
        time.sleep(0.2)
        rows = screen()
        last = ESCAPE.sub("", rows[-1]).strip()
        if rows == before and last in (">", "."):
            return
        before = rows
    sys.exit("picture: the prompt did not come back")


def play(duet, lines):
    """What the screen holds after these lines."""
    with tempfile.TemporaryDirectory() as home:
        tmux("-f", "/dev/null", "new-session", "-d", "-s", "p", "-x",
             str(WIDTH), "-y", str(HEIGHT), "env", f"HOME={home}",
             "TERM=screen-256color", "INPUTRC=/dev/null",
             os.path.abspath(duet))
        try:
            settle()
            for line in lines:
                while line.startswith("<"): # one level less
                    tmux("send-keys", "-t", "p", "BSpace")
                    line = line[1:]
                if line: # a last `;` would part tmux's own commands
                    line = line[:-1] + line[-1].replace(";", "\\;")
                    tmux("send-keys", "-t", "p", "-l", line)
                tmux("send-keys", "-t", "p", "Enter")
                settle()
            return screen()
        finally:
            tmux("kill-server")


def pieces(row, style):
    """Pairs of style and text: a style is the attributes of a text. It goes on
    in the next row."""
    at = 0
    for found in ESCAPE.finditer(row):
        if found.start() > at:
            yield dict(style), row[at:found.start()]
        at = found.end()
        for code in (found[1] or "0").split(";"):
            number = int(code or 0)
            if number == 0:
                style.clear()
            elif number == 1:
                style["font-weight"] = "bold"
            elif number == 2:
                style["opacity"] = "0.65"
            elif number == 4:
                style["text-decoration"] = "underline"
            elif 30 <= number <= 37 or 90 <= number <= 97:
                style["fill"] = COLOURS[number % 10]
            elif number == 39:
                style.pop("fill", None)
    if at < len(row):
        yield dict(style), row[at:]


def draw(rows):
    """The SVG of a screen."""
    width = WIDTH * CHAR + 2 * PAD
    height = len(rows) * LINE + 2 * PAD
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
           f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
           f'<rect width="100%" height="100%" rx="8" fill="{BACK}"/>',
           f'<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,'
           f'monospace" font-size="13" fill="{FORE}">']
    going = {}
    for i, row in enumerate(rows):
        column = 0
        for style, text in pieces(row, going):
            if text.strip():
                said = "".join(f' {name}="{value}"'
                               for name, value in style.items())
                out.append(f'<text x="{PAD + column * CHAR:.1f}" '
                           f'y="{PAD + (i + 0.75) * LINE:.1f}" '
                           f'textLength="{len(text) * CHAR:.1f}"{said}>'
                           f"{html.escape(text.replace(' ', BLANK))}</text>")
            column += len(text)
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    duet, target = sys.argv[1:]
    rows = play(duet, sys.stdin.read().rstrip("\n").split("\n"))
    # The last prompt is where one would go on.
    with open(target, "w", encoding="utf-8") as file:
        file.write(draw(rows))


main()
