#!/usr/bin/env python3
"""Compares gradients with TensorFlow's and JAX's: compare_gradients.py DUET

Each row is an expression in x and y, whose gradients are taken in float64
eagerly, staged, and staged with sizes that are unknown; edges are among the
rows: ties, zeros, what is not taken. Where the two do not agree TensorFlow
decides, unless the row says why it does not. Needs the two (TF_PYTHON names a
python that has them); what is missing is skipped.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

# Name, expression, x, y.
V, W = [0.5, 1.75, -0.75], [1.25, 0.5, 2.25]
M = [[0.25, 0.5, 0.75], [1.0, -1.25, 1.5]]
ZERO = [0.0, -1.0, 2.0]
ROWS = [
    ("add", "x + y", M, W), ("subtract", "x - y", M, W),
    ("multiply", "x * y", M, W), ("divide", "x / y", M, W),
    ("divide by zero", "x / y", V, ZERO),
    ("remainder", "x % y", V, W),
    ("pow", "x ** y", W, V), ("pow, 0 to 2", "x ** 2.0", ZERO, V),
    ("pow, 0 to 0", "x ** 0.0", ZERO, V),
    ("pow, 0 to 1", "x ** 1.0", ZERO, V),
    ("pow, 0 to y", "x ** y", [0.0, 0.0, 2.0], [2.0, 1.0, 0.5]),
    ("maximum", "maximum(x, y)", M, W),
    ("maximum, ties", "maximum(x, y)", V, V),
    ("minimum, ties", "minimum(x, y)", V, V),
    ("abs at 0", "abs(x)", ZERO, V), ("sign", "sign(x) * x", ZERO, V),
    ("sqrt", "sqrt(x)", W, V), ("sqrt at 0", "sqrt(x)", [0.0, 1.0, 4.0], V),
    ("rsqrt", "rsqrt(x)", W, V),
    ("norm", "norm(x)", M, V), ("norm at 0", "norm(x * 0.0)", M, V),
    ("rsqrt, not taken", "where(x > 0.0, rsqrt(x), x)", ZERO, V),
    ("square", "square(x)", V, V), ("exp", "exp(x)", V, V),
    ("expm1", "expm1(x)", V, V), ("log", "log(x)", W, V),
    ("log at 0", "log(x)", [0.0, 1.0, 2.0], V),
    ("log1p", "log1p(x)", V, V), ("sin", "sin(x)", V, V),
    ("cos", "cos(x)", V, V), ("tan", "tan(x)", V, V),
    ("asin", "asin(x)", [0.5, 0.0, -0.75], V),
    ("acos", "acos(x)", [0.5, 0.0, -0.75], V), ("atan", "atan(x)", V, V),
    ("sinh", "sinh(x)", V, V), ("cosh", "cosh(x)", V, V),
    ("tanh", "tanh(x)", V, V), ("asinh", "asinh(x)", V, V),
    ("acosh", "acosh(x + 1.0)", W, V),
    ("atanh", "atanh(x)", [0.5, 0.0, -0.75], V), ("erf", "erf(x)", V, V),
    ("sigmoid", "sigmoid(x)", V, V), ("softplus", "softplus(x)", V, V),
    ("relu at 0", "relu(x)", ZERO, V),
    ("atan2", "atan2(x, y)", M, W),
    ("where", "where(x > 0.6, x * y, y)", M, W),
    ("where, sqrt not taken", "where(x > 0.0, sqrt(x), x)",
     [0.5, 0.0, 2.0], V),
    ("floor", "floor(x) * x", V, V), ("round", "round(x) * x", V, V),
    ("sum", "sum(x * y)", M, W), ("mean", "mean(x * y)", M, W),
    ("prod", "prod(x)", W, V), ("prod, a zero", "prod(x)", ZERO, V),
    ("prod, two zeros", "prod(x)", [0.0, 0.0, 3.0], V),
    ("max, ties", "max(x)", [2.0, 1.0, 2.0], V),
    ("min, ties", "min(x)", [2.0, 1.0, 1.0], V),
    ("logsumexp", "logsumexp(x)", M, V),
    ("cumsum", "cumsum(x) * y", V, W),
    ("cumprod", "cumprod(x) * y", V, W),
    ("singular values", "singular(x) * y[:2]", M, W),
    ("matmul", "matmul(x, transpose(x))", M, V),
    ("transpose", "transpose(x)", M, V),
    ("concat", "concat([x, y], 0)", V, W),
    ("stack", "stack([x, y])", V, W),
    ("reshape", "reshape(x, [6])", M, V),
    ("gather", "gather(x, [2, 0, 2])", V, V),
    ("slice", "x[1:] * x[:-1]", V, V),
    ("softmax", "softmax(x)", M, V),
]

DUET = """
import json, math
transpose, gather = matrix_transpose, lambda a, i: take(a, tensor(i))
def singular(a):
    return svd(a)[1]
def run(f, x, y):
    with Tape() as t:
        t.watch([x, y])
        z = reshape(f(x, y), (-1,))
        z = sum(z * w)
    return t.gradient(z, [x, y], unconnected_gradients="zero")
"""
OTHER = """
import json, math, sys
def weights(n):
    return [math.cos(k + 1.0) for k in range(n)]
