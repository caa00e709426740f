// Functions of lib/ that CPython has in C, so that they leave no frame in a
// traceback: HIDDEN(module, function) with the function's qualified name; its
// methods and inner functions go with it, "" is the whole module. What CPython
// has in Python too, such as namedtuple() or textwrap, shows its frames there
// and here, each with the lines of its own file. No include guard.
HIDDEN("_iobase", "")
HIDDEN("_iomemory", "")
HIDDEN("bisect", "")
HIDDEN("collections", "_delete_field")
HIDDEN("collections", "_field")
HIDDEN("collections", "_guarded")
HIDDEN("collections", "_set_field")
HIDDEN("collections", "OrderedDict")
HIDDEN("collections", "defaultdict")
HIDDEN("collections", "deque")
HIDDEN("datetime", "")
HIDDEN("decimal", "")
HIDDEN("functools", "cmp_to_key")
HIDDEN("functools", "_cached")
HIDDEN("functools", "_call_key")
HIDDEN("functools", "partial")
HIDDEN("functools", "reduce")
HIDDEN("io", "")
HIDDEN("itertools", "")
HIDDEN("math", "")
HIDDEN("operator", "")
HIDDEN("time", "")
HIDDEN("warnings", "warn")
HIDDEN("warnings", "warn_explicit")
