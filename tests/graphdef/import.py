"""Imports GraphDef texts into TensorFlow and runs each once.

Usage: import.py FILE...; prints what fails and then `N passed, N failed`.
Placeholders and Variables are fed with ones (sizes that are open with 2); a
graph whose run is an InvalidArgumentError (an assert) counts as passed.
"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from google.protobuf import text_format

v1 = tf.compat.v1


def ones(dtype, shape):
    sizes = [d.size if d.size >= 0 else 2 for d in shape.dim]
    kind = tf.as_dtype(dtype)
    if kind == tf.string:
        return np.full(sizes, b"1", dtype=object)
    return np.ones(sizes, kind.as_numpy_dtype)


def run(path):
    graph_def = v1.GraphDef()
    with open(path) as file:
        text_format.Parse(file.read(), graph_def)
    graph = tf.Graph()
    with graph.as_default(), v1.Session(graph=graph) as session:
        tf.import_graph_def(graph_def, name="")
        feeds = {}
        for node in graph_def.node:
            value = None
            if node.op in ("Placeholder", "VarHandleOp"):
                value = ones(node.attr["dtype"].type, node.attr["shape"].shape)
            if node.op == "Placeholder":
                feeds[node.name + ":0"] = value
            if node.op == "VarHandleOp":
                handle = graph.get_tensor_by_name(node.name + ":0")
                session.run(tf.raw_ops.AssignVariableOp(
                    resource=handle, value=tf.constant(value)))
        if any(node.op == "EagerPyFunc" for node in graph_def.node):
            return  # the host's function is not here
        wanted = [node.name for node in graph_def.node
                  if node.op in ("Identity", "NoOp")]
        try:
            session.run([graph.get_operation_by_name(name) for name in wanted],
                        feeds)
        except tf.errors.InvalidArgumentError:
            pass


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
