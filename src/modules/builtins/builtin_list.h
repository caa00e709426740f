// Every built-in function: BUILTIN(name, parameters, C function, doc), the
// function in one of builtins_*.c; BUILTIN_CLASS where the name is that of the
// class of the iterators that it makes, of which kind (obj_iter.h). Types and
// error classes need no row. No include guard.
#ifndef BUILTIN_CLASS
#define BUILTIN_CLASS(name, kind, params, function, doc)                       \
    BUILTIN(name, params, function, doc)
#endif
BUILTIN("__import__", "name, globals=None, locals=None, fromlist=(), level=0",
        builtin_import, "The module of this name.")
BUILTIN("abs", "x, /", builtin_abs, "The absolute value.")
BUILTIN("all", "iterable, /, *, axis=None, keepdims=False", builtin_all,
        "Whether all items are true; of a tensor, over the axes.")
BUILTIN("any", "iterable, /, *, axis=None, keepdims=False", builtin_any,
        "Whether an item is true; of a tensor, over the axes.")
BUILTIN("ascii", "obj, /", builtin_ascii, "repr() with ASCII only.")
BUILTIN("bin", "number, /", builtin_bin, "The int in base 2: '0b101'.")
BUILTIN("breakpoint", "*args, **kws", builtin_breakpoint,
        "Stop here: a prompt with the names of this place.")
BUILTIN("callable", "obj, /", builtin_callable, "Whether it can be called.")
BUILTIN("chr", "i, /", builtin_chr, "The character of a code point.")
BUILTIN("delattr", "obj, name, /", builtin_delattr, "del obj.name.")
BUILTIN("dir", "object=None, /", builtin_dir, "The names of its attributes.")
BUILTIN("divmod", "x, y, /", builtin_divmod, "The pair (x // y, x % y).")
BUILTIN_CLASS("enumerate", generic, "iterable, start=0", builtin_enumerate,
              "Pairs of a number and an item.")
BUILTIN("compile",
        "source, filename, mode, flags=0, dont_inherit=False, optimize=-1",
        builtin_compile, "Source text as code that eval() and exec() run.")
BUILTIN("eval", "source, globals=None, locals=None, /", builtin_eval,
        "The value of an expression given as a text.")
BUILTIN("exec", "source, globals=None, locals=None, /", builtin_exec,
        "Run statements given as a text.")
BUILTIN("exit", "code=None, /", builtin_exit,
        "End the program; the same as sys.exit.")
BUILTIN_CLASS("filter", plain, "function, iterable, /", builtin_filter,
              "The items for which the function is true.")
BUILTIN("format", "value, format_spec='', /", builtin_format,
        "The value as a text in this form.")
BUILTIN("getattr", "object, name, default=None, /", builtin_getattr,
        "object.name, or the default if there is none.")
BUILTIN("globals", "", builtin_globals, "The dict of the module's names.")
BUILTIN("hasattr", "obj, name, /", builtin_hasattr, "Whether obj.name exists.")
BUILTIN("hash", "obj, /", builtin_hash, "What dicts and sets find it by.")
BUILTIN("help", "obj=None, /", builtin_help, "Print what the value is for.")
BUILTIN("hex", "number, /", builtin_hex, "The int in base 16: '0xff'.")
BUILTIN("id", "obj, /", builtin_id, "A number that only this object has.")
BUILTIN("input", "prompt='', /", builtin_input, "A line of standard input.")
BUILTIN("isinstance", "obj, class_or_tuple, /", builtin_isinstance,
        "Whether obj is an instance of the class or one of them.")
BUILTIN("issubclass", "cls, class_or_tuple, /", builtin_issubclass,
        "Whether cls derives from the class or one of them.")
BUILTIN("iter", "object, sentinel=None, /", builtin_iter,
        "An iterator over the items; or of calls until the sentinel.")
BUILTIN("len", "obj, /", builtin_len, "How many items.")
BUILTIN_CLASS("map", plain, "function, /, *iterables", builtin_map,
              "What the function gives for each item.")
BUILTIN("max", "*args, key=None, default=None, axis=None, keepdims=False",
        builtin_max, "The largest item or argument; of a tensor, over axes.")
BUILTIN("min", "*args, key=None, default=None, axis=None, keepdims=False",
        builtin_min, "The smallest item or argument; of a tensor, over axes.")
BUILTIN("next", "iterator, default=None, /", builtin_next,
        "The next item, or the default at the end.")
BUILTIN("oct", "number, /", builtin_oct, "The int in base 8: '0o17'.")
BUILTIN("ord", "c, /", builtin_ord, "The code point of a character.")
BUILTIN("pow", "base, exp, mod=None", builtin_pow,
        "base ** exp, modulo mod if given.")
BUILTIN("open",
        "file, mode='r', buffering=-1, encoding=None, errors=None, "
        "newline=None, closefd=True, opener=None",
        builtin_open, "Open a file of text or bytes.")
BUILTIN("print", "*args, sep=' ', end='\\n', file=None, flush=False",
        builtin_print, "Write the texts of the values to standard output.")
BUILTIN("quit", "code=None, /", builtin_exit,
        "End the program; the same as sys.exit.")
BUILTIN("progress", "iterable, /, total=None", builtin_progress,
        "The items, with a line on the terminal that says how far it is.")
BUILTIN("repr", "obj, /", builtin_repr, "The text that shows the value.")
BUILTIN_CLASS("reversed", counted, "sequence, /", builtin_reversed,
              "The items from the last to the first.")
BUILTIN("round", "number, ndigits=None", builtin_round,
        "The nearest number of so many decimals; halves to even.")
BUILTIN("setattr", "obj, name, value, /", builtin_setattr, "obj.name = value.")
BUILTIN("sorted", "iterable, /, *, key=None, reverse=False", builtin_sorted,
        "A list of the items in ascending order.")
BUILTIN("sum", "iterable, /, start=0, *, axis=None, keepdims=False",
        builtin_sum, "start plus all items; of a tensor, over the axes.")
BUILTIN("vars", "object=None, /", builtin_vars, "Its __dict__.")
BUILTIN("locals", "", builtin_locals, "A dict of the names in reach here.")
BUILTIN_CLASS("zip", plain, "*iterables, strict=False", builtin_zip,
              "Tuples of the first items, of the second ones, and so on.")
#undef BUILTIN_CLASS
