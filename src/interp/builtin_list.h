// Every built-in function: BUILTIN(name, parameters, C function, doc), the
// function in one of builtins_*.c. Types and error classes need no row. No
// include guard.
BUILTIN("callable", "obj, /", builtin_callable, "Whether it can be called.")
BUILTIN("hasattr", "obj, name, /", builtin_hasattr, "Whether obj.name exists.")
BUILTIN("isinstance", "obj, class_or_tuple, /", builtin_isinstance,
        "Whether obj is an instance of the class or one of them.")
BUILTIN("len", "obj, /", builtin_len, "How many items.")
BUILTIN("print", "*args, sep=' ', end='\\n'", builtin_print,
        "Write the texts of the values to standard output.")
BUILTIN("repr", "obj, /", builtin_repr, "The text that shows the value.")
