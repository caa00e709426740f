"""Takes a program apart whose differences are told by events: without what is
told, so that nothing else can hide behind it.

A staged function that traces anew when a frozen value has changed, and that no
longer does what an event tells of (an effect of the host's, a random number, a
handler), has no excuse left.
"""
import ast
import re

PLAIN = ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.For
FROZEN = re.compile(r"(?:, )?\bfrozen='\w+'")
STAGE = re.compile(r"@stage(?:\((.*)\))?$", re.M)


class Without(ast.NodeTransformer):
    """Leaves out the statements that stand in these lines."""

    def __init__(self, lines):
        self.lines = lines

    def generic_visit(self, node):
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, [
                    part for part in body
                    if not isinstance(part, PLAIN)
                    or part.lineno not in self.lines
                ] or ([ast.Pass()] if body else []))
        return node


def apart(text, lines):
    """The program without what stands in these lines, whose staged functions
    trace anew when something frozen has changed."""
    text = ast.unparse(Without(lines).visit(ast.parse(text))) + "\n"
    return STAGE.sub(
        lambda found: "@stage(" + ", ".join(filter(
            None, ((found[1] or "").strip(", "), "frozen='retrace'"))) + ")",
        FROZEN.sub("", text))
