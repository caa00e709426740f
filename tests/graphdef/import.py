"""Imports GraphDef texts into TensorFlow and runs each once.

Usage: import.py FILE...; prints what fails and then `N passed, N failed`.
Beside NAME.pbtxt, NAME.json may have operands and what Duet makes of them
(export.duet says how): results, Variables and whether there is an error are
then compared. Without it, operands are ones (open sizes 2), and a graph passes
that runs or ends in an InvalidArgumentError, as an assert does.
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from google.protobuf import text_format

v1 = tf.compat.v1
# A run-time error of TensorFlow's; all else is a graph that cannot be run.
RUN_ERRORS = (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError,
              tf.errors.AbortedError)
DRAWS = ("RandomUniform", "RandomStandardNormal", "RandomUniformInt",
         "RandomShuffle")


def ones(dtype, shape):
    sizes = [d.size if d.size >= 0 else 2 for d in shape.dim]
    kind = tf.as_dtype(dtype)
    if kind == tf.string:
        return np.full(sizes, b"1", dtype=object)
    return np.ones(sizes, kind.as_numpy_dtype)


def decoded(value):
    dtype, shape, flat = value
    if dtype == "list":
        return [decoded(each) for each in flat]
    if dtype == "string":
        return np.array([bytes.fromhex(each) for each in flat] + [None],
                        dtype=object)[:-1].reshape(shape)
    if dtype == "bool":
        return np.array([each == "True" for each in flat],
                        dtype=bool).reshape(shape)
    kind = tf.as_dtype(dtype)
    number = float if kind.is_floating else int
    return np.array([number(each) for each in flat],
                    kind.as_numpy_dtype).reshape(shape)


def tolerance(kind):
    """What last bits may differ: of halves, which TensorFlow computes by other
    formulas, two of each op in a chain."""
    if kind.size == 2:
        return 4 * {tf.float16: 2.0 ** -10, tf.bfloat16: 2.0 ** -7}[kind]
    return 2e-5


def alike(ours, theirs, exact):
    if isinstance(ours, list):
        return (len(ours) == theirs[0] and
                (theirs[1] is None or all(
                    alike(mine, other, exact)
                    for mine, other in zip(ours, theirs[1]))))
    theirs = np.asarray(theirs)
    if ours.dtype != theirs.dtype and ours.dtype != object:
        return False
    if ours.shape != theirs.shape:
        return False
    if not exact:
        return True
    kind = tf.as_dtype(ours.dtype) if ours.dtype != object else tf.string
    if kind.is_floating:
        return np.allclose(ours.astype("float64"), theirs.astype("float64"),
                           rtol=tolerance(kind), atol=1e-6, equal_nan=True)
    return bool(np.all(ours == theirs))


def compare(what, ours, theirs, exact):
    if len(ours) != len(theirs):
        raise AssertionError(f"{len(theirs)} {what}, Duet has {len(ours)}")
    for i, (mine, other) in enumerate(zip(ours, theirs)):
        mine = decoded(mine)
        if not alike(mine, other, exact):
            raise AssertionError(f"{what} {i}: {other!r}, Duet has {mine!r}")


def every_op(graph_def):
    ops = [node.op for node in graph_def.node]
    for function in graph_def.library.function:
        ops += [node.op for node in function.node_def]
    return ops


def fetch_list(handle, value):
    """A TensorList's length and, where they can be stacked, its elements."""
    fetches = [tf.raw_ops.TensorListLength(input_handle=handle)]
    items = value[2]
    if items and all(each[:2] == items[0][:2] for each in items):
        fetches.append(tf.raw_ops.TensorListStack(
            input_handle=handle, element_shape=-1,
            element_dtype=tf.as_dtype(items[0][0])))
    else:
        fetches.append(tf.constant(()))
    return fetches


def outputs(graph_def):
    """The Identities at the end, one for each result."""
    names = []
    for node in reversed(graph_def.node):
        if node.op != "Identity":
            break
        names.insert(0, node.name)
    return names


def run(path):
    graph_def = v1.GraphDef()
    with open(path) as file:
        text_format.Parse(file.read(), graph_def)
    told = None
    if os.path.exists(path[:-6] + ".json"):
        with open(path[:-6] + ".json") as file:
            told = json.load(file)
    if "EagerPyFunc" in every_op(graph_def):
        return  # the host's function is not here
    if not graph_def.node:
        return  # TensorFlow's Session runs none that is empty
    exact = not any(op in DRAWS for op in every_op(graph_def))
    graph = tf.Graph()
    with graph.as_default(), v1.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        feeds, handles = {}, []
        given = list(told["feeds"]) if told else None
        for node in graph_def.node:
            if node.op == "Placeholder":
                feeds[node.name + ":0"] = (
                    decoded(given.pop(0)) if told else
                    ones(node.attr["dtype"].type, node.attr["shape"].shape))
            if node.op == "VarHandleOp":
                value = (decoded(told["variables"][len(handles)]) if told else
                         ones(node.attr["dtype"].type,
                              node.attr["shape"].shape))
                handle = graph.get_tensor_by_name(node.name + ":0")
                handles.append((handle, node.attr["dtype"].type))
                session.run(tf.raw_ops.AssignVariableOp(
                    resource=handle,
                    value=tf.constant(value, node.attr["dtype"].type)))
        names = [name + ":0" for name in outputs(graph_def)]
        if told:
            names = names[len(names) - told["outputs"]:]
        fetches = [graph.get_tensor_by_name(name) for name in names]
        if told and told["results"]:
            fetches = [fetch_list(each, mine) if mine[0] == "list" else each
                       for each, mine in zip(fetches, told["results"])]
        fetches += [graph.get_operation_by_name(node.name)
                    for node in graph_def.node if node.op == "NoOp"]
        try:
            results = session.run(fetches, feeds)
        except RUN_ERRORS as error:
            if told and told["error"] is None:
                raise AssertionError(f"TensorFlow raises {str(error)[:300]}")
            return
        if told is None:
            return
        if told["error"] is not None:
            raise AssertionError(f"no error, Duet raises {told['error']}")
        compare("results", told["results"],
                [each for each in results if each is not None], exact)
        after = session.run([tf.raw_ops.ReadVariableOp(resource=handle,
                                                       dtype=dtype)
                             for handle, dtype in handles])
        compare("Variables", told["after"], after, exact)


passed = failed = 0
for path in sys.argv[1:]:
    try:
        run(path)
        passed += 1
    except Exception as error:
        failed += 1
        print(path, str(error)[:400])
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
