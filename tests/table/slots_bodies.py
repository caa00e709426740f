"""What __slots__ may hold, by the base of the class."""
import weakref


class A:
    __slots__ = ("b", "a", "__private")
    fixed = 1

    def __init__(self):
        self.__private = 3


class B(A):
    __slots__ = ("b", "q", "r", "s")


class C(B):
    pass


BODIES = ["'x'", "('a', 'a')", "['1a']", "[1]", "('x',); x = 1",
          "('__dict__',)", "('__dict__', '__dict__')", "('__weakref__',)",
          "5", "iter('ab')", "{'a': 'doc'}", "()", "('__qualname__',)",
          "('__doc__',)", "('__module__',)", "('__x', '_K__x')",
          "('__x',); _K__x = 1", "''", "('a b',)", "None"]


def rows(*bases):
    for base in bases:
        for body in BODIES:
            names = {"A": A, "C": C}
            try:
                exec(f"class K({base}):\n    __slots__ = {body}", names)
            except Exception as error:
                print(base, body, type(error).__name__, error)
                continue
            made = names["K"]
            print(base, body, sorted(
                (k, str(v)) for k, v in made.__dict__.items()
                if k not in ("__module__", "__slots__", "__doc__", "__hash__")))
            item = made("n", (), {}) if base == "type" else made()
            for name in ["x", "a"]:
                try:
                    setattr(item, name, 5)
                    print("   ", name, getattr(item, name))
                except Exception as error:
                    print("   ", type(error).__name__, error)
            try:
                print("   ", weakref.ref(item)() is item)
            except Exception as error:
                print("   ", type(error).__name__, error)
