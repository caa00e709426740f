"""In which order arguments are converted and refused, and what a wrong one is
told, by the methods that search."""


def row(label, function):
    try:
        shown = function()
        print(label, ascii(shown))
    except Exception as error:
        print(label, type(error).__name__, ascii(str(error)),
              error.__suppress_context__)


class Fails:
    def __index__(self):
        raise KeyError(1)


class Wrong:
    def __index__(self):
        return "a"


class Good:
    def __index__(self):
        return 2


class Text(str):
    pass


def searches(*texts):
    """Each text searched between wrong ends, by some of its methods."""
    for text in texts:
        for start in (-9, 3, 4, 2**63, None, Good(), "x", Fails()):
            for stop in (3, None, "x"):
                for part in ("", b"a", 1, None):
                    for name in ("find", "rindex", "count", "endswith"):
                        if hasattr(text, name):
                            row(name, lambda: getattr(text, name)(part, start,
                                                                  stop))
        for start in (Good(), "x", Fails(), 2**70):
            for stop in (3, "x", Wrong()):
                row("index", lambda: text.index(1, start, stop))
