"""Numbers that are not dyadic, and other dtypes: the same program with other
constants of tensors. A host's numbers stay, so that they are the same in 32
bits and in 64."""
import re

ROUGH = {"1.0": "1.1", "2.0": "1.7", "3.0": "2.9", "0.5": "0.3",
         "-0.5": "-0.7", "-2.0": "-2.3"}
CONSTANT = re.compile(r"\b(tensor|Variable)\(((\[)?-?\d+(\.)?[^()\]]*\]?)\)")
WIDE = {"float32": ("float64", "float16", "bfloat16"), "int32": ("int64",)}


def roughened(text):
    """Constants of tensors that have no end in base 2."""
    def constant(match):
        return re.sub(r"-?\d\.\d", lambda number: ROUGH.get(
            number[0], number[0]), match[0])
    return CONSTANT.sub(constant, text)


def in_dtypes(text, floats, ints):
    """Constants, signatures and casts of other dtypes."""
    def constant(match):
        dtype = floats if match[4] else ints
        made = f"tensor({match[2]}, {dtype})"
        return made if match[1] == "tensor" else f"Variable({made})"
    text = CONSTANT.sub(constant, text)
    text = re.sub(r"zeros\((\d)\)", rf"zeros(\1, {floats})", text)
    return text.replace("float32", floats).replace("int32", ints)


def with_other_numbers(text, rng, may):
    """The text, mostly with other numbers."""
    if rng.random() < 0.5 and may("rough"):
        text = roughened(text)
    dice = rng.random()
    if dice < 0.25 and may("dtypes"):
        floats = rng.choice(WIDE["float32"] if dice < 0.1
                            else WIDE["float32"][:1])
        text = in_dtypes(text, floats,
                         "int64" if rng.random() < 0.5 else "int32")
    return text
