"""Programs of tensor functions alone: every dtype, ranks 0 to 3, sizes that
change from call to call and are open or not, odd numbers, in branches, loops
and Variables.

A dtype and a shape are known of each name. A shape's sizes are tuples: what
the size is in each of the calls; one that depends on values is an Open.
"""
import re

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int32", "int64", "int16", "int8", "uint8")
DTYPES = ("float32",) * 6 + FLOATS + ("int32",) * 2 + INTS + ("bool",)
NUMBERS = FLOATS + INTS
SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 8, 17, 33)
ODD = {"float": ("float('nan')", "float('inf')", "-float('inf')", "-0.0",
                 "1e-40", "3e38", "-6e4", "88.5", "2147483648.0", "1e-7"),
       "int": ("127", "-128", "2147483647", "-2147483648", "-1", "0",
               "9223372036854775807", "255")}
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767),
          "int32": (-2**31, 2**31 - 1), "int64": (-2**63, 2**63 - 1)}

# What keeps dtype and shape, by the dtypes that it takes.
UNARY = {
    "floats": "sqrt rsqrt exp expm1 log log1p log2 log10 sin cos tan asin acos"
    " atan sinh cosh tanh asinh acosh atanh erf sigmoid softplus gelu floor"
    " ceil trunc round reciprocal".split(),
    "numbers": "negative abs sign square relu".split(),
    "ints": ["bitwise_invert"], "bool": ["logical_not"],
    "floats->bool": "isnan isinf isfinite signbit".split()}
BINARY = {
    "floats": "divide copysign atan2 hypot logaddexp pow".split(),
    "numbers": "add add subtract subtract multiply multiply maximum minimum"
    " floor_divide remainder".split(),
    "ints": "bitwise_and bitwise_or bitwise_xor bitwise_left_shift"
    " bitwise_right_shift pow".split(),
    "bool": "logical_and logical_or logical_xor".split(),
    "->bool": "equal not_equal less less_equal greater greater_equal".split()}
REDUCTIONS = {"floats": "mean var std logsumexp norm".split(),
              "numbers": "sum sum prod max min argmax argmin".split(),
              "bool": ["any", "all", "sum"]}
SAME = {"add": "+", "subtract": "-", "multiply": "*", "floor_divide": "//",
        "remainder": "%", "pow": "**", "divide": "/", "equal": "==",
        "less": "<", "greater": ">", "less_equal": "<=", "not_equal": "!=",
        "bitwise_and": "&", "bitwise_or": "|"}


class Open:
    """A size that depends on values; equal to itself alone."""


class Tensor:
    """An expression's text, dtype and shape."""

    def __init__(self, text, dtype, shape):
        self.text, self.dtype, self.shape = text, dtype, tuple(shape)

    def like(self, text, dtype=None, shape=None):
        """Another one; what is not said is as here."""
        return Tensor(text, dtype or self.dtype,
                      self.shape if shape is None else shape)


def resized(size, change):
    """A size after `change` in each call."""
    return Open() if isinstance(size, Open) else \
        tuple(max(0, change(one)) for one in size)


def group(dtype):
    """The rows of a table that take the dtype."""
    return ("floats", "numbers", "floats->bool", "->bool") \
        if dtype in FLOATS else \
        ("ints", "numbers", "->bool") if dtype in INTS else ("bool", )


