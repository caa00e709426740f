// Operands that leave the other operand as it is, bit for bit:
// NEUTRAL(op, operand, dtypes, value). `operand` is 0 (left), 1 (right) or 2
// (either); the dtypes are INTS, FLOATS, BOOLS or NUMBERS (INTS and FLOATS).
// A float's zero counts with its sign: -0.0 + 0.0 is 0.0, so 0.0 is not
// neutral in a sum, but -0.0 is. BECOMES(op, dtypes, value, other): with that
// second operand the op is another one of the first alone. No include guard.
NEUTRAL(ADD, 2, INTS, 0.0)
NEUTRAL(ADD, 2, FLOATS, -0.0)
NEUTRAL(SUBTRACT, 1, INTS, 0.0)
NEUTRAL(SUBTRACT, 1, FLOATS, 0.0)
NEUTRAL(MULTIPLY, 2, NUMBERS, 1.0)
NEUTRAL(DIVIDE, 1, FLOATS, 1.0)
NEUTRAL(FLOOR_DIVIDE, 1, INTS, 1.0)
NEUTRAL(POW, 1, NUMBERS, 1.0)
NEUTRAL(BITWISE_OR, 2, INTS, 0.0)
NEUTRAL(BITWISE_XOR, 2, INTS, 0.0)
NEUTRAL(BITWISE_LEFT_SHIFT, 1, INTS, 0.0)
NEUTRAL(BITWISE_RIGHT_SHIFT, 1, INTS, 0.0)
NEUTRAL(LOGICAL_AND, 2, BOOLS, 1.0)
NEUTRAL(LOGICAL_OR, 2, BOOLS, 0.0)
NEUTRAL(LOGICAL_XOR, 2, BOOLS, 0.0)
BECOMES(POW, NUMBERS, 2.0, SQUARE)
