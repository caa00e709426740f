"""Who is asked by +=, -= and *= of classes that derive from a built-in one."""
import collections

BODIES = ("def __rmul__(s, o): return 'rmul'",
          "def __mul__(s, o): return 'mul'",
          "def __add__(s, o): return 'add'",
          "def __radd__(s, o): return 'radd'",
          "def __mul__(s, o): return NotImplemented",
          "def __imul__(s, o): return NotImplemented",
          "def __iadd__(s, o): return NotImplemented",
          "def __iadd__(s, o): return NotImplemented\n def __mul__(s, o): return 'mul'",
          "def __rmul__(s, o): return NotImplemented\n def __imul__(s, o): return 'imul'")
RIGHT = 2, [1], "a", (1,), 2.5, None, collections.deque([1]), {1}


def made(base, body):
    """A class of that base and body, and one below it."""
    space = {"base": base}
    exec("class C(base):\n " + body, space)

    class D(space["C"]):
        pass

    return space["C"], D


def rows(base):
    for body in BODIES:
        told = body.replace("\n", ";")
        for C in made(base, body):
            for right in RIGHT:
                if right is None:
                    right = C()
                shown = "C" if type(right) is C else repr(right)[:20]
                for op in "*=", "+=", "-=":
                    x = C()
                    try:
                        names = {"x": x, "r": right}
                        exec("x %s r" % op, names)
                        x2 = names["x"]
                        print(base.__name__, told, shown, op,
                              type(x2).__name__, x2 is x,
                              x2 if base is not object else "")
                    except Exception as e:
                        print(base.__name__, told, op, type(e).__name__, e)
