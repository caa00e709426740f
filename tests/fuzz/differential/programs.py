"""Makes the programs of a seed."""
import random

from scenarios import write_scenario
from statements import KINDS, Writer


def rows_program(rng):
    """Expressions alone, each on its own: the widest net."""
    writer = Writer(rng)
    lines = [f"{writer.fresh()} = {writer.literal(kind)}"
             for kind in KINDS if kind != "any"]
    for at, kind in enumerate(kind for kind in KINDS if kind != "any"):
        writer.declare(kind, f"v{at + 1}")
    for _ in range(25):
        lines += writer.guarded(0)
    return lines


def statements_program(rng):
    """A program of statements, in a function or at the top."""
    writer = Writer(rng)
    lines = []
    inside = rng.random() < 0.5
    writer.in_function = inside
    for kind in KINDS:
        if kind == "any" or rng.random() < 0.4:
            continue
        name = writer.fresh()
        lines.append(f"{name} = {writer.literal(kind)}")
        writer.declare(kind, name)
    for _ in range(rng.randint(3, 8)):
        if writer.budget > 0:
            lines += writer.statement(3)
    if inside:
        lines = ["def main():"] + ["    " + line for line in lines] + [
            "show(main())"]
    return lines


def scenario_program(rng):
    """One feature looked at closely, in a function or at the top."""
    writer = Writer(rng)
    writer.in_function = rng.random() < 0.3
    lines = write_scenario(writer)
    return ["def main():"] + ["    " + line for line in lines] + [
        "show(main())"] if writer.in_function else lines


def program(seed, number):
    """Text of program `number`, always the same for a seed, and whether it
    runs as a script."""
    rng = random.Random(f"{seed}/{number}")
    dice = rng.random()
    make = scenario_program if dice < 0.35 else \
        rows_program if dice < 0.6 else statements_program
    return "\n".join(make(rng)) + "\n", False
