"""Writes random statements: what programs of the fuzzer are made of.

Every loop is bounded and every recursion counts down, so that programs end.
Each statement method gives a list of lines without indentation of its own.
"""
from expressions import TEMPLATES
from grammar import Grammar
from literals import LITERALS

KINDS = ["int", "float", "bool", "str", "bytes", "list", "tuple", "dict",
         "pset", "fset", "loose", "range", "numbers", "words", "any"]
ERRORS = ["Exception", "ValueError", "TypeError", "KeyError", "IndexError",
          "LookupError", "ArithmeticError", "ZeroDivisionError",
          "(ValueError, TypeError)", "AttributeError", "StopIteration",
          "RuntimeError", "UnboundLocalError", "NameError"]
AUGMENTED = ["+=", "-=", "*=", "//=", "%=", "|=", "&=", "^=", "/=", "**=",
             ">>="]
# Methods that change their object, by the kind of it.
CHANGES = {
    "list": ["append(<any>)", "extend(<iterable>)", "insert(<small>, <any>)",
             "pop()", "pop(<small>)", "remove(<any>)", "reverse()", "clear()",
             "sort()", "sort(key=<unary>, reverse=<bool>)", "sort(key=str)",
             "__setitem__(<small>, <any>)", "__delitem__(<slice>)",
             "__iadd__(<iterable>)", "__imul__(<small>)"],
    "dict": ["update(<dict>)", "update(<iterable>)", "pop(<key>)",
             "pop(<key>, <any>)", "setdefault(<key>, <any>)", "clear()",
             "popitem()", "update(k=<any>)", "__ior__(<dict>)",
             "__setitem__(<key>, <any>)", "__delitem__(<key>)"],
    "pset": ["add(fixed(<key>))", "discard(<any>)", "remove(<key>)",
             "update(firm(<iterable>))", "update(<numbers>, <range>)",
             "difference_update(<iterable>)", "clear()", "pop()",
             "intersection_update(<iterable>, <iterable>)",
             "symmetric_difference_update(firm(<iterable>))",
             "__ior__(<set>)", "__isub__(<set>)"],
    "loose": ["add(<key>)", "discard(<any>)", "remove(<key>)", "clear()",
              "update(<iterable>)", "difference_update(<iterable>)",
              "intersection_update(<iterable>, <iterable>)",
              "symmetric_difference_update(<iterable>)", "__ior__(<loose>)",
              "__isub__(<loose>)", "__ixor__(<loose>)"],
}


def indent(lines):
    return ["    " + line for line in lines]


