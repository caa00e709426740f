#!/usr/bin/env python3
"""The work of training.duet in TensorFlow, JAX and PyTorch.

    training_rivals.py tf|jax|torch staged|eager CASE ...

Prints what training.duet prints. "Staged" is tf.function, jax.jit and
torch.compile; the loop of `lstm` is a while loop of the graph, lax.scan, and in
PyTorch, which would unroll it, nn.functional calls that are not compiled.
"""
import os
import sys
import time

for name in ('OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'TF_NUM_INTRAOP_THREADS',
             'TF_NUM_INTEROP_THREADS'):
    os.environ[name] = '1'
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['XLA_FLAGS'] = ('--xla_cpu_multi_thread_eigen=false '
                           'intra_op_parallelism_threads=1')

import numpy as np  # noqa: E402

SAMPLES, SAMPLE_SECONDS, RATE = 25, 0.004, 0.01


def numbers(scale, *shape):
    count = int(np.prod(shape))
    values = (np.arange(count, dtype=np.int64) * 7919 + 13) % 1009 - 504
    return (values.astype(np.float32) *
            np.float32(scale / 504)).reshape(shape)


def zeros(*shape):
    return np.zeros(shape, np.float32)


LABELS = (np.arange(64) * 7 % 10).astype(np.int32)
CASES = {
    'mlp': ([numbers(0.05, 784, 128), zeros(128), numbers(0.1, 128, 10),
             zeros(10)], [numbers(1.0, 64, 784), LABELS]),
    'conv': ([numbers(0.3, 3, 3, 1, 8), zeros(8), numbers(0.1, 3, 3, 8, 16),
              zeros(16), numbers(0.1, 144, 10), zeros(10)],
             [numbers(1.0, 64, 12, 12, 1), LABELS]),
    'lstm': ([numbers(0.2, 16, 128), numbers(0.2, 32, 128), zeros(128)],
             [numbers(1.0, 100, 32, 16)]),
    'ops': ([], [numbers(1.0, 1000)]),
    'memory': (None, [numbers(1.0, 4096, 1024)]),
}


def weights_of(name):
    if name == 'memory':
        return [numbers(0.03, 1024, 1024) for _ in range(4)]
    return CASES[name][0]


