"""Makes a program that differs smaller, as long as it still differs."""
import ast
import itertools
import warnings

BUDGET = 3000  # attempts for one program


def blocks(tree):
    """All lists of statements in a tree."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield node, name, block


def without_statements(text):
    """Smaller programs: runs of statements taken out, large ones first."""
    tree = ast.parse(text)
    shapes = [(at, len(block)) for at, (_, _, block)
              in enumerate(blocks(tree))]
    for at, length in shapes:
        size = length
        while size:
            for start in range(0, length, size):
                copy = ast.parse(text)
                node, name, block = list(blocks(copy))[at]
                del block[start:start + size]
                if not block and name == "body":
                    block.append(ast.Pass())
                yield copy
            size //= 2


def lifted(text):
    """Programs in which a compound statement is replaced by its body."""
    count = len(list(blocks(ast.parse(text))))
    for at in range(count):
        copy = ast.parse(text)
        _, _, block = list(blocks(copy))[at]
        for place, statement in enumerate(block):
            inner = getattr(statement, "body", None)
            if isinstance(inner, list) and not isinstance(
                    statement, (ast.FunctionDef, ast.ClassDef)):
                block[place:place + 1] = inner
                yield copy
                break


def expressions(tree):
    """Places of expressions: (holder, field, index or None)."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield node, field, None
            elif isinstance(value, list):
                for at, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        yield node, field, at


def simpler(text):
    """Programs in which an expression is replaced by one inside of it."""
    count = len(list(expressions(ast.parse(text))))
    for at in range(count):
        for choice in range(5):
            copy = ast.parse(text)
            node, field, index = list(expressions(copy))[at]
            holder = getattr(node, field)
            old = holder if index is None else holder[index]
            inner = [child for child in ast.walk(old)
                     if isinstance(child, ast.expr)][1:]
            options = inner[:3] + [ast.Constant(1), ast.Constant("")]
            if isinstance(old, ast.Constant) or choice >= len(options):
                continue
            if index is None:
                setattr(node, field, options[choice])
            else:
                holder[index] = options[choice]
            yield copy


def smaller_texts(way, best):
    """Texts of the programs that `way` makes of `best`, if they compile."""
    for tree in way(best):
        try:
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            compile(text, "smaller", "exec")
        except (SyntaxError, ValueError, TypeError, AttributeError,
                RecursionError):
            continue
        if len(text) < len(best):
            yield text


def groups(texts):
    """The texts in lists of a size that grows: early ones often do."""
    texts, size = iter(texts), 4
    while True:
        group = list(itertools.islice(texts, size))
        if not group:
            return
        yield group
        size = min(size * 2, 32)


def reduce(text, first_that_differs):
    """The smallest program found that differs. `first_that_differs(texts)`
    gives the place of the first one that still does, or None."""
    warnings.simplefilter("ignore")
    left = BUDGET
    best = text
    progress = True
    while progress and left > 0:
        progress = False
        for way in (without_statements, lifted, simpler):
            again = True
            while again and left > 0:
                again = False
                for group in groups(smaller_texts(way, best)):
                    left -= len(group)
                    at = first_that_differs(group)
                    if at is not None:
                        best = group[at]
                        again = progress = True
                    if again or left <= 0:
                        break
    return best