class Writer(Grammar):
    """A grammar that writes statements as well."""

    def __init__(self, rng):
        super().__init__(rng, LITERALS, TEMPLATES)
        self.loops = 0        # loops around the statement
        self.in_function = False
        self.in_generator = False
        self.budget = 40      # statements that may still be written

    # Blocks and their scope

    def block(self, depth, count=None):
        """Some statements; what they declare is known only inside."""
        saved = {kind: list(names) for kind, names in self.scope.items()}
        lines = []
        for _ in range(count or self.rng.choice([1, 1, 2, 2, 3])):
            lines += self.statement(depth)
        self.scope = saved
        return indent(lines)

    def statement(self, depth):
        self.budget -= 1
        choices = SIMPLE if depth <= 0 or self.budget < 0 else ALL
        name = self.rng.choice(choices)
        return getattr(self, name)(depth)

    def variable(self, kind):
        """A variable of this kind if there is one, else a new name."""
        names = self.scope.get(kind)
        if names and self.rng.random() < 0.7:
            return self.rng.choice(names)
        return None

    # Simple statements

    def assign(self, depth):
        kind = self.rng.choice(KINDS)
        name = self.variable(kind) or self.fresh()
        text = self.expr(kind, 2)
        self.declare(kind, name)
        return [f"{name} = {text}"]

    def show(self, depth):
        return [f"show({self.expr(self.rng.choice(KINDS), 3)})"]

    def guarded(self, depth):
        """An expression that may fail, alone."""
        kind = self.rng.choice(KINDS)
        return ["try:", f"    show({self.expr(kind, 3)})",
                "except Exception as error:", "    oops(error)"]

    def augmented(self, depth):
        kind = self.rng.choice(["int", "float", "str", "list", "numbers",
                                "tuple", "pset", "dict", "bytes", "any"])
        name = self.variable(kind)
        if name is None:
            return self.assign(depth)
        sign = self.rng.choice(AUGMENTED if kind in ("int", "float", "any")
                               else ["+=", "+=", "*=", "|=", "&=", "-=", "^="])
        other = "small" if sign in ("*=", "**=", ">>=") else \
            {"any": "any", "numbers": "list"}.get(kind, kind)
        value = self.expr(other, 1)
        value = f"whole({value})" if sign == "**=" else value
        return ["try:", f"    {name} {sign} {value}",
                "except Exception as error:", "    oops(error)",
                f"show({name})"]

    def change(self, depth):
        """A method that changes a container, and the container after it."""
        kind = self.rng.choice(["list", "list", "dict", "pset", "loose"])
        name = self.variable(kind)
        if name is None:
            return self.assign(depth)
        call = self.fill(self.rng.choice(CHANGES[kind]), 2)
        call = call[1:-1] if call[0] == "(" else call
        return ["try:", f"    show({name}.{call})",
                "except Exception as error:", "    oops(error)",
                f"show({name})"]

    def item(self, depth):
        """Assigns or deletes items and slices."""
        kind = self.rng.choice(["list", "list", "dict", "numbers"])
        name = self.variable(kind)
        if name is None:
            return self.assign(depth)
        place = self.rng.choice(["<key>"] if kind == "dict" else [
            "<small>", "<small>:<small>", ":<small>", "<small>:",
            "<small>:<small>:<small>", "::<small>", "::-1", ":"])
        place = f"{name}[{self.hole(place, 1)}]"
        value = "<iterable>" if ":" in place else "<any>"
        line = self.rng.choice([f"{place} = {value}", f"del {place}",
                                f"{place} = {value}",
                                f"{place}, w = {value}, {value}",
                                f"{place} += {value}"])
        return ["try:", f"    {self.hole(line, 1)}",
                "except Exception as error:", "    oops(error)",
                f"show({name})"]

    def hole(self, text, depth):
        """Like fill, without parentheses around it."""
        filled = self.fill(text, depth)
        return filled[1:-1] if filled[0] == "(" and \
            self.closes_once(filled) and text[0] != "(" else filled

    def unpack(self, depth):
        names = [self.fresh() for _ in range(self.rng.randint(1, 4))]
        targets = list(names)
        if self.rng.random() < 0.5:
            at = self.rng.randrange(len(targets))
            targets[at] = "*" + targets[at]
        if len(targets) > 2 and self.rng.random() < 0.3:
            targets[1:] = ["(" + ", ".join(targets[1:]) + ",)"]
        text = ", ".join(targets) + ("," if len(targets) == 1 else "")
        for name in names:
            self.declare("any", name)
        value = self.expr(self.rng.choice(["list", "tuple", "iterable"]), 2)
        first = " = ".join(f"{name}" for name in names)
        return [f"{first} = None", "try:", f"    {text} = {value}",
                "except Exception as error:", "    oops(error)",
                f"show({', '.join(names)})"]

    def delete(self, depth):
        name = self.fresh()
        return [f"{name} = {self.expr('any', 1)}", f"del {name}",
                "try:", f"    show({name})",
                "except NameError as error:",
                "    oops(error)"]

    def leave(self, depth):
        """break, continue, return or raise, where one may stand."""
        if self.loops and self.rng.random() < 0.6:
            return [f"if {self.expr('bool', 1)}:",
                    "    " + self.rng.choice(["break", "continue"])]
        if self.in_function and self.rng.random() < 0.6:
            return [f"if {self.expr('bool', 1)}:",
                    f"    return {self.expr('any', 1)}"]
        return self.fail(depth)

    def fail(self, depth):
        error = self.rng.choice(["ValueError", "KeyError", "TypeError",
                                 "StopIteration", "ArithmeticError"])
        tail = self.rng.choice(["", "", " from None", " from KeyError(1)"])
        return [f"if {self.expr('bool', 1)}:",
                f"    raise {error}({self.expr('any', 1)}){tail}"]

    def give(self, depth):
        """A yield, in a generator."""
        if not self.in_generator:
            return self.show(depth)
        return [self.rng.choice([
            f"yield {self.expr('any', 1)}",
            f"show((yield {self.expr('any', 1)}))",
            f"yield from {self.expr('iterable', 1)}",
            f"sent = yield\nshow(sent)".replace("\n", "; ")])]

    def check(self, depth):
        return [f"assert {self.expr('any', 2)}, {self.expr('any', 1)}"] \
            if self.rng.random() < 0.3 else self.guarded(depth)

    # Compound statements

    def branch(self, depth):
        lines = [f"if {self.expr('bool', 2)}:"] + self.block(depth - 1)
        if self.rng.random() < 0.3:
            lines += [f"elif {self.expr('any', 2)}:"] + self.block(depth - 1)
        if self.rng.random() < 0.5:
            lines += ["else:"] + self.block(depth - 1)
        return lines

    def loop(self, depth):
        name = self.fresh("i")
        kind = self.rng.choice(["iterable", "numbers", "words", "range"])
        source = self.expr(kind, 2)
        target = name
        self.loops += 1
        saved = dict(self.scope)
        self.declare({"numbers": "int", "range": "int", "words": "str"}
                     .get(kind, "any"), name)
        lines = [f"for {target} in itertools.islice({source}, 12):"]
        if kind == "numbers":
            lines = [f"for {target} in {source}:"]
        lines += self.block(depth - 1)
        self.scope = saved
        self.loops -= 1
        if self.rng.random() < 0.3:
            lines += ["else:"] + self.block(depth - 1, 1)
        return lines

    def while_loop(self, depth):
        name = self.fresh("n")
        self.loops += 1
        lines = [f"{name} = {self.rng.randint(1, 5)}",
                 f"while {name} > 0 and {self.expr('any', 1)}:",
                 f"    {name} -= 1"] + self.block(depth - 1)
        self.loops -= 1
        if self.rng.random() < 0.4:
            lines += ["else:"] + self.block(depth - 1, 1)
        return lines

    def attempt(self, depth):
        lines = ["try:"] + self.block(depth - 1)
        for _ in range(self.rng.randint(0, 2)):
            lines += [f"except {self.rng.choice(ERRORS)} as error:",
                      "    oops(error)"] + self.block(depth - 1, 1)
        if lines[-1].startswith("    ") and \
                any(line.startswith("except") for line in lines):
            if self.rng.random() < 0.3:
                lines += ["except BaseException:", "    show('any error')"]
                if self.rng.random() < 0.4:
                    lines += ["    raise"]
            if self.rng.random() < 0.3:
                lines += ["else:"] + self.block(depth - 1, 1)
            if self.rng.random() < 0.4:
                lines += ["finally:"] + self.block(depth - 1, 1)
        else:
            lines += ["finally:"] + self.block(depth - 1, 1)
        return lines

    def manager(self, depth):
        items = ", ".join(
            f"Guard({self.rng.randint(0, 9)}, {self.expr('bool', 0)})"
            + self.rng.choice(["", f" as {self.fresh('g')}"])
            for _ in range(self.rng.choice([1, 1, 2])))
        return [f"with {items}:"] + self.block(depth - 1)

    # Functions

    def parameters(self):
        """A parameter list, its names, and a call's arguments that mostly
        fit."""
        rng = self.rng
        names, parts, arguments = [], [], []
        for _ in range(rng.randint(0, 2)):
            name = self.fresh("p")
            names.append(name)
            parts.append(name)
            arguments.append(self.expr("any", 1))
        if parts and rng.random() < 0.2:
            parts.append("/")
        if rng.random() < 0.4:
            name = self.fresh("p")
            names.append(name)
            parts.append(f"{name}={self.expr('any', 1)}")
            if rng.random() < 0.5:
                arguments.append(rng.choice(["", f"{name}="])
                                 + self.expr("any", 1))
        dice = rng.random()
        if dice < 0.3:
            name = self.fresh("p")
            names.append(name)
            parts.append("*" + name)
        if dice < 0.4:
            if dice >= 0.3:
                parts.append("*")
            name = self.fresh("p")
            names.append(name)
            parts.append(name + rng.choice(["", f"={self.expr('any', 1)}"]))
            arguments.append(f"{name}={self.expr('any', 1)}")
        if rng.random() < 0.2:
            name = self.fresh("p")
            names.append(name)
            parts.append("**" + name)
            arguments.append(f"extra={self.expr('any', 1)}")
        if rng.random() < 0.1:
            arguments.insert(0, "*" + self.expr("list", 1))
        if rng.random() < 0.08 and arguments:
            arguments.pop()
        if rng.random() < 0.05:
            arguments.append(f"**{self.expr('dict', 1)}")
        return names, ", ".join(parts), ", ".join(arguments)

    def body(self, depth, names, generator=False):
        """The body of a function; loops around it do not count."""
        saved = (self.loops, self.in_function, self.in_generator, self.scope)
        self.loops, self.in_function, self.in_generator = 0, True, generator
        # A function that assigns a name of outside makes it local: mostly
        # left alone, as each such read is an error.
        self.scope = {} if self.rng.random() < 0.6 else \
            {kind: list(held) for kind, held in self.scope.items()}
        for name in names:
            self.declare("any", name)
        lines = self.block(depth - 1)
        if generator:
            lines += indent(self.give(depth))
        lines += indent([f"return {self.expr('any', 2)}"])
        self.loops, self.in_function, self.in_generator, self.scope = saved
        return lines

    def function(self, depth):
        name = self.fresh("f")
        names, parameters, arguments = self.parameters()
        lines = [f"def {name}({parameters}):"] + self.body(depth, names)
        return lines + ["try:", f"    show({name}({arguments}))",
                        "except Exception as error:", "    oops(error)"]

    def generator(self, depth):
        name, made = self.fresh("f"), self.fresh("g")
        lines = [f"def {name}():"] + self.body(depth, [], True)
        lines += [f"{made} = {name}()"]
        for _ in range(self.rng.randint(1, 5)):
            step = self.rng.choice([
                f"next({made})", f"{made}.send({self.expr('any', 1)})",
                f"next({made}, 'end')", f"{made}.throw(ValueError(1))",
                f"{made}.close()", f"list({made})", f"{made}.send(None)",
                f"{made}.throw(KeyError)", f"next({made})"])
            lines += ["try:", f"    show({step})",
                      "except Exception as error:", "    oops(error)"]
        return lines

    def closure(self, depth):
        outer, inner = self.fresh("f"), self.fresh("f")
        kind = self.rng.choice(["int", "list", "str"])
        change = {"int": "count += <small>", "list": "count += [<any>]",
                  "str": "count += <str>"}[kind]
        return [f"def {outer}():", f"    count = {self.expr(kind, 1)}",
                f"    def {inner}(step={self.expr('any', 0)}):",
                "        " + self.rng.choice(["nonlocal count", "nonlocal count",
                                             "pass"]),
                f"        {self.hole(change, 1)}",
                "        return count, step",
                f"    return {inner}, lambda: count",
                "try:", f"    step, look = {outer}()",
                "    show(step(), look(), step(1), look())",
                "except Exception as error:", "    oops(error)"]

    def recursion(self, depth):
        name = self.fresh("f")
        step = self.rng.choice([
            f"[{name}(n - 1)]", f"{name}(n - 1) + {name}(n - 2)",
            f"({name}(n - 1), n)", f"n + {name}(n - 2)",
            f"{{n: {name}(n - 1)}}"])
        return [f"def {name}(n):", "    if n <= 0:",
                f"        return {self.expr('small', 0)}",
                f"    return {step}", "try:", f"    show({name}(6))",
                "except Exception as error:", "    oops(error)"]

    def evaluate(self, depth):
        """In a function without its locals: CPython keeps a snapshot of them
        with the frame, and so alive what they held."""
        scope = self.scope
        if self.in_function:
            self.scope = {}
        text = self.expr("any", 2)
        self.scope = scope
        names = ", globals()" if self.in_function else ""
        return ["try:", f"    show(eval({text!r}{names}))",
                "except Exception as error:", "    oops(error)"]

    def klass(self, depth):
        from classes import write_class
        return write_class(self)


SIMPLE = ["assign", "assign", "show", "guarded", "guarded", "augmented",
          "change", "item", "unpack", "leave", "give", "check"]
ALL = SIMPLE + ["branch", "loop", "loop", "while_loop", "attempt", "attempt",
                "manager", "function", "function", "generator", "closure",
                "recursion", "evaluate", "klass", "klass", "delete", "fail"]
