"""Makes a staged program that differs smaller: the differential fuzzer's
reducer, and parameters taken out together with their arguments."""
import ast

from reduce import reduce


def without_parameter(text):
    """The programs in which `f` has one parameter less."""
    count = max((len(node.args.args) for node in ast.walk(ast.parse(text))
                 if isinstance(node, ast.FunctionDef) and node.name == "f"),
                default=0)
    for at in range(count):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "f":
                if at < len(node.args.args):
                    del node.args.args[at]
                for mark in node.decorator_list:
                    specs = mark.keywords[0].value.elts \
                        if isinstance(mark, ast.Call) and mark.keywords else []
                    del specs[at:at + 1]
            elif isinstance(node, ast.Call) and \
                    isinstance(node.func, ast.Name) and \
                    node.func.id == "call":
                del node.args[at + 1:at + 2]
        yield ast.unparse(tree) + "\n"


def smaller(text, first_that_differs):
    """The smallest program found that differs in the same way."""
    before = None
    while before != text:
        before = text
        text = reduce(text, first_that_differs)
        candidates = list(without_parameter(text))
        at = first_that_differs(candidates)
        text = text if at is None else candidates[at]
    return text
