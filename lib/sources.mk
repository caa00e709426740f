# The embedded standard library: one module a line, alphabetical.
lib_modules = \
	lib/__future__.duet \
	lib/bisect.duet \
	lib/collections.duet \
	lib/contextlib.duet \
	lib/copy.duet \
	lib/datetime.duet \
	lib/doctest.duet \
	lib/functools.duet \
	lib/heapq.duet \
	lib/itertools.duet \
	lib/numpy/__init__.duet \
	lib/numpy/_array.duet \
	lib/numpy/_functions.duet \
	lib/numpy/linalg.duet \
	lib/operator.duet \
	lib/string.duet \
	lib/tensorflow/__init__.duet \
	lib/tensorflow/_array_ops.duet \
	lib/tensorflow/_base.duet \
	lib/tensorflow/_flow.duet \
	lib/tensorflow/_function.duet \
	lib/tensorflow/_print.duet \
	lib/tensorflow/autograph.duet \
	lib/tensorflow/config.duet \
	lib/tensorflow/debugging.duet \
	lib/tensorflow/dtypes.duet \
	lib/tensorflow/errors.duet \
	lib/tensorflow/linalg.duet \
	lib/tensorflow/math.duet \
	lib/tensorflow/nest.duet \
	lib/tensorflow/nn.duet \
	lib/tensorflow/random.duet \
	lib/tensorflow/strings.duet \
	lib/timeit.duet \
	lib/traceback.duet \
	lib/weakref.duet
