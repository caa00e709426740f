"""What NumPy makes of Duet's functions: one table, NAMES.

A text such as `add(x0, sum(x1, axis=0))` is evaluated with it as Duet
evaluates it with its own functions. A result is an array of the dtype that
Duet's must have, or a Want: a value of more precision and how far off a result
may be. Functions of docs/functions.md may be off by the ULP that stand there.
"""
import math
import pathlib
import re
import typing

import numpy as np

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

HALVES = [np.dtype(np.float16)] + ([np.dtype(bfloat16)] if bfloat16 else [])
FLOATS = HALVES + [np.dtype(np.float32), np.dtype(np.float64)]
INTS = [np.dtype(t) for t in ("uint8", "int8", "int16", "int32", "int64")]
BOOL = np.dtype(bool)
DTYPES = {str(t): t for t in FLOATS + INTS + [BOOL]}
HERE = pathlib.Path(__file__).resolve().parent


class Want(typing.NamedTuple):
    value: np.ndarray  # in more precision than dtype
    dtype: np.dtype
    ulps: float  # what the result may be off, in units of its last place,
    slack: typing.Any = 0  # and besides


class Alike(typing.NamedTuple):
    """Exact but for the sign of a zero, which NumPy leaves open."""

    value: np.ndarray


def documented():
    """The ULP of docs/functions.md: {name: (of float64, of float32)}."""
    text = (HERE / "../../docs/functions.md").read_text()
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \|.*\| ([\d.]+) \|$", text, re.M)
    return {name: (float(f64), float(f32)) for name, f64, f32 in rows}


ULPS = documented()


def widen(x, single=np.float64):
    """x in more precision; halves, too, as `single` says."""
    x = np.asarray(x)
    if x.dtype == np.float64:
        return x.astype(np.longdouble)
    return x.astype(single) if x.dtype in FLOATS else x


def dtype_of(x):
    return x.dtype if isinstance(x, np.ndarray) else None


def exact(function, kind=lambda x: x):
    """Rounded once: halves by way of float32."""

    def run(*args, **options):
        args = [np.asarray(a) if isinstance(a, np.generic) else a for a in args]
        half = next((t for t in HALVES if t in map(dtype_of, args)), None)
        if half is not None:
            args = [a.astype(np.float32) if dtype_of(a) == half else a
                    for a in args]
        made = np.asarray(function(*args, **options))
        floats = half is not None and made.dtype == np.float32
        return kind(made.astype(half) if floats else made)

    return run


def near(name, function):
    """A function of docs/functions.md."""

    def run(*args):
        dtype = np.asarray(args[0]).dtype
        f64, f32 = ULPS[name]
        # A half is a float32 that is rounded once more.
        ulps = f64 if dtype == np.float64 else f32
        ulps = 0.5 + f32 / 1024 if dtype in HALVES else ulps
        return Want(function(*map(widen, args)), dtype, ulps + 0.01)

    return run


def summed(function, scale=None, ints=False, factor=4):
    """Sums in an order of their own: off by so many float32 (float64) roundings
    of `scale`, mostly the same of absolute values. Small ints become int32."""
    scale = scale or (lambda *args, **o: function(*map(np.abs, args), **o))

    def run(*args, **options):
        args = [np.asarray(a) for a in args]
        dtype = args[0].dtype
        if dtype not in FLOATS:
            small = ints and dtype.itemsize < 4
            made = [a.astype(np.int32 if small else dtype) for a in args]
            value = np.asarray(function(*made, **options))
            return value.astype(made[0].dtype)
        wide = [widen(a) for a in args]
        made = np.finfo(np.float64 if dtype == np.float64 else np.float32)
        size = np.asarray(scale(*wide, **options))
        # Past the largest number the order of terms decides.
        slack = np.where(size < made.max, factor * made.eps * size, np.inf)
        return Want(np.asarray(function(*wide, **options)), dtype, 0.51, slack)

    return run


