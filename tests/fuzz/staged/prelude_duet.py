# The part of the prelude that is Duet's: each program runs eagerly, then
# staged; the staged run ends with what staging has recorded of it.
import csv
import io
import os
import queue
import tempfile
import data
import numpy

FOLDER = tempfile.TemporaryDirectory()
MODE = ["eager"]


def path(name):
    """A place for a file, which each run has for itself."""
    folder = os.path.join(FOLDER.name, MODE[0])
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)


def saved(function, *args, **named):
    """What the function gives once it was saved and loaded again, with the
    program's Variables; its graph's text is read as what it was."""
    if MODE[0].startswith("eager"):
        return function(*args, **named)
    concrete = function.concrete(*args, **named)
    text = str(concrete.graph)
    if str(Graph.parse(text)) != text:
        raise RuntimeError("another graph: " + text)
    stage.save(path("saved"), concrete)
    loaded = stage.load(path("saved"))
    pairs = list(zip([held for held in concrete.captures
                      if isinstance(held, Variable)], loaded.variables))
    for own, other in pairs:
        other.assign(own)
    try:
        return loaded(*args, **named)
    finally:
        for own, other in pairs:
            own.assign(other)


NAMES.update(data=data, np=numpy, collections=collections, path=path,
             csv=csv, io=io, os=os, queue=queue,
             saved=saved)
TENSORS = ("Tensor",)
ARRAYS = ("ndarray", *(kind + size for kind in ("float", "int")
                       for size in ("16", "32", "64")))
VARIABLES = ("Variable",)
SYMBOLS = ("SymbolicTensor",)
# Events that one code has with others, by how they begin.
TOLD = {"argument": "an argument", "alias": "joined twice",
        "order": "a dict in the order", "rows": "a gradient of rows",
        "unused": "a gradient of what a block",
        "identity": "whether two objects", "text": "a text made",
        "class": "a type", "given": "argument '"}


def listed(value):
    """Host numbers; texts of bytes as they print."""
    return value.tolist() if str(value.dtype) != "string" else repr(value)


def execute(text, space):
    """Runs the program in its names."""
    exec(compile(text, FILE[0], "exec"), space)


def parts(value):
    """What a structure is made of: a text of it would be one made too early."""
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, (list, tuple, set, collections.deque)):
        return [part for item in value for part in parts(item)]
    return parts(list(vars(value).values())) if hasattr(value, "__dict__") \
        and type(value).__name__ not in SYMBOLS else [value]


NAMES["parts"] = parts


def events(space):
    """Records what the ledgers of the program's staged functions hold."""
    spaces = [space] + [vars(value) for value in space.values()
                        if type(value) is type]
    found = {id(value): value for names in spaces for value in names.values()
             if type(value).__name__ == "staged"}
    rows, frozen, told = [], [], []
    for function in found.values():
        rows += [row[1:] for row in stage.effects(function)]
        told += [row[1:3] for row in stage.events(function)]
        told += [(row[1], code) for row in stage.events(function)
                 for code, words in TOLD.items() if row[3].startswith(words)]
        frozen += [(row[1], row[2], row[4])
                   for row in stage.frozen(function)]
    print("@ effects", repr(rows))
    print("@ told", repr(told))
    print("@ frozen", repr(frozen))


def run(number, text):
    """One program, eagerly and staged."""
    for mode in ("eager", "staged"):
        print(f"@ {mode} {number}")
        sys.stdout.flush()
        stage.eager(mode == "eager")
        MODE[0] = f"{mode}{number}"
        world = World()
        world.run(text)
    events(world.space)
    print(f"@ end {number}")
    sys.stdout.flush()


