"""Writes programs about one feature each: what surrounds it, and probes.

A scenario (scenario_texts.py, scenario_more.py) is a text and a list of probes.
In both a hole such as `<int>` is an expression, `«a¦b»` one of its parts, `$C` a
fresh name, the same one all over the program, and `⏎` ends a line. A line of
the text that begins with `?` may be left out, with the lines below it that
stand further in. Each probe runs for itself, so that an error ends no more than
that.
"""
import re

from grammar import HOLE
import scenario_more
import scenario_texts

CHOICE = re.compile("«([^«»]*)»")
SCENARIOS = scenario_texts.SCENARIOS + scenario_more.SCENARIOS


def chosen(g, text):
    """The text with one part taken of each choice, the inner ones first."""
    while CHOICE.search(text):
        text = CHOICE.sub(
            lambda match: g.rng.choice(match[1].split("¦")), text)
    return text


def kept(g, text):
    """The lines that are not left out."""
    lines, edge = [], None  # edge: how far in the line stands that was dropped
    for line in text.strip("\n").split("\n"):
        inside = len(line) - len(line.lstrip(" ?"))
        if edge is not None and inside > edge:
            continue
        edge = None
        if line.lstrip().startswith("?"):
            if g.rng.random() < 0.5:
                edge = inside
                continue
            line = line.replace("?", " ", 1)
        lines.append(line)
    return lines


def named(g, text, names):
    """The text with fresh names; `names` holds those that were given."""
    def name(match):
        if match[1] not in names:
            names[match[1]] = g.fresh(match[1].lower())
        return names[match[1]]
    return re.sub(r"\$([A-Z])", name, text)


def written(g, text, names):
    """The text with all that it leaves open decided."""
    text = named(g, chosen(g, text), names).replace("⏎", "\n")
    # Each hole stands for a value: what the program has in variables so far
    # would make few of them different.
    scope, g.scope = g.scope, {}
    text = HOLE.sub(lambda hole: g.expr(hole[1], 1), text)
    g.scope = scope
    return text


def guarded(text):
    """The lines of a text, and what is shown if they fail. Where in the body
    of an enum its values are found wrong is CPython's own way of making it."""
    tell = "oops" if "(enum." in text else "trace"
    return ["try:"] + ["    " + line for line in text.split("\n")] + [
        "except Exception as error:", f"    {tell}(error)"]


def write_scenario(g):
    """A feature, set up once and probed several times."""
    text, probes = g.rng.choice(SCENARIOS)
    names = {}
    lines = guarded(written(g, "\n".join(kept(g, text)), names))
    probes = probes.strip("\n").split("\n")
    for _ in range(g.rng.randint(4, 10)):
        lines += guarded(written(g, g.rng.choice(probes), names))
    return lines