def tensorflow(staged, name):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)

    def entropy(logits, labels):
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def mlp(p, x, labels):
        return entropy(tf.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3], labels)

    def conv(p, x, labels):
        h = tf.nn.relu(tf.nn.conv2d(x, p[0], 1, 'VALID') + p[1])
        h = tf.nn.max_pool2d(h, 2, 2, 'VALID')
        h = tf.nn.relu(tf.nn.conv2d(h, p[2], 1, 'VALID') + p[3])
        return entropy(tf.reshape(h, (64, 144)) @ p[4] + p[5], labels)

    def lstm(p, xs):
        h = c = tf.zeros((32, 32))
        for x in xs:
            i, f, g, o = tf.split(x @ p[0] + h @ p[1] + p[2], 4, axis=-1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return tf.reduce_mean(h * h)

    def memory(p, x):
        for w in p:
            x = tf.nn.relu(x @ w)
        return tf.reduce_mean(x * x)

    def ops(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = x
            for _ in range(25):
                h = tf.tanh(h * x + 0.5) * 0.9
            y = tf.reduce_sum(h)
        return tf.reduce_sum(tape.gradient(y, x))

    p = [tf.Variable(w) for w in weights_of(name)]
    args = [tf.constant(x) for x in CASES[name][1]]
    if name == 'ops':
        step = ops
    else:
        loss_of = {'mlp': mlp, 'conv': conv, 'lstm': lstm,
                   'memory': memory}[name]

        def step(*args):
            with tf.GradientTape() as tape:
                loss = loss_of(p, *args)
            for w, slope in zip(p, tape.gradient(loss, p)):
                w.assign_sub(slope * RATE)
            return loss
    return tf.function(step) if staged else step, args


def jax_way(staged, name):
    import jax
    import jax.numpy as jnp

    def entropy(logits, labels):
        logs = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(logs, labels[:, None], 1).mean()

    def mlp(p, x, labels):
        return entropy(jax.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3], labels)

    def conv2d(x, k):
        return jax.lax.conv_general_dilated(
            x, k, (1, 1), 'VALID', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))

    def conv(p, x, labels):
        h = jax.nn.relu(conv2d(x, p[0]) + p[1])
        h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 2, 2, 1),
                                  (1, 2, 2, 1), 'VALID')
        h = jax.nn.relu(conv2d(h, p[2]) + p[3])
        return entropy(h.reshape(64, 144) @ p[4] + p[5], labels)

    def lstm(p, xs):
        def turn(state, x):
            h, c = state
            i, f, g, o = jnp.split(x @ p[0] + h @ p[1] + p[2], 4, axis=-1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
        begin = jnp.zeros((32, 32))
        (h, _), _ = jax.lax.scan(turn, (begin, begin), xs)
        return (h * h).mean()

    def memory(p, x):
        for w in p:
            x = jax.nn.relu(x @ w)
        return (x * x).mean()

    def ops(x):
        def chain(x):
            h = x
            for _ in range(25):
                h = jnp.tanh(h * x + 0.5) * 0.9
            return h.sum()
        return jax.grad(chain)(x).sum()

    args = [jnp.asarray(x) for x in CASES[name][1]]
    if name == 'ops':
        run = jax.jit(ops) if staged else ops
        return lambda *args: run(*args).block_until_ready(), args
    loss_of = {'mlp': mlp, 'conv': conv, 'lstm': lstm, 'memory': memory}[name]

    def step(p, *args):
        loss, slopes = jax.value_and_grad(loss_of)(p, *args)
        return [w - RATE * g for w, g in zip(p, slopes)], loss

    run = jax.jit(step, donate_argnums=0) if staged else step
    state = [[jnp.asarray(w) for w in weights_of(name)]]

    def stateful(*args):
        state[0], loss = run(state[0], *args)
        loss.block_until_ready()
        state[0][0].block_until_ready()
        return loss
    return stateful, args


def pytorch(staged, name):
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(1)

    def mlp(p, x, labels):
        return F.cross_entropy(torch.relu(x @ p[0] + p[1]) @ p[2] + p[3],
                               labels)

    def conv(p, x, labels):
        h = torch.relu(F.conv2d(x, p[0], p[1]))
        h = torch.relu(F.conv2d(F.max_pool2d(h, 2), p[2], p[3]))
        h = h.permute(0, 2, 3, 1).reshape(64, 144)
        return F.cross_entropy(h @ p[4] + p[5], labels)

    def lstm(p, xs):
        h = c = torch.zeros(32, 32)
        for x in xs:
            i, f, g, o = (x @ p[0] + h @ p[1] + p[2]).split(32, -1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return (h * h).mean()

    def memory(p, x):
        for w in p:
            x = torch.relu(x @ w)
        return (x * x).mean()

    def chain(p, x):
        h = x
        for _ in range(25):
            h = torch.tanh(h * x + 0.5) * 0.9
        return h.sum()

    p, args = weights_of(name), CASES[name][1]
    if name == 'conv':
        p = [w.transpose(3, 2, 0, 1) if w.ndim == 4 else w for w in p]
        args = [args[0].transpose(0, 3, 1, 2), args[1]]
    p = [torch.tensor(np.ascontiguousarray(w), requires_grad=True) for w in p]
    args = [torch.tensor(np.ascontiguousarray(x)) for x in args]
    args = [x.long() if x.dtype == torch.int32 else x for x in args]
    loss_of = {'mlp': mlp, 'conv': conv, 'lstm': lstm, 'memory': memory,
               'ops': chain}[name]
    if staged and name != 'lstm':
        loss_of = torch.compile(loss_of)
    if name == 'ops':
        args[0].requires_grad_(True)
        return (lambda x: torch.autograd.grad(loss_of(p, x), x)[0].sum(),
                args)

    def step(*args):
        loss = loss_of(p, *args)
        slopes = torch.autograd.grad(loss, p)
        with torch.no_grad():
            for w, slope in zip(p, slopes):
                w.sub_(slope, alpha=RATE)
        return loss.detach()
    return step, args


def megabytes(line):
    with open('/proc/self/status', encoding='ascii') as file:
        for each in file:
            if each.startswith(line):
                return int(each.split()[1]) / 1024
    return 0.0


def sample(step, args, count):
    start = time.process_time()
    for _ in range(count):
        step(*args)
    return (time.process_time() - start) / count


def main(make, staged, names):
    for name in names:
        step, args = make(staged, name)
        if name == 'memory':
            before = megabytes('VmRSS')
            losses = [float(step(*args)) for _ in range(2)]
            print(name, before, megabytes('VmHWM'), losses[1], flush=True)
            continue
        losses = [float(step(*args)) for _ in range(4)]
        once = sample(step, args, 1)
        count = int(SAMPLE_SECONDS / once) + 1
        times = sorted(sample(step, args, count) for _ in range(SAMPLES))
        print(name, times[SAMPLES // 2] * 1e6, times[0] * 1e6, losses[3],
              flush=True)


if __name__ == '__main__':
    main({'tf': tensorflow, 'jax': jax_way, 'torch': pytorch}[sys.argv[1]],
         sys.argv[2] == 'staged', sys.argv[3:])
