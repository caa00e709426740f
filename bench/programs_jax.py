"""The programs of programs.duet, by jax.jit on one thread."""
import os
import time

os.environ['XLA_FLAGS'] = ('--xla_cpu_multi_thread_eigen=false '
                           'intra_op_parallelism_threads=1')
import jax  # noqa: E402
import jax.numpy as np  # noqa: E402
import numpy  # noqa: E402
from jax import lax  # noqa: E402
from jax.nn import one_hot, sigmoid, softmax  # noqa: E402


def numbers(*shape):
    count = int(numpy.prod(shape))
    spread = (numpy.arange(count) * 7919 + 13) % 10007
    return np.asarray((spread.astype('float32') / numpy.float32(10007))
                      .reshape(shape))


def whole(below, *shape):
    return (numbers(*shape) * below).astype('int32')


def heat(u):
    near = (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) +
            np.roll(u, -1, 1))
    return u + 0.1 * (near - 4.0 * u)


def heat_slices(u):
    near = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return u[1:-1, 1:-1] + 0.1 * (near - 4.0 * u[1:-1, 1:-1])


def kmeans(x, c):
    d = np.sum((x[:, None, :] - c[None, :, :]) ** 2, axis=2)
    nearest = one_hot(np.argmin(d, axis=1), 16)
    return nearest.T @ x / np.sum(nearest, axis=0)[:, None]


def pairwise(x):
    d = x[:, None, :] - x[None, :, :]
    return np.sqrt(np.sum(d * d, axis=-1))


def gravity(p, m):
    d = p[None, :, :] - p[:, None, :]
    r2 = np.sum(d * d, axis=-1) + 0.01
    w = m[None, :] / (r2 * np.sqrt(r2))
    return np.sum(d * w[:, :, None], axis=1)


def mandelbrot(re, im):
    def turn(_, state):
        x, y, n = state
        inside = x * x + y * y < 4.0
        return (np.where(inside, x * x - y * y + re, x),
                np.where(inside, 2.0 * x * y + im, y),
                n + inside.astype('float32'))
    zero = np.zeros_like(re)
    return lax.fori_loop(0, 50, turn, (zero, zero, zero))[2]


def life(b):
    n = np.roll(b, 1, 0) + np.roll(b, -1, 0) + b
    n = n + np.roll(n, 1, 1) + np.roll(n, -1, 1) - b
    return ((n == 3) | ((b == 1) & (n == 2))).astype('int32')


def attention(q, k, v):
    p = softmax(np.einsum('bhqd,bhkd->bhqk', q, k) * 0.125)
    return np.einsum('bhqk,bhkd->bhqd', p, v)


def masked(s):
    k = np.arange(128)
    return softmax(np.where(k[:, None] >= k[None, :], s, -1e9))


def layer_norm(x, g, b):
    m = np.mean(x, axis=-1, keepdims=True)
    v = np.mean((x - m) ** 2, axis=-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


def standardised(x):
    d = x - np.mean(x, axis=0)
    return d / np.sqrt(np.mean(d ** 2, axis=0))


def gru(h, x, wz, wr, wh):
    both = np.concatenate([x, h], axis=1)
    z, r = sigmoid(both @ wz), sigmoid(both @ wr)
    n = np.tanh(np.concatenate([x, r * h], axis=1) @ wh)
    return (1.0 - z) * n + z * h


def moving(x):
    c = np.cumsum(x, axis=0)
    return (c[10:] - c[:-10]) / 10.0


def nearest(x, y):
    xx, yy = np.sum(x * x, axis=1), np.sum(y * y, axis=1)
    return np.argmin(xx[:, None] - 2.0 * (x @ y.T) + yy[None, :], axis=1)


def chosen(x):
    return np.where(x < 0.2, x * 2.0, np.where(x < 0.5, x + 1.0, np.where(
        x < 0.8, x - 1.0, x * x)))


def newton(x):
    return lax.fori_loop(
        0, 1000, lambda _, x: x - (x * x - 2.0) / (2.0 * x), x)


def pairs_loss(x):
    d = x[:, None, :] - x[None, :, :]
    return np.sum(np.exp(-np.sum(d * d, axis=-1)))


def norm_loss(g, x):
    d = x - np.mean(x, axis=-1, keepdims=True)
    v = np.mean(d * d, axis=-1, keepdims=True)
    return np.sum(np.tanh(d * lax.rsqrt(v + 1e-5) * g))


def attention_loss(q, k, v):
    p = softmax(np.einsum('bqd,bkd->bqk', q, k) * 0.125)
    return np.sum(np.einsum('bqk,bkd->bqd', p, v) ** 2)


def show(name, function, *args):
    function = jax.jit(function)
    jax.block_until_ready(function(*args))
    jax.block_until_ready(function(*args))
    least, end = 1e9, time.perf_counter() + 0.3
    while time.perf_counter() < end:
        start = time.process_time()
        jax.block_until_ready(function(*args))
        least = min(least, time.process_time() - start)
    print(name, least * 1e6, flush=True)


heads = [numbers(2, 8, 128, 64) for _ in range(3)]
lines = [numbers(4, 64, 32) for _ in range(3)]
show('heat', heat, numbers(512, 512))
show('heat_slices', heat_slices, numbers(512, 512))
show('kmeans', kmeans, numbers(10000, 8), numbers(16, 8))
show('pairwise', pairwise, numbers(500, 3))
show('gravity', gravity, numbers(500, 3), numbers(500))
show('mandelbrot', mandelbrot, numbers(200, 200) * 3.0 - 2.0,
     numbers(200, 200) * 2.0 - 1.0)
show('life', life, (numbers(256, 256) > 0.5).astype('int32'))
show('attention', attention, *heads)
show('masked', masked, numbers(8, 128, 128))
show('layer_norm', layer_norm, numbers(512, 768), numbers(768), numbers(768))
show('standardised', standardised, numbers(10000, 32))
show('softmax_axis', lambda x: softmax(x, axis=1), numbers(8, 16, 32, 32))
show('logsumexp_axis', lambda x: jax.nn.logsumexp(x, axis=0),
     numbers(1000, 256))
show('pooled', lambda x: np.max(x.reshape(8, 32, 2, 32, 2, 16), axis=(2, 4)),
     numbers(8, 64, 64, 16))
show('gru', gru, numbers(32, 64), numbers(32, 32),
     *[numbers(96, 64) for _ in range(3)])
show('embedded', lambda table, ids: np.mean(table[ids], axis=1),
     numbers(10000, 64), whole(10000, 128, 20))
show('moving', moving, numbers(10000, 8))
show('nearest', nearest, numbers(1000, 32), numbers(500, 32))
show('summed_rows', lambda x, ids: np.zeros((100, 16)).at[ids].add(x),
     numbers(10000, 16), whole(100, 10000))
show('chosen', chosen, numbers(100000))
show('ints', lambda a, b: (a * 3 + b) % 17 - a // 5, whole(1000, 100000),
     whole(1000, 100000))
show('newton', newton, np.float32(1.5))
show('newton_of_ten', newton, numbers(10) + 1.0)
show('largest', lambda x: lax.top_k(x, 10), numbers(100000))
show('pairs_slopes', jax.grad(pairs_loss), numbers(200, 3))
show('norm_slopes', jax.grad(norm_loss, (0, 1)), numbers(256),
     numbers(256, 256))
show('attention_slopes', jax.grad(attention_loss, (0, 1, 2)), *lines)
