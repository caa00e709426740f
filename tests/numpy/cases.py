"""Random calls of Duet's functions, as texts that NumPy can evaluate, too.

A case is a few steps, each a text that names inputs and earlier steps. A step
is made by a function of FAMILIES, of operands that it asks the case for, or by
one of a function and a dtype. `walk` lists steps such that every function and
dtype has its turn.
"""
import numpy as np

from functions import BOOL, FLOATS, INTS, NAMES, Alike, Want

NUMBERS = FLOATS + INTS
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 1e-40,
           3e38, -3e38, 6e4, 1e-7, 1e300, 88.5, -104.0, 2.0 ** 31]
DIMS = [0, 1, 1, 2, 3, 4, 5, 7, 17]
FAMILIES, WALKED = [], []


def family(function):
    FAMILIES.append(function)
    return function


class Case:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.inputs, self.values, self.lines = {}, {}, []
        self.special = self.chance(0.4)
        self.large = self.chance(0.06)

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, things):
        return things[self.rng.integers(len(things))]

    def shape(self, low=0, high=3):
        rank = int(self.rng.integers(low, high + 1))
        if self.large and rank:
            return [(70001,), (300, 257), (40, 3, 640)][rank - 1]
        return tuple(int(self.pick(DIMS)) for _ in range(rank))

    def array(self, dtype, shape, low=-60, high=60):
        """Floats between about -3 and 3; special ones in some cases."""
        if dtype == BOOL:
            return self.rng.random(shape) < 0.5
        if dtype in INTS:
            info = np.iinfo(dtype)
            if (low, high) == (-60, 60) and self.special:
                low, high = info.min, info.max
            low = max(low, info.min)
            return self.rng.integers(low, high, shape, dtype, endpoint=True)
        made = self.rng.normal(0, 1.5, shape)
        if self.special:
            odd = self.rng.choice(SPECIAL, np.shape(made))
            made = np.where(self.rng.random(np.shape(made)) < 0.25, odd, made)
        with np.errstate(over="ignore"):
            return np.asarray(made).astype(dtype)

    def add(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.values[name] = np.asarray(array)
        return name

    def operand(self, dtypes, shape=None, low=0, high=3):
        """The text of a new operand, often a view, or of an earlier step."""
        dtypes = list(dtypes)
        fits = [n for n, v in self.values.items() if v.dtype in dtypes and (
            v.shape == shape if shape is not None
            else low <= v.ndim <= high)]
        if fits and self.chance(0.5):
            return self.pick(fits)
        shape = self.shape(low, high) if shape is None else tuple(shape)
        return self.view(self.pick(dtypes), shape)

    def view(self, dtype, shape):
        """Of a new input, what has the shape."""
        ways = ["", "", "turn", "step", "cut", "transpose", "broadcast"]
        way = self.pick(ways) if shape else ""
        last = shape[-1] if shape else 0
        if way == "transpose":
            axes = [int(a) for a in self.rng.permutation(len(shape))]
            base = [shape[axes.index(i)] for i in range(len(shape))]
            name = self.add(self.array(dtype, base))
            return f"permute_dims({name}, {tuple(axes)})"
        if way == "broadcast":
            base = [1 if self.chance(0.5) else n for n in shape]
            name = self.add(self.array(dtype, base))
            return f"broadcast_to({name}, {shape})"
        base = shape if way in ("", "turn") else shape[:-1] + (
            last * 2 if way == "step" else last + 1,)
        name = self.add(self.array(dtype, base))
        return name + {"": "", "turn": "[::-1]", "step": "[..., ::2]",
                       "cut": "[..., 1:]"}[way]

    def of(self, text):
        return value_of(evaluate(text, self.values))

    def pair(self, dtypes, **ranks):
        """Two operands of one dtype whose shapes broadcast."""
        x = self.operand(dtypes, **ranks)
        value = self.of(x)
        shape = [1 if self.chance(0.25) else n for n in value.shape]
        shape = shape[int(self.rng.integers(len(shape) + 1)):] if (
            self.chance(0.2)) else shape
        y = self.operand([value.dtype], shape)
        return (x, y) if self.chance(0.5) else (y, x)

    def fresh(self, like, low, high, shape=None):
        """A new input of moderate values."""
        shape = like.shape if shape is None else shape
        if like.dtype in FLOATS:
            made = self.rng.uniform(low, high, shape)
            return self.add(np.asarray(made).astype(like.dtype))
        return self.add(self.array(like.dtype, shape, low, high))

    def axis(self, value):
        return int(self.rng.integers(-value.ndim, value.ndim))

    def step(self, make=None, *args):
        """Adds a line."""
        text = (make or self.pick(FAMILIES))(self, *args)
        name = f"s{len(self.lines)}"
        self.values[name] = self.of(text)
        self.lines.append((name, text))


def evaluate(text, values):
    with np.errstate(all="ignore"):
        return eval(text, {**NAMES, **values})


def value_of(made):
    """An array of the dtype that Duet gives."""
    if isinstance(made, Want):
        with np.errstate(all="ignore"):
            return np.asarray(made.value).astype(made.dtype)
    return np.asarray(made.value if isinstance(made, Alike) else made)


# A row a family: names and the dtypes that they take.
UNARY = {
    "negative abs sign square": NUMBERS,
    "reciprocal isnan isinf isfinite signbit floor ceil trunc round sqrt rsqrt"
    " exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh"
    " asinh acosh atanh erf sigmoid softplus gelu": FLOATS,
    "relu zeros_like ones_like": NUMBERS,
    "bitwise_invert": INTS, "logical_not": [BOOL],
}
BINARY = {
    "add subtract multiply maximum minimum": NUMBERS,
    "divide copysign atan2 hypot logaddexp floor_divide remainder pow": FLOATS,
    "equal not_equal": NUMBERS + [BOOL],
    "less less_equal greater greater_equal": NUMBERS,
    "logical_and logical_or logical_xor": [BOOL],
    "bitwise_and bitwise_or bitwise_xor": INTS,
}
REDUCTIONS = {
    "sum": NUMBERS + [BOOL], "any all": [BOOL],
    "prod max min argmax argmin": NUMBERS,
    "mean var std logsumexp norm": FLOATS,
}
UNARY, BINARY, REDUCTIONS = (
    [(name, dtypes) for names, dtypes in table.items()
     for name in names.split()] for table in (UNARY, BINARY, REDUCTIONS))


def one_of(table):
    """A maker that takes a row and a dtype, or draws them."""

    def decorate(make):
        def run(case, row=None, dtype=None):
            row = row or case.pick(table)
            return make(case, row[0], [dtype] if dtype else row[1], *row[2:])

        WALKED.extend((run, row, dtype) for row in table for dtype in row[1])
        return family(run)

    return decorate


@one_of(UNARY)
def unary(case, name, dtypes):
    return f"{name}({case.operand(dtypes)})"


@one_of(BINARY)
def binary(case, name, dtypes):
    return f"{name}({', '.join(case.pair(dtypes))})"


@one_of([("floor_divide", INTS, 1, 9), ("remainder", INTS, 1, 9),
         ("pow", INTS, 0, 5), ("bitwise_left_shift", INTS, 0, 70),
         ("bitwise_right_shift", INTS, 0, 70)])
def int_binary(case, name, dtypes, low, high):
    x = case.operand(dtypes)
    return f"{name}({x}, {case.fresh(case.of(x), low, high)})"


@family
def choice(case):
    x, y = case.pair(NUMBERS + [BOOL])
    shape = np.broadcast_shapes(case.of(x).shape, case.of(y).shape)
    return f"where({case.operand([BOOL], shape)}, {x}, {y})"


@family
def clipping(case):
    bounds = case.pick(["1, 2", "0, 5", "None, 3", "1, None"])
    return f"clip({case.operand(NUMBERS)}, {bounds})"


@family
def casts(case):
    to = case.pick([str(t) for t in NUMBERS + [BOOL]])
    return f"cast({case.operand(NUMBERS + [BOOL])}, '{to}')"


@one_of(REDUCTIONS)
def reduction(case, name, dtypes):
    x = case.operand(dtypes)
    value = case.of(x)
    if 0 in value.shape and name not in ("sum", "prod", "any", "all"):
        x = case.fresh(value, -3, 3, (3, 2))
        value = case.of(x)
    if name == "norm" or value.ndim == 0:
        return f"{name}({x})"
    axes = [None, case.axis(value)]
    if value.ndim > 1 and not name.startswith("arg"):
        axes.append(tuple(sorted(int(a) for a in case.rng.choice(
            value.ndim, 2, replace=False))))
    keep = ", keepdims=True" if case.chance(0.3) else ""
    return f"{name}({x}, axis={case.pick(axes)}{keep})"


@family
def scans(case):
    x = case.operand(NUMBERS, low=1)
    options = case.pick(["", ", exclusive=True", ", reverse=True"])
    name = case.pick(["cumsum", "cumsum", "cumprod"])
    axis = case.pick([None, case.axis(case.of(x))])
    return f"{name}({x}, axis={axis}{options})"


@family
def sorting(case):
    x = case.operand(NUMBERS, low=1)
    value = case.of(x)
    down = case.chance(0.5)
    if case.chance(0.3) and value.shape[-1] > 0:
        k = int(case.rng.integers(1, value.shape[-1] + 1))
        return f"topk({x}, {k})[{int(case.rng.integers(2))}]"
    name = case.pick(["sort", "argsort"])
    return f"{name}({x}, axis={case.axis(value)}, descending={down})"


@family
def search(case):
    dtype = case.pick([t for t in NUMBERS])
    line = case.array(dtype, case.shape(1, 1))
    y = case.operand([dtype])
    side = case.pick(["left", "right"])
    if np.isnan(case.of(y).astype(np.float64)).any():
        y = case.fresh(case.of(y), -3, 3)
    line = np.sort(line[~np.isnan(line.astype(np.float64))])
    return f"searchsorted({case.add(line)}, {y}, side='{side}')"


@family
def moving(case):
    x = case.operand(NUMBERS + [BOOL])
    value = case.of(x)
    if value.ndim == 0:
        return f"expand_dims({x}, 0)"
    axis = case.axis(value)
    axes = tuple(int(a) for a in case.rng.permutation(value.ndim))
    count = int(case.rng.integers(0, 4))
    ways = [f"reshape({x}, {value.shape[::-1]})", f"reshape({x}, (-1,))" if (
                value.size) else f"reshape({x}, (0,))",
            f"expand_dims({x}, {axis})", f"permute_dims({x}, {axes})",
            f"broadcast_to({x}, {(2,) + value.shape})",
            f"tile({x}, {(count,) + (1,) * (value.ndim - 1)})",
            f"repeat({x}, {count}, axis={axis})", f"repeat({x}, {count})",
            f"flip({x}, axis={axis})", f"flip({x})",
            f"roll({x}, {count - 2}, axis={axis})", f"roll({x}, {count})",
            f"squeeze(expand_dims({x}, {axis}), {axis})"]
    if value.ndim > 1:
        ways += [f"tril({x}, {count - 2})", f"triu({x}, {count - 2})",
                 f"matrix_transpose({x})"]
    if value.dtype != BOOL:
        mode = case.pick(["constant", "edge", "symmetric"])
        mode = mode if min(value.shape) > 1 else "constant"
        ways.append(f"pad({x}, 2, mode='{mode}')")
    return case.pick(ways)


@family
def making(case):
    dtype = case.pick([str(t) for t in FLOATS + INTS])
    n, m, k = (int(case.pick([0, 1, 2, 3, 7])) for _ in range(3))
    indices = case.operand([np.dtype(np.int32), np.dtype(np.int64)])
    return case.pick([
        f"eye({n}, {m}, k={k - 2}, dtype='{dtype}')",
        f"zeros(({n}, {m}), dtype='{dtype}')", f"ones(({n},), dtype='{dtype}')",
        f"full(({n}, {m}), {k}, dtype='{dtype}')",
        f"full_like({indices}, {k})", f"shape_of({indices})",
        f"one_hot({indices}, {n}, dtype='{dtype}')",
        f"arange({n}, {n + 3 * m}, {k + 1}, dtype='int64')",
        f"linspace({n}, {m}, {n + 2}, dtype='float64')"])


@family
def parting(case):
    x = case.operand(NUMBERS + [BOOL], low=1)
    value = case.of(x)
    axis = case.axis(value)
    if value.shape[axis] == 0:
        return f"{x}[::-1]"
    n = int(case.rng.integers(value.shape[axis]))
    if value.shape[axis] < 20 and case.chance(0.5):
        return f"unstack({x}, axis={axis})[{n}]"
    parts = [n, value.shape[axis] - n]
    return f"split({x}, {parts}, axis={axis})[{n % 2}]"


@family
def joining(case):
    x = case.operand(NUMBERS + [BOOL], low=1)
    value = case.of(x)
    y = case.operand([value.dtype], value.shape)
    axis = case.axis(value)
    return f"{case.pick(['concat', 'stack'])}([{x}, {y}], axis={axis})"


def places(case, bound, shape, below=False):
    low = -bound if below else 0
    kind = case.pick([np.int32, np.int64])
    return case.add(case.rng.integers(low, bound, shape, kind))


@family
def indexing(case):
    x = case.operand(NUMBERS + [BOOL], low=1)
    value = case.of(x)
    if 0 in value.shape:
        return f"{x}[::-1]"
    kind = case.pick(["basic", "array", "mask", "take", "along", "two"])
    axis, some = case.axis(value), case.shape(0, 1)
    if kind == "mask":
        mask = case.add(case.rng.random(value.shape[:1]) < 0.6)
        return case.pick([f"{x}[{mask}]", f"boolean_mask({x}, {mask})"])
    if kind == "array":
        return f"{x}[{places(case, value.shape[0], some, True)}]"
    if kind == "two" and value.ndim > 1:
        one = places(case, value.shape[0], some, True)
        return f"{x}[{one}, {places(case, value.shape[1], some, True)}]"
    if kind == "take":
        made = places(case, value.shape[axis], some)
        return f"take({x}, {made}, axis={axis})"
    if kind == "along":
        shape = list(value.shape)
        shape[axis] = 3
        made = places(case, value.shape[axis], shape)
        return f"take_along_axis({x}, {made}, axis={axis})"
    parts = []
    for n in value.shape:
        start, stop = (int(k) for k in case.rng.integers(-n - 1, n + 2, 2))
        stride = int(case.pick([1, 2, -1, -3]))
        parts.append(case.pick([
            f"{start}:{stop}:{stride}", ":", f"{start}:", f"::{stride}",
            str(int(case.rng.integers(-n, n))), "None, :"]))
    if case.chance(0.3):
        parts = parts[:1] + ["..."]
    return f"{x}[{', '.join(parts)}]"


@family
def scattering(case):
    x = case.operand(NUMBERS, low=1, high=2)
    value = case.of(x)
    if 0 in value.shape:
        return f"expand_dims({x}, 0)"
    count = 9
    if value.ndim == 1 or case.chance(0.5):
        made = places(case, value.shape[0], (count, 1))
        updates = (count,) + value.shape[1:]
    else:
        both = np.stack([case.rng.integers(0, n, count) for n in value.shape],
                        -1)
        made, updates = case.add(both), (count,)
    name = case.pick(["scatter_update", "scatter_add", "scatter_min",
                      "scatter_max", "gather_nd"])
    if name == "gather_nd":
        return f"gather_nd({x}, {made})"
    return f"{name}({x}, {made}, {case.operand([value.dtype], updates)})"


@family
def finding(case):
    x = case.operand(NUMBERS + [BOOL], low=1)
    value = case.of(x)
    if value.ndim == 1 and case.chance(0.5) and value.dtype != BOOL:
        return f"unique_inverse({x})[{int(case.rng.integers(2))}]"
    return f"nonzero({x})[0]"


@family
def products(case):
    kinds = FLOATS + [np.dtype(np.int32), np.dtype(np.int64)]
    dtype = case.pick(kinds)
    most = 200 if case.large else 17
    m, k, n = (int(case.pick([0, 1, 2, 3, 5, 8, most])) for _ in range(3))

    def one(*shape):
        return case.operand([dtype], shape)

    ways = [lambda: f"matmul({one(m, k)}, {one(k, n)})",
            lambda: f"matmul({one(k)}, {one(k, n)})",
            lambda: f"matmul({one(m, k)}, {one(k)})",
            lambda: f"matmul({one(2, m, k)}, {one(k, n)})",
            lambda: f"matmul({one(3, m, k)}, {one(3, k, n)})",
            lambda: f"matmul({one(m, k)}, matrix_transpose({one(n, k)}))",
            lambda: f"outer({one(m)}, {one(n)})",
            lambda: f"vecdot({one(m, k)}, {one(m, k)})",
            lambda: f"tensordot({one(m, k)}, {one(k, n)}, axes=1)",
            lambda: f"einsum('ij,kj->ik', {one(m, k)}, {one(n, k)})",
            lambda: f"einsum('bij,bjk->bik', {one(2, m, k)}, {one(2, k, n)})",
            lambda: f"einsum('ij,ij->j', {one(m, k)}, {one(m, k)})",
            lambda: f"einsum('ij,ij->i', {one(m, k)}, {one(m, k)})",
            lambda: f"einsum('ij,ji->', {one(m, k)}, {one(k, m)})",
            lambda: f"einsum('ij,ji->ij', {one(m, k)}, {one(k, m)})",
            lambda: f"einsum('ij,j->ij', {one(m, k)}, {one(k)})",
            lambda: f"einsum('j,ij->ji', {one(k)}, {one(m, k)})",
            lambda: f"einsum('i,jk->kij', {one(2)}, {one(m, k)})",
            lambda: f"einsum('bij,jb->bi', {one(2, m, k)}, {one(k, 2)})",
            lambda: f"matmul({one(3, 1, k)}, {one(3, k, 1)})",
            lambda: f"matmul({one(5, 4, 4)}, {one(5, 4, 4)})"]
    return case.pick(ways)()


@family
def images(case):
    dtype = case.pick(FLOATS)
    padding, stride = case.pick(["SAME", "VALID"]), int(case.pick([1, 2]))
    high, wide = int(case.pick([5, 8, 11])), int(case.pick([5, 6, 9]))
    deep, made = int(case.pick([1, 2, 5])), int(case.pick([1, 3, 8]))
    batch = int(case.pick([1, 2, 3]))
    x = case.operand([dtype], (batch, high, wide, deep))
    options = f"strides={stride}, padding='{padding}'"
    kind = case.pick(["conv", "conv", "depth", "max", "avg"])
    if kind in ("max", "avg"):
        return f"{kind}_pool2d({x}, {int(case.pick([2, 3]))}, {options})"
    name = "conv2d" if kind == "conv" else "depthwise_conv2d"
    size = int(case.pick([1, 2, 3]))
    filters = case.operand([dtype], (size, size, deep, made))
    dilation = int(case.pick([1, 2])) if stride == 1 else 1
    return f"{name}({x}, {filters}, {options}, dilations={dilation})"


@family
def rows(case):
    x = case.operand(FLOATS, low=1)
    value = case.of(x).astype(np.float64)
    if 0 in value.shape or not (np.abs(value) < 1e4).all():
        x = case.fresh(case.of(x), -3, 3, (5, 7)[:value.ndim] + (2,) * (
            value.ndim - 2))
        value = case.of(x)
    axis = case.axis(value)
    return case.pick([f"softmax({x}, axis={axis})",
                      f"log_softmax({x}, axis={axis})", f"layer_norm({x})"])


@family
def matrices(case):
    dtype = case.pick([np.dtype(np.float32), np.dtype(np.float64)])
    n = int(case.pick([1, 2, 5, 12]))
    made = case.rng.uniform(-0.5, 0.5, (n, n)) + np.eye(n) * n
    x = case.add(made.astype(dtype))
    symmetric = case.add((made + made.T).astype(dtype))
    y = case.add(case.rng.normal(0, 1, (n, 3)).astype(dtype))
    return case.pick([f"inv({x})", f"det({x})", f"solve({x}, {y})",
                      f"cholesky({symmetric})", f"eigh({symmetric})[0]",
                      f"svd({x})[1]", f"qr({x})[{n % 2}]"])


def walk():
    """Makers and their arguments, the others in turn between those of rows."""
    rows = {make for make, *_ in WALKED}
    others = [(make,) for make in FAMILIES if make not in rows]
    return [step for pair in zip(WALKED, others * len(WALKED))
            for step in pair]
