"""Numbers whose exponents no memory could write out: compared, hashed, added
and rounded by the places of their first digits."""
from decimal import *
from fractions import Fraction as F

big, small = Decimal('1e425000000'), Decimal('1e-425000000')
values = [big, big.copy_negate(), small, small.copy_negate(), Decimal(0),
          Decimal('0e425000'), Decimal('0e-425000'), Decimal(1),
          Decimal('-2.5'), Decimal('1e300'), Decimal('inf'), Decimal('0.1'),
          Decimal('123456.789')]
others = [0, 1, -1, 10 ** 20, 0.0, 1.5, -2.5, 1e300, 5e-324, 0.1,
          float('inf'), float('-inf'), F(1, 3), F(-5, 2), F(10 ** 30, 7),
          F(1, 10), F(1234567890, 10001), F(0)]

operations = {
    '+': lambda a, b: a + b, '-': lambda a, b: a - b,
    '*': lambda a, b: a * b, '/': lambda a, b: a / b,
    '%': lambda a, b: a % b, '//': lambda a, b: a // b, 'divmod': divmod,
    '<': lambda a, b: a < b, 'compare': lambda a, b: a.compare(b),
    '**': lambda a, b: a ** b, 'quantize': lambda a, b: a.quantize(b),
    'max': lambda a, b: a.max(b), 'min': lambda a, b: a.min(b),
    'fma': lambda a, b: a.fma(b, b), 'near': lambda a, b: a.remainder_near(b)}


def rows(*names):
    for a in values:
        for b in values:
            for name in names:
                try:
                    print(a, name, b, operations[name](a, b))
                except ArithmeticError as e:
                    print(a, name, b, type(e).__name__, e)