def erf_like(function):
    made = np.vectorize(lambda x: function(float(x)), otypes=[np.float64])
    return lambda x: made(x) if np.size(x) else np.zeros(np.shape(x))


def gelu(x):
    dtype = np.asarray(x).dtype
    wide = widen(x)
    value = np.where(wide > 0, wide * (1 - erfc(wide / SQRT2) / 2),
                     wide * erfc(-wide / SQRT2) / 2)
    made = near("gelu", lambda _: value)(x)
    # The reference itself is of double precision.
    own = (2 + np.minimum(wide * wide, 2e3)) * np.abs(value) * 2.0 ** -52
    return made._replace(slack=own if dtype == np.float64 else own + 1e-320)


SQRT2 = np.sqrt(np.longdouble(2))
erfc = erf_like(math.erfc)


def erf(x):
    made = near("erf", erf_like(math.erf))(x)
    own = made.ulps + (1 if made.dtype == np.float64 else 0)
    return made._replace(ulps=own)


def sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def shift_left(x, count):
    bits = x.dtype.itemsize * 8
    made = x << np.minimum(count, bits - 1).astype(x.dtype)
    return np.where(count < bits, made, 0).astype(x.dtype)


def shift_right(x, count):
    bits = x.dtype.itemsize * 8
    made = x >> np.minimum(count, bits - 1).astype(x.dtype)
    return np.where((count < bits) | (x < 0), made, 0).astype(x.dtype)


def cast(x, dtype):
    """NaN and what is out of range give the lowest int."""
    x, dtype = np.asarray(x), DTYPES[dtype]
    if dtype in HALVES and x.dtype == np.float64:
        x = x.astype(np.float32)  # TensorFlow rounds twice, too
    if x.dtype not in FLOATS or dtype not in INTS:
        return (x != 0) if dtype == BOOL else x.astype(dtype)
    whole, info = np.trunc(x.astype(np.longdouble)), np.iinfo(dtype)
    inside = (whole >= info.min) & (whole <= info.max)
    return np.where(inside, whole, info.min).astype(dtype)


def softmax(x, axis=-1):
    made = np.exp(x - x.max(axis, keepdims=True)) if x.size else x
    return made / made.sum(axis, keepdims=True)


def log_softmax(x, axis=-1):
    return x - logsumexp(x, axis, True)


