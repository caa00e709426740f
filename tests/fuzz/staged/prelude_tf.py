# The part of the prelude for TensorFlow: Duet's names in its terms. A program
# runs eagerly, then staged; it stands in a file, since AutoGraph reads its
# source.
import os
import tempfile
import types

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["AUTOGRAPH_VERBOSITY"] = "0"
import tensorflow as tf

ARRAYS = ()
TENSORS = ("EagerTensor",)
VARIABLES = ("ResourceVariable",)
SYMBOLS = ("SymbolicTensor", "Tensor")
SPACES = []  # the names of all programs: AutoGraph finds them by module


def listed(value):
    """Host numbers."""
    return value.numpy().tolist()


def reducer(tensors, host):
    """A function that reduces a tensor, a list of them, or host numbers."""
    @tf.autograph.experimental.do_not_convert
    def reduce_any(*values):
        value = values[0] if len(values) == 1 else values
        if isinstance(value, types.GeneratorType):
            value = list(value)
        if isinstance(value, (tuple, list)) and not any(
                isinstance(item, (tf.Tensor, tf.Variable)) for item in value):
            return host(value)
        return tensors(value)
    return reduce_any


class Stage:
    """`stage` as a decorator with and without options, and its print."""

    def __call__(self, function=None, signature=None, relax=False):
        if function is None:
            return tf.function(input_signature=signature,
                               reduce_retracing=relax)
        return tf.function(function)

    @staticmethod
    def print(*values):
        """To standard output, as Duet's."""
        tf.print(*values, output_stream=sys.stdout, summarize=-1)

    @staticmethod
    def cond(chosen, then, other):
        """One of the two values."""
        return tf.cond(chosen, then, other)

    @staticmethod
    def loop(test, body, state):
        """The last state, which is one value where it is no tuple."""
        one = not isinstance(state, (tuple, list))
        last = tf.while_loop(test, lambda *now: (body(*now),) if one
                             else body(*now), (state,) if one else state)
        return last[0] if one else last

    @staticmethod
    def host_call(function, values, out):
        """What host code makes of tensors."""
        made = tf.py_function(function, values, out.dtype)
        return tf.ensure_shape(made, out.shape)


class NoDraws:
    """Stands for the module of random numbers, of which programs without them
    set the seed at most."""

    @staticmethod
    def seed(number):
        """Nothing to set."""


Tape = tf.GradientTape
NAMES.update(
    tensor=tf.constant, Variable=tf.Variable, stage=Stage(), zeros=tf.zeros,
    concat=lambda values: tf.concat(values, 0), stack=tf.stack,
    Tape=Tape, maximum=tf.maximum, minimum=tf.minimum,
    rng=NoDraws, data=tf.data.Dataset, where=tf.where, cast=tf.cast, reshape=tf.reshape, take=tf.gather,
    mean=tf.reduce_mean, tanh=tf.tanh, sin=tf.sin, exp=tf.exp, sqrt=tf.sqrt,
    stop_gradient=tf.stop_gradient, custom_gradient=tf.custom_gradient,
    float32=tf.float32, float64=tf.float64, float16=tf.float16,
    bfloat16=tf.bfloat16, int32=tf.int32, int64=tf.int64,
    spec=tf.TensorSpec, strings=tf.strings, OpError=tf.errors.OpError,
    sum=reducer(tf.reduce_sum, sum), max=reducer(tf.reduce_max, max),
    any=reducer(tf.reduce_any, any), all=reducer(tf.reduce_all, all))


def execute(text, space):
    """Runs the program in its names."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(text)
    FILE[0] = file.name
    exec(compile(text, file.name, "exec"), space)


def run(number, text):
    """One program."""
    for mode in ("eager", "staged"):
        print(f"@ {mode} {number}")
        sys.stdout.flush()
        tf.config.run_functions_eagerly(mode == "eager")
        World().run(text)
        os.unlink(FILE[0])
    print(f"@ end {number}")
    sys.stdout.flush()