"""
TENSORFLOW = OTHER + """
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
m, n = tf.math, tf.nn
N = dict(maximum=tf.maximum, minimum=tf.minimum, abs=tf.abs, sign=tf.sign,
    sqrt=tf.sqrt, rsqrt=m.rsqrt, norm=tf.norm, square=tf.square, exp=tf.exp,
    expm1=m.expm1, log=m.log, log1p=m.log1p, sin=tf.sin, cos=tf.cos, tan=tf.tan,
    asin=tf.asin, acos=tf.acos, atan=tf.atan, sinh=tf.sinh, cosh=tf.cosh,
    tanh=tf.tanh, asinh=m.asinh, acosh=m.acosh, atanh=m.atanh, erf=m.erf,
    sigmoid=tf.sigmoid, softplus=m.softplus, relu=n.relu, atan2=m.atan2,
    where=tf.where, floor=tf.floor, round=tf.round, sum=tf.reduce_sum,
    mean=tf.reduce_mean, prod=tf.reduce_prod, max=tf.reduce_max,
    min=tf.reduce_min, logsumexp=tf.reduce_logsumexp, cumsum=tf.cumsum,
    cumprod=m.cumprod,
    singular=lambda a: tf.linalg.svd(a, compute_uv=False),
    matmul=tf.matmul, transpose=tf.transpose, concat=tf.concat, stack=tf.stack,
    reshape=tf.reshape, gather=tf.gather, softmax=n.softmax)
def one(text, x, y):
    x, y = (tf.constant(v, tf.float64) for v in (x, y))
    with tf.GradientTape() as t:
        t.watch([x, y])
        z = tf.reshape(eval(text, dict(N, x=x, y=y)), [-1])
        w = weights(z.shape[0]) if len(z) > 1 else [1.0]
        z = tf.reduce_sum(z * tf.constant(w, tf.float64))
    made = t.gradient(z, [x, y],
                      unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return [g.numpy().tolist() for g in map(tf.convert_to_tensor, made)]
"""
JAX = OTHER + """
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp, jax.nn as n, jax.scipy.special as s
N = {name: getattr(jnp, name) for name in
     "maximum minimum abs sign sqrt square exp expm1 log log1p sin cos tan sinh"
     " cosh tanh where floor round sum mean prod max min cumsum"
     " cumprod matmul transpose stack reshape".split()}
N.update(rsqrt=jax.lax.rsqrt, norm=jnp.linalg.norm, asin=jnp.arcsin,
    acos=jnp.arccos, atan=jnp.arctan, asinh=jnp.arcsinh, acosh=jnp.arccosh,
    atanh=jnp.arctanh, erf=s.erf, sigmoid=n.sigmoid, softplus=n.softplus,
    relu=n.relu, atan2=jnp.arctan2, logsumexp=s.logsumexp,
    concat=jnp.concatenate, softmax=n.softmax,
    singular=lambda a: jnp.linalg.svd(a, compute_uv=False),
    gather=lambda a, i: a[jnp.array(i)])
def one(text, x, y):
    def loss(x, y):
        z = jnp.reshape(eval(text, dict(N, x=x, y=y)), (-1,))
        w = weights(z.shape[0]) if z.shape[0] > 1 else [1.0]
        return jnp.sum(z * jnp.array(w))
    made = jax.grad(loss, (0, 1))(jnp.array(x), jnp.array(y))
    return [g.tolist() for g in made]
"""


def run(command, text):
    """Runs a program; its lines of JSON, None where it could not begin."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(text)
    made = subprocess.run([command, file.name], capture_output=True, text=True,
                          timeout=600, check=False)
    os.unlink(file.name)
    if made.returncode != 0:
        if "No module" in made.stderr:
            return None
        sys.exit(made.stderr)
    return [json.loads(line) for line in made.stdout.splitlines()]


def program(head):
    """The program of one of the other two."""
    return head + "".join(
        f"print(json.dumps(one({row[1]!r}, {row[2]}, {row[3]})))\n"
        for row in ROWS)


def ours():
    """Duet's program: three lists a line."""
    lines = [DUET]
    for _, text, x, y in ROWS:
        lines.append(f"""
f = lambda x, y: {text}
x, y = tensor({x}, dtype=float64), tensor({y}, dtype=float64)
n = f(x, y).size
w = tensor([math.cos(k + 1.0) if n > 1 else 1.0 for k in range(n)],
           dtype=float64)
unknown = [spec([None] * len(v.shape), float64) for v in (x, y)]
made = [[g.tolist() for g in way(x, y)] for way in (
    lambda x, y: run(f, x, y), stage(lambda x, y: run(f, x, y)),
    stage(lambda x, y: run(f, x, y), signature=unknown))]
print(json.dumps(made))
""")
    return "".join(lines)


def flat(value):
    """The numbers of nested lists."""
    if isinstance(value, list):
        return [number for item in value for number in flat(item)]
    return [value]


def near(one, other):
    """Equal to 1e-9; every NaN is one."""
    one, other = flat(one), flat(other)
    return len(one) == len(other) and all(
        a == b or (math.isnan(a) and math.isnan(b)) or
        abs(a - b) <= 1e-9 * max(1.0, abs(b)) for a, b in zip(one, other))


def main():
    """Compares row by row."""
    python = os.environ.get("TF_PYTHON", sys.executable)
    made = run(sys.argv[1], ours())
    others = {"TensorFlow": run(python, program(TENSORFLOW)),
              "JAX": run(python, program(JAX))}
    for name in [name for name in others if others[name] is None]:
        print(f"{name} is not there: skipped")
        del others[name]
    failed = 0
    for at, row in enumerate(ROWS):
        agree = [near(way, made[at][0]) for way in made[at]]
        same = {name: near(made[at][0], other[at])
                for name, other in others.items()}
        if not all(agree) or not same.get("TensorFlow", any(same.values())
                                          if same else True):
            failed += 1
            print(row[0], agree, same, made[at][0],
                  {name: other[at] for name, other in others.items()})
        elif not all(same.values()):
            print(f"{row[0]}: JAX has {others['JAX'][at]}, "
                  f"TensorFlow and Duet {made[at][0]}")
    print(f"{len(ROWS) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
