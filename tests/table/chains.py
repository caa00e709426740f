"""Arithmetic whose results go straight on to the next instruction: with floats,
ints, numbers that need a box, classes, and errors half-way."""


class Odd:
    """Answers every operator with what it was asked."""

    def __radd__(self, other):
        return f'radd {other!r}'

    def __rsub__(self, other):
        return f'rsub {other!r}'

    def __rmul__(self, other):
        return f'rmul {other!r}'

    def __rtruediv__(self, other):
        return f'rtruediv {other!r}'

    def __lt__(self, other):
        return other == 6.0

    def __gt__(self, other):
        return other == 6.0


VALUES = [0, 1, -3, 7, 2.0, -0.0, 0.5, 1e308, 5e-324, float('inf'),
          float('nan'), 2**61, 2**61 - 1, -2**61, 2**70, True, 'x', None,
          [1.5], Odd()]


def product_sum(a, b, c):
    return a * b + c


def sum_product(a, b, c):
    return c + a * b


def difference(a, b, c):
    return a * b - c


def difference_back(a, b, c):
    return c - a * b


def quotient(a, b, c):
    return (a - b) / c


def quotient_back(a, b, c):
    return c / (a - b)


def constants(a, b, c):
    return 2.0 - (a + b) * 0.5 + c


def small_ints(a, b, c):
    return (a / 2 + 1) * 3 - c * 2


def less(a, b, c):
    if a * b < c:
        return 'less'
    if not (a * b <= c):
        return 'not at most'
    return 'equal or so'


def less_back(a, b, c):
    while c < a * b:
        return 'less'
    if c >= a + b:
        return 'at least the sum'
    return 'no'


def items(a, b, c):
    row = [[a, b], (b, c), {0: c, 1: a}]
    n = 0
    one = 1
    row[n][one] = row[n][one] * row[one][n] + c
    row[2][1] -= row[0][0] * c
    return row[0][1], row[2][one] - row[1][1], row[-1][0]


def augmented(a, b, c):
    total = c
    total += a * b
    total -= a / 4
    total *= b + 1.5
    return total


def show(value):
    if isinstance(value, Odd):
        return 'Odd'
    if isinstance(value, tuple):
        return '(' + ', '.join(show(v) for v in value) + ')'
    text = repr(value)
    return text if len(text) < 90 else text[:90]


def row(function, *args):
    try:
        answer = show(function(*args))
    except Exception as error:
        answer = f'{type(error).__name__}: {error}'
    print(function.__name__, ' '.join(show(a) for a in args), '->', answer)


def rows(*functions):
    for function in functions:
        for i, a in enumerate(VALUES):
            for b in (2.0, 3, VALUES[(i * 7 + 3) % len(VALUES)]):
                row(function, a, b, VALUES[(i * 5 + 1) % len(VALUES)])
                row(function, b, a, 6.0)
