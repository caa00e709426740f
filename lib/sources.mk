# The embedded standard library: one module a line, alphabetical.
lib_modules = \
	lib/bisect.duet \
	lib/collections.duet \
	lib/contextlib.duet \
	lib/copy.duet \
	lib/datetime.duet \
	lib/functools.duet \
	lib/heapq.duet \
	lib/itertools.duet \
	lib/operator.duet \
	lib/string.duet \
	lib/timeit.duet