def logsumexp(x, axis=None, keepdims=False):
    top = np.max(x, axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    made = np.log(np.exp(x - top).sum(axis, keepdims=True)) + top
    return made if keepdims else (made.reshape(()) if axis is None
                                  else np.squeeze(made, axis))


def sizes(x, axis=None, keepdims=False):
    """Of what is added in functions of logarithms."""
    return np.max(np.abs(x), axis, keepdims=keepdims, initial=1)


def scan(function):
    def run(x, axis=None, exclusive=False, reverse=False):
        x = x.reshape(-1) if axis is None else x
        axis = axis or 0
        x = np.flip(x, axis) if reverse else x
        made = function(x, axis=axis)
        if exclusive and x.shape[axis]:
            start = np.zeros_like(x) if function is np.cumsum else (
                np.ones_like(x))
            made = np.concatenate([start.take([0], axis),
                                   made.take(range(x.shape[axis] - 1), axis)],
                                  axis)
        return np.flip(made, axis) if reverse else made

    return run


def sort(x, axis=-1, descending=False):
    return np.take_along_axis(x, argsort(x, axis, descending), axis)


def argsort(x, axis=-1, descending=False):
    """Equal elements keep their order, NaN stands last, in both directions."""
    key = x.astype(np.float64) if x.dtype in FLOATS else x.astype(np.int64)
    key = -key if descending else key
    return np.argsort(key, axis, kind="stable").astype(np.int64)


def topk(x, k):
    places = argsort(x, -1, True)[..., :k]
    return np.take_along_axis(x, places, -1), places


def unique_inverse(x):
    seen, values, places = {}, [], []
    for v in x:
        key = v.item() if v == v else object()
        if key not in seen:
            seen[key] = len(values)
            values.append(v)
        places.append(seen[key])
    return np.array(values, x.dtype), np.array(places, np.int64)


def scatter(ufunc):
    def run(x, indices, updates):
        made = x.copy()
        places = tuple(np.moveaxis(indices, -1, 0))
        if ufunc is None:
            made[places] = updates
        else:
            ufunc.at(made, places, updates)
        return made

    return run


def scatter_add(x, indices, updates):
    def place(x, updates):
        return scatter(np.add)(x, indices, updates)

    return summed(place)(x, updates)


def take(x, indices, axis=0):
    return np.take(x, indices, axis)


def windows(x, size, strides, dilations, padding, fill):
    """The windows of images: (batch, rows, columns, height, width, depth)."""
    spans = [(s - 1) * dilations + 1 for s in size]
    if padding == "SAME":
        around = [max((-(-n // strides) - 1) * strides + span - n, 0)
                  for n, span in zip(x.shape[1:3], spans)]
        pads = [(0, 0)] + [(a // 2, a - a // 2) for a in around] + [(0, 0)]
        x = np.pad(x, pads, constant_values=fill)
    made = np.lib.stride_tricks.sliding_window_view(x, spans, (1, 2))
    made = made[:, ::strides, ::strides, :, ::dilations, ::dilations]
    return np.moveaxis(made, 3, -1)


def conv2d(x, filters, strides=1, padding="VALID", dilations=1):
    seen = windows(x, filters.shape[:2], strides, dilations, padding, 0)
    return np.einsum("nrchwi,hwio->nrco", seen, filters)


def depthwise_conv2d(x, filters, strides=1, padding="VALID", dilations=1):
    seen = windows(x, filters.shape[:2], strides, dilations, padding, 0)
    made = np.einsum("nrchwi,hwio->nrcio", seen, filters)
    return made.reshape(*made.shape[:3], -1)


def max_pool2d(x, size=2, strides=None, padding="VALID"):
    return windows(x, (size, size), strides or size, 1, padding,
                   -np.inf).max((3, 4))


def avg_pool2d(x, size=2, strides=None, padding="VALID"):
    def total(x):
        return windows(x, (size, size), strides or size, 1, padding,
                       0).sum((3, 4))

    return total(x) / total(np.ones_like(x))


def layer_norm(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def products(function, total):
    """For prod: no bound where the numbers on the way become too small."""

    def run(x, **options):
        size = np.where((x != 0) & np.isfinite(x), np.abs(x), 1)
        far = total(np.abs(np.log2(size)), **options) > 110
        return np.where(far, np.inf, function(np.abs(x), **options))

    return run


def means(x, **options):
    """The sum on the way may overflow."""
    large = np.sum(np.abs(x), **options) > np.finfo(np.float32).max
    return np.where(large, np.inf, np.mean(np.abs(x), **options))


def ones_of(x):
    """How wrong layer_norm of a row may be: its deviation is what counts."""
    top = np.abs(x).max(-1, keepdims=True, initial=0)
    low = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return (1 + np.abs(layer_norm(x))) * (1 + top / low) ** 2


def squares(x, axis=None, keepdims=False, correction=0):
    """What a variance is small beside: squares, whose sum may overflow."""
    about = np.abs(x - x.mean(axis, keepdims=True)) + (
        np.abs(x).max(axis, keepdims=True, initial=0) * 2.0 ** -10)
    count = np.size(x) / max(np.size(np.sum(x, axis)), 1)
    total = (about * about).sum(axis, keepdims=keepdims)
    total = np.where(total > np.finfo(np.float32).max, np.inf, total)
    return total / max(count - correction, 1)


def var(x, axis=None, keepdims=False, correction=0):
    return np.var(x, axis=axis, keepdims=keepdims, ddof=correction)


def std(x, axis=None, keepdims=False, correction=0):
    return np.std(x, axis=axis, keepdims=keepdims, ddof=correction)


def deviations(*args, **options):
    return np.sqrt(squares(*args, **options))


def linear(function):
    """Of matrices that are far from singular."""

    def run(*args):
        dtype = args[0].dtype
        value = function(*(a.astype(np.float64) for a in args))
        size = np.abs(value).max(initial=0)
        eps = np.finfo(dtype).eps
        return Want(value.astype(np.longdouble), dtype, 0.5, 64 * eps * size)

    return run


def where(condition, x, y):
    return np.where(condition, x, y)


def concat(arrays, axis=0):
    return np.concatenate(arrays, axis)


def clip(x, min=None, max=None):
    return np.clip(x, min, max)


def split(x, parts, axis=0):
    return np.split(x, np.cumsum(parts)[:-1], axis)


def unstack(x, axis=0):
    return list(np.moveaxis(x, axis, 0))


def one_hot(indices, depth, dtype="float32"):
    return (indices[..., None] == np.arange(depth)).astype(DTYPES[dtype])


def gather_nd(x, indices):
    return x[tuple(np.moveaxis(indices, -1, 0))]


def eye(rows, columns, k, dtype):
    return np.eye(rows, columns, k, DTYPES[dtype])


def tensordot(x, y, axes=2):
    return np.tensordot(x, y, axes)


NAMES = {name: exact(getattr(np, name)) for name in (
    "add subtract multiply divide floor_divide remainder negative abs sign"
    " square reciprocal equal not_equal less less_equal greater greater_equal"
    " logical_and logical_or logical_xor logical_not bitwise_and bitwise_or"
    " bitwise_xor isnan isinf isfinite signbit copysign floor ceil trunc round"
    " sqrt reshape squeeze expand_dims permute_dims matrix_transpose"
    " broadcast_to stack tile repeat flip roll pad tril triu diff any all"
    " take_along_axis zeros_like ones_like").split() if hasattr(np, name)}
NAMES |= {name: exact(getattr(np, name), Alike) for name in
          "maximum minimum max min".split()}
NAMES |= {name: exact(function) for name, function in dict(
    bitwise_invert=np.invert, rsqrt=lambda x: x.dtype.type(1) / np.sqrt(x),
    bitwise_left_shift=shift_left, bitwise_right_shift=shift_right,
    where=where, concat=concat, take=take, sort=sort, argsort=argsort,
    argmax=np.argmax, argmin=np.argmin, searchsorted=np.searchsorted,
    scatter_update=scatter(None)).items()}
NAMES |= {name: exact(function, Alike) for name, function in dict(
    relu=lambda x: np.maximum(x, x.dtype.type(0)), clip=clip,
    scatter_min=scatter(np.minimum), scatter_max=scatter(np.maximum),
    max_pool2d=max_pool2d).items()}
NAMES |= {name: near(name, getattr(np, numpy)) for name, numpy in dict(
    exp="exp", expm1="expm1", log="log", log1p="log1p", log2="log2",
    log10="log10", sin="sin", cos="cos", tan="tan", sinh="sinh", cosh="cosh",
    tanh="tanh", asin="arcsin", acos="arccos", atan="arctan", asinh="arcsinh",
    acosh="arccosh", atanh="arctanh", atan2="arctan2", hypot="hypot",
    pow="power").items()}
NAMES |= dict(
    cast=cast, topk=topk, unique_inverse=unique_inverse, nonzero=np.nonzero,
    erf=erf, gelu=gelu, sigmoid=near("sigmoid", sigmoid),
    softplus=near("softplus", lambda x: np.logaddexp(x, 0)),
    logaddexp=summed(np.logaddexp, lambda x, y: 1 + np.abs(np.logaddexp(x, y))),
    sum=summed(np.sum, ints=True),
    prod=summed(np.prod, products(np.prod, np.sum), True, 64),
    mean=summed(np.mean, means), var=summed(var, squares, factor=16),
    std=summed(std, deviations, factor=16), logsumexp=summed(logsumexp, sizes),
    cumsum=summed(scan(np.cumsum), ints=True, factor=32),
    cumprod=summed(scan(np.cumprod), products(
        scan(np.cumprod), scan(np.cumsum)), True, 64),
    matmul=summed(np.matmul), outer=summed(np.outer),
    vecdot=summed(lambda x, y: (x * y).sum(-1)), tensordot=summed(tensordot),
    einsum=lambda text, *args: summed(
        lambda *a: np.einsum(text, *a))(*args),
    norm=summed(lambda x: np.sqrt((x * x).sum())),
    softmax=summed(softmax, lambda x, axis=-1: softmax(x, axis) * (
        2 + np.abs(x - x.max(axis, keepdims=True, initial=-np.inf)))),
    log_softmax=summed(log_softmax, lambda x, axis=-1: sizes(x) * 2),
    conv2d=summed(conv2d), depthwise_conv2d=summed(depthwise_conv2d),
    avg_pool2d=summed(avg_pool2d), layer_norm=summed(layer_norm, ones_of),
    zeros=lambda shape, dtype: np.zeros(shape, DTYPES[dtype]),
    ones=lambda shape, dtype: np.ones(shape, DTYPES[dtype]),
    full=lambda shape, value, dtype: np.full(shape, value, DTYPES[dtype]),
    full_like=np.full_like, eye=eye, one_hot=one_hot, arange=np.arange,
    linspace=lambda *args, dtype: Want(
        np.linspace(*args, dtype=np.longdouble), np.dtype(dtype), 1, 1e-16),
    shape_of=lambda x: np.array(x.shape, np.int32), split=split,
    unstack=unstack, gather_nd=gather_nd,
    boolean_mask=lambda x, mask: x[mask],
    scatter_add=scatter_add, inv=linear(np.linalg.inv),
    qr=lambda x: [linear(lambda x: np.linalg.qr(x)[k])(x) for k in range(2)],
    eigh=lambda x: [linear(np.linalg.eigvalsh)(x)],
    svd=lambda x: [None, linear(lambda x: np.linalg.svd(x)[1])(x)],
    det=linear(np.linalg.det), solve=linear(np.linalg.solve),
    cholesky=linear(np.linalg.cholesky))


def fault(got, want):
    """Why Duet's result is not what NumPy's asks for; None if it is."""
    if isinstance(want, Alike):
        want, zeros = np.asarray(want.value), True
    elif isinstance(want, Want):
        return wide_fault(got, want)
    else:
        want, zeros = np.asarray(want), False
    if got.dtype != want.dtype or got.shape != want.shape:
        return (f"{got.dtype} of {got.shape}, not {want.dtype} of "
                f"{want.shape}")
    if want.dtype not in FLOATS:
        wrong = got != want
    else:
        wrong = ~((got == want) | (np.isnan(got) & np.isnan(want)))
        if not zeros:
            wrong |= (np.signbit(got) != np.signbit(want)) & ~np.isnan(want)
    return place(got, want, wrong)


def wide_fault(got, want):
    value = np.asarray(want.value)
    if got.dtype != want.dtype or got.shape != value.shape:
        return f"{got.dtype} of {got.shape}, not {want.dtype} of {value.shape}"
    rounded = value.astype(want.dtype)
    narrow = np.float32 if want.dtype in HALVES else want.dtype
    unit = np.spacing(np.abs(rounded).astype(narrow)).astype(np.longdouble)
    if want.dtype in HALVES:
        lowest = 2.0 ** (-24 if want.dtype == np.float16 else -133)
        factor = 2.0 ** (13 if want.dtype == np.float16 else 16)
        unit = np.maximum(unit * factor, lowest)
    off = np.abs(got.astype(np.longdouble) - value)
    right = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    right |= off <= want.ulps * unit + want.slack
    right |= np.isposinf(want.slack)
    return place(got, rounded, ~right, off / unit)


def place(got, want, wrong, off=None):
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    text = f"{got[at]!r}, not {want[at]!r} at {list(at)}"
    return text + (f", {float(off[at]):.3f} ULP" if off is not None else "")