class Tensors:
    """Writes one program."""

    def __init__(self, rng, may, mark):
        self.rng, self.may, self.mark = rng, may, mark
        self.calls = rng.randint(2, 4)
        self.sizes = [tuple(rng.choice(SIZES) for _ in range(self.calls))
                      for _ in range(2)]
        self.fixed = [(rng.choice(SIZES[1:]),) * self.calls for _ in range(2)]
        self.open = rng.choice(("no", "no", "sizes", "sizes", "rank",
                                "relax"))
        self.odd = rng.random() < 0.4
        self.scope, self.variables, self.counts = [], [], 0

    # --- values ---

    def fresh(self, letter):
        """A name of its own."""
        self.counts += 1
        return f"{letter}{self.counts}{self.mark}"

    def number(self, dtype):
        """A literal of the dtype."""
        rng = self.rng
        if dtype == "bool":
            return rng.choice(("True", "False"))
        if dtype in FLOATS:
            if self.odd and rng.random() < 0.25:
                return rng.choice(ODD["float"])
            return rng.choice((f"{rng.uniform(-4, 4):.2f}",
                               f"{rng.randint(-4, 4)}.0", "0.5"))
        low, high = RANGES[dtype]
        if self.odd and rng.random() < 0.25:
            return str(min(high, max(low, int(rng.choice(ODD["int"])))))
        return str(rng.randint(max(low, -9), 9))

    def literal(self, dtype, shape):
        """A tensor with these sizes."""
        if 0 in shape:
            return f"zeros({shape}, {dtype})"
        def part(sizes):
            if not sizes:
                return self.number(dtype)
            return "[" + ", ".join(part(sizes[1:])
                                   for _ in range(sizes[0])) + "]"
        return f"tensor({part(shape)}, {dtype})"

    def pick(self, *dtypes, least=0):
        """A name in scope of one of the dtypes, or None."""
        found = [one for one in self.scope if one.dtype in (dtypes or DTYPES)
                 and len(one.shape) >= least]
        return self.rng.choice(found) if found else None

    def partner(self, one):
        """A second operand: of the same shape, or one that is stretched."""
        rng, dice = self.rng, self.rng.random()
        found = [two for two in self.scope if two.dtype == one.dtype
                 and two.shape in (one.shape, ())]
        if dice < 0.3 and one.dtype != "bool":
            return Tensor(self.number(one.dtype), one.dtype, ())
        if dice < 0.4 and one.shape and one.dtype in NUMBERS:
            axis = rng.randrange(len(one.shape))
            name = rng.choice(("max", "min"))
            return one.like(f"{name}({one.text}, axis={axis}, keepdims=True)")
        if dice < 0.5 and one.shape:
            return one.like(f"{one.text}[:1]")
        return rng.choice(found) if found else one

    def expr(self, depth=2):
        """An expression of any dtype and shape."""
        one = self.pick()
        for _ in range(self.rng.randint(1, depth)):
            one = self.step(one) or one
        return one

    def step(self, one):
        """One function more around an expression, or None."""
        ways = [self.unary, self.unary, self.binary, self.binary, self.binary,
                self.cast, self.chosen, self.reduction, self.moved,
                self.moved, self.picked, self.row_wise, self.product,
                self.sized]
        return self.rng.choice(ways)(one)

    def row(self, table, dtype):
        """A function of the table that takes the dtype, and its result's."""
        rows = [(name, "bool" if "->" in kind else dtype)
                for kind in group(dtype) for name in table.get(kind, ())]
        return self.rng.choice(rows)

    def unary(self, one):
        name, dtype = self.row(UNARY, one.dtype)
        return one.like(f"{name}({one.text})", dtype)

    def binary(self, one):
        name, dtype = self.row(BINARY, one.dtype)
        two = self.partner(one)
        texts = [one.text, two.text]
        if self.rng.random() < 0.3:
            texts.reverse()
        if name in SAME and self.rng.random() < 0.5:
            return one.like(f"({texts[0]} {SAME[name]} {texts[1]})", dtype)
        if not any(re.match(r"\w+\d", text) or "(" in text for text in texts):
            return None
        return one.like(f"{name}({', '.join(texts)})", dtype)

    def cast(self, one):
        dtype = self.rng.choice(DTYPES)
        return one.like(f"cast({one.text}, {dtype})", dtype)

    def chosen(self, one):
        test = self.pick("bool")
        if not test or test.shape != one.shape:
            if one.dtype == "bool" or not one.text.isidentifier():
                return None
            test = one.like(f"{one.text} > {self.number(one.dtype)}")
        return one.like(f"where({test.text}, {one.text}, "
                        f"{self.partner(one).text})")

    def reduction(self, one):
        rng = self.rng
        name, dtype = self.row(REDUCTIONS, one.dtype)
        if name.startswith("arg"):
            dtype = "int64"
        if name in ("sum", "prod") and dtype in INTS[2:] + ("bool",):
            dtype = "int32"
        if not one.shape or rng.random() < 0.3:
            return one.like(f"{name}({one.text})", dtype, ())
        axis, rank = rng.randrange(len(one.shape)), len(one.shape)
        keep = rng.random() < 0.3 and not name.startswith("arg")
        shape = [((1,) * self.calls if keep else None) if at == axis else size
                 for at, size in enumerate(one.shape)]
        axis -= rank if rng.random() < 0.4 else 0
        return one.like(f"{name}({one.text}, axis={axis}"
                        + (", keepdims=True)" if keep else ")"), dtype,
                        [size for size in shape if size])

    def moved(self, one):
        """The same elements in other places, some of them or more."""
        rng, text, shape = self.rng, one.text, list(one.shape)
        if not shape:
            return one.like(f"reshape({text}, [1])", shape=[(1,) * self.calls])
        axis = rng.randrange(len(shape))
        cut = ", ".join([":"] * axis + ["§"])
        alike = [two.text for two in self.scope if two.dtype == one.dtype
                 and two.shape == one.shape]
        other = rng.choice(alike or [text])
        def along(change):
            return shape[:axis] + [resized(shape[axis], change)] + \
                shape[axis + 1:]
        rows = [
            (f"flip({text}, {axis})", shape),
            (f"roll({text}, {rng.randint(-3, 3)}, {axis})", shape),
            (f"{text}[{cut.replace('§', '::-1')}]", shape),
            (f"{text}[{cut.replace('§', '1:')}]", along(lambda n: n - 1)),
            (f"{text}[{cut.replace('§', '-2:')}]",
             along(lambda n: min(n, 2))),
            (f"{text}[{cut.replace('§', '::2')}]",
             along(lambda n: (n + 1) // 2)),
            (f"{text}[{cut.replace('§', '-2::-2')}]",
             along(lambda n: n // 2)),
            (f"{text}[{cut.replace('§', '0')}]", shape[:axis]
             + shape[axis + 1:]),
            (f"{text}[{cut.replace('§', '-1')}]", shape[:axis]
             + shape[axis + 1:]),
            (f"{text}[..., None]", shape + [(1,) * self.calls]),
            (f"expand_dims({text}, {axis})", shape[:axis]
             + [(1,) * self.calls] + shape[axis:]),
            (f"concat([{text}, {other}], axis={axis})",
             along(lambda n: 2 * n)),
            (f"stack([{other}, {text}])", [(2,) * self.calls] + shape),
            (f"reshape({text}, [-1])", [Open()] if len(shape) > 1 else shape),
            (f"repeat({text}, 2, axis={axis})", along(lambda n: 2 * n)),
            (f"cumsum({text}, axis={axis})" if one.dtype in NUMBERS
             else text, shape),
            (f"permute_dims({text}, {tuple(range(len(shape)))[::-1]})",
             shape[::-1])]
        if len(shape) == 2:
            rows += [(f"{text}.T", shape[::-1]), (f"tril({text})", shape),
                     (f"pad({text}, [[1, 0], [0, 2]])",
                      [resized(shape[0], lambda n: n + 1),
                       resized(shape[1], lambda n: n + 2)]),
                     (f"tile({text}, [2, 1])",
                      [resized(shape[0], lambda n: 2 * n), shape[1]])]
        text, shape = rng.choice(rows)
        if len(shape) > 3 or any(isinstance(size, tuple) and max(size) > 80
                                 for size in shape):
            return None
        small = one.dtype in INTS[2:] and text.startswith("cumsum")
        return one.like(text, "int32" if small else None, shape)

    def picked(self, one):
        """Rows by place or by truth."""
        rng, text = self.rng, one.text
        if not one.shape:
            return None
        places = self.pick("int32", "int64")
        if places and rng.random() < 0.5 and \
                len(one.shape) + len(places.shape) < 5:
            odd = "" if rng.random() < 0.3 else \
                f" % maximum(cast(len({text}), {places.dtype}), 1)"
            return one.like(f"take({text}, {places.text}{odd}, axis=0)",
                            shape=places.shape + one.shape[1:])
        if rng.random() < 0.4 and text.isidentifier():
            test = self.flat(one) + (
                "" if one.dtype == "bool" else f" < {self.number(one.dtype)}")
            return one.like(f"boolean_mask({text}, {test})",
                            shape=(Open(),) + one.shape[1:])
        if one.dtype in NUMBERS:
            name = rng.choice(("sort", "argsort"))
            return one.like(f"{name}({text})",
                            "int64" if name == "argsort" else None)
        return None

    def flat(self, one):
        """One number for each row."""
        return f"{one.text}[" + ", ".join(
            [":"] + ["0"] * (len(one.shape) - 1)) + "]"

    def row_wise(self, one):
        if one.dtype not in FLOATS or not one.shape:
            return None
        name = self.rng.choice(("softmax", "log_softmax", "cumprod"))
        rest = ", axis=-1" if name == "cumprod" else ""
        return one.like(f"{name}({one.text}{rest})")

    def product(self, one):
        if one.dtype not in ("float32", "float64", "int32") or \
                len(one.shape) != 2:
            return None
        return one.like(f"({one.text} @ {one.text}.T)",
                        shape=(one.shape[0], one.shape[0]))

    def sized(self, one):
        """Numbers made of a size."""
        if not one.shape:
            return None
        text = f"len({one.text})"
        return self.rng.choice((
            Tensor(f"arange({text})", "int32", one.shape[:1]),
            one.like(f"zeros_like({one.text})"),
            one.like(f"ones_like({one.text})"),
            Tensor(f"ones({text})", "float32", one.shape[:1]),
            Tensor(f"cast({text}, int32)", "int32", ())))

    # --- statements ---

    def truth(self):
        """A condition."""
        one = self.expr()
        if one.dtype == "bool":
            return f"{self.rng.choice(('any', 'all'))}({one.text})"
        return f"sum({one.text}) {self.rng.choice(('<', '>', '=='))} " + (
            "0" if one.dtype in INTS else "0.5")

    def update(self):
        """A name gets another value of its dtype and shape."""
        for _ in range(8):
            name = self.rng.choice(self.scope)
            for _ in range(8):
                one = self.expr(3)
                if one.dtype == name.dtype and one.shape == name.shape:
                    return [f"{name.text} = {one.text}"]
        return ["pass"]

    def block(self, depth):
        """Updates, indented."""
        lines, scope = [], list(self.scope)
        for _ in range(self.rng.randint(1, 2)):
            lines += self.update() if self.rng.random() < 0.7 else \
                self.statement(depth - 1)
        self.scope = scope
        return ["    " + line for line in lines]

    def assign(self):
        one = self.expr(3)
        name = one.like(self.fresh("t"))
        self.scope.append(name)
        return [f"{name.text} = {one.text}"]

    def write(self):
        """A Variable is written."""
        if not self.variables:
            return self.assign()
        variable = self.rng.choice(self.variables)
        for _ in range(20):
            one = self.expr(3)
            if one.dtype == variable.dtype and one.shape == variable.shape:
                way = "assign" if one.dtype == "bool" else self.rng.choice(
                    ("assign", "assign_add", "assign_sub"))
                return [f"{variable.text[:-8]}.{way}({one.text})"]
        return self.assign()

    def statement(self, depth=2):
        rng, dice = self.rng, self.rng.random()
        if depth <= 0 or dice < 0.55:
            return self.assign()
        if dice < 0.63:
            return self.write()
        if dice < 0.66:
            return [f"stage.print('s', {self.expr().text})"]
        if dice < 0.80:
            lines = [f"if {self.truth()}:"] + self.block(depth)
            return lines + (["else:"] + self.block(depth)
                            if rng.random() < 0.6 else [])
        if dice < 0.92:
            head = rng.choice(("range(tensor(2))", "range(tensor(0))",
                               "range(3)", "range(tensor(3))"))
            return [f"for _ in {head}:"] + self.block(depth)
        walked = self.pick(least=1)
        if not walked:
            return self.assign()
        scope, name = list(self.scope), self.fresh("e")
        self.scope.append(walked.like(name, shape=walked.shape[1:]))
        lines = [f"for {name} in {walked.text}:"] + self.block(depth)
        self.scope = scope
        return lines

    def text(self):
        """The lines of the program."""
        rng = self.rng
        sizes = self.sizes + self.fixed
        for _ in range(rng.randint(1, 3)):
            shape = [rng.choice(sizes)
                     for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]
            self.scope.append(Tensor(self.fresh("a"), rng.choice(DTYPES),
                                     shape))
        parameters, lines = list(self.scope), []
        for _ in range(rng.choice((0, 0, 1))):
            name, dtype = self.fresh("v"), rng.choice(DTYPES)
            shape = [rng.choice(self.fixed) for _ in range(rng.choice((0, 1)))]
            made = self.literal(dtype, tuple(size[0] for size in shape))
            lines.append(f"{name} = Variable({made})")
            self.variables.append(Tensor(name + ".value()", dtype, shape))
            self.scope.append(self.variables[-1])
        body = [line for _ in range(rng.randint(2, 7))
                for line in self.statement()]
        ends = [one for one in self.scope if one not in parameters]
        ends = rng.sample(ends, min(len(ends), 4)) or self.scope[:1]
        lines += [self.head(parameters), f"def f{self.mark}("
                  + ", ".join(one.text for one in parameters) + "):"]
        lines += ["    " + line for line in body]
        lines += ["    return " + ", ".join(one.text for one in ends)]
        name = "f" + self.mark
        if rng.random() < 0.25:
            # What is open there is known in the caller.
            names = ", ".join(one.text for one in parameters)
            name = "g" + self.mark
            lines += ["@stage", f"def {name}({names}):",
                      f"    return f{self.mark}({names})"]
        name = rng.choice(("", "", "", "graded, ", "saved, ")) + name \
            if self.may("gradient") else name
        for at in range(self.calls):
            arguments = [self.literal(one.dtype,
                                      tuple(size[at] for size in one.shape))
                         for one in parameters]
            lines += ["call(" + ", ".join([name] + arguments) + ")"]
        return lines

    def head(self, parameters):
        """How it is staged."""
        if self.open == "relax":
            return "@stage(relax=True)"
        if self.open == "no":
            return "@stage"
        def open_spec(one):
            shape = "None" if self.open == "rank" else "(" + "".join(
                ("None" if size in self.sizes else str(size[0])) + ", "
                for size in one.shape) + ")"
            return f"spec({shape}, {one.dtype})"
        return "@stage(signature=[" + ", ".join(
            map(open_spec, parameters)) + "])"


def tensor_program(rng, may, wanted, mark):
    """The lines of a program of tensors, or none."""
    del wanted
    return Tensors(rng, may, mark).text() if may("tensors") else []
