// The operators of the language as the functions of the module operator.
//
// They are native, not written in Duet: a class may hold one of them as an
// attribute, and native functions are no methods of who asks for them.
#include "modules/native/operator_functions.h"

#include "interp/hooks/tracing.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/builtins/builtins.h"

// Each list: name of the function, the operator, its docstring. The lists make
// both the bodies and the table.
#define BINARY_FUNCTIONS(X)                                                    \
    X(add, ADD, "a + b")                                                       \
    X(sub, SUB, "a - b")                                                       \
    X(mul, MUL, "a * b")                                                       \
    X(truediv, TRUEDIV, "a / b")                                               \
    X(floordiv, FLOORDIV, "a // b")                                            \
    X(mod, MOD, "a % b")                                                       \
    X(pow, POW, "a ** b")                                                      \
    X(matmul, MATMUL, "a @ b")                                                 \
    X(and_, AND, "a & b")                                                      \
    X(or_, OR, "a | b")                                                        \
    X(xor, XOR, "a ^ b")                                                       \
    X(lshift, LSHIFT, "a << b")                                                \
    X(rshift, RSHIFT, "a >> b")
#define INPLACE_FUNCTIONS(X)                                                   \
    X(iadd, ADD, "a += b")                                                     \
    X(isub, SUB, "a -= b")                                                     \
    X(imul, MUL, "a *= b")                                                     \
    X(itruediv, TRUEDIV, "a /= b")                                             \
    X(ifloordiv, FLOORDIV, "a //= b")                                          \
    X(imod, MOD, "a %= b")                                                     \
    X(ipow, POW, "a **= b")                                                    \
    X(imatmul, MATMUL, "a @= b")                                               \
    X(iand, AND, "a &= b")                                                     \
    X(ior, OR, "a |= b")                                                       \
    X(ixor, XOR, "a ^= b")                                                     \
    X(ilshift, LSHIFT, "a <<= b")                                              \
    X(irshift, RSHIFT, "a >>= b")
#define COMPARE_FUNCTIONS(X)                                                   \
    X(lt, LT, "a < b")                                                         \
    X(le, LE, "a <= b")                                                        \
    X(eq, EQ, "a == b")                                                        \
    X(ne, NE, "a != b")                                                        \
    X(gt, GT, "a > b")                                                         \
    X(ge, GE, "a >= b")
#define UNARY_FUNCTIONS(X)                                                     \
    X(neg, NEG, "-a")                                                          \
    X(pos, POS, "+a")                                                          \
    X(inv, INVERT, "~a")                                                       \
    X(invert, INVERT, "~a")                                                    \
    X(not_, NOT, "not a")

// The head of a body.
#define OPERATOR_BODY(name) static Value operator_##name(Vm *vm, Value *args)

// The four kinds differ in the question that they put to the protocol.
#define BINARY_BODY(name, op, doc)                                             \
    OPERATOR_BODY(name)                                                        \
    {                                                                          \
        return value_binary(vm, BINARY_##op, args[0], args[1]);                \
    }
#define INPLACE_BODY(name, op, doc)                                            \
    OPERATOR_BODY(name)                                                        \
    {                                                                          \
        return value_inplace(vm, BINARY_##op, args[0], args[1]);               \
    }
#define COMPARE_BODY(name, op, doc)                                            \
    OPERATOR_BODY(name)                                                        \
    {                                                                          \
        return value_compare(vm, COMPARE_##op, args[0], args[1]);              \
    }
#define UNARY_BODY(name, op, doc)                                              \
    OPERATOR_BODY(name)                                                        \
    {                                                                          \
        return value_unary(vm, UNARY_##op, args[0]);                           \
    }
BINARY_FUNCTIONS(BINARY_BODY)
INPLACE_FUNCTIONS(INPLACE_BODY)
COMPARE_FUNCTIONS(COMPARE_BODY)
UNARY_FUNCTIONS(UNARY_BODY)

// 1, 0 or -1 (failed) as a bool.
static Value from_answer(int answer)
{
    return answer < 0 ? VALUE_FAIL : value_from_bool(answer != 0);
}

OPERATOR_BODY(truth)
{
    return from_answer(value_truth(vm, args[0]));
}

OPERATOR_BODY(is)
{
    (void)vm;
    return value_is(vm, args[0], args[1], true);
}

OPERATOR_BODY(is_not)
{
    (void)vm;
    return value_is(vm, args[0], args[1], false);
}

OPERATOR_BODY(contains)
{
    return from_answer(value_contains(vm, args[0], args[1]));
}

OPERATOR_BODY(getitem)
{
    return value_get_item(vm, args[0], args[1]);
}

OPERATOR_BODY(setitem)
{
    return value_done(value_set_item(vm, args[0], args[1], args[2]));
}

OPERATOR_BODY(delitem)
{
    return value_done(value_set_item(vm, args[0], args[1], VALUE_UNBOUND));
}

static Value length_hint(Vm *vm, Value *args)
{
    int64_t otherwise = 0, hint;
    if (!value_unbound(args[1]) && !value_is_integer(args[1]) &&
        !value_is_bool(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "'%s' object cannot be interpreted as an integer",
                           type_name(type_of(vm, args[1])));
    }
    if ((!value_unbound(args[1]) && !value_to_index(vm, args[1], &otherwise)) ||
        !value_length_hint(vm, args[0], otherwise, &hint)) {
        return VALUE_FAIL;
    }
    return int_from_i64(vm, hint);
}

// operator.index(): of a subclass of int the plain int.
static Value index_of(Vm *vm, Value *args)
{
    return value_index(vm, args[0]);
}

// Native modules name a type in errors with its module where it is native: the
// library's own do it by this.
static Value type_name_of(Vm *vm, Value *args)
{
    return value_or_fail(str_from(vm, type_name(type_of(vm, args[0]))));
}

#define TWO_ROW(name, op, doc)                                                 \
    {#name, "a, b, /", operator_##name, "Same as " doc "."},
#define ONE_ROW(name, op, doc)                                                 \
    {#name, "a, /", operator_##name, "Same as " doc "."},

const NativeDef operator_functions[] = {
    // clang-format off
    BINARY_FUNCTIONS(TWO_ROW)
    INPLACE_FUNCTIONS(TWO_ROW)
    COMPARE_FUNCTIONS(TWO_ROW)
    UNARY_FUNCTIONS(ONE_ROW)
    // clang-format on
    {"abs", "a, /", builtin_abs, "Same as abs(a)."},
    {"truth", "a, /", operator_truth, "Whether a is true."},
    {"is_", "a, b, /", operator_is, "Same as a is b."},
    {"is_not", "a, b, /", operator_is_not, "Same as a is not b."},
    {"contains", "a, b, /", operator_contains, "Same as b in a."},
    {"getitem", "a, b, /", operator_getitem, "Same as a[b]."},
    {"setitem", "a, b, c, /", operator_setitem, "Same as a[b] = c."},
    {"delitem", "a, b, /", operator_delitem, "Same as del a[b]."},
    {"index", "a, /", index_of, "a as an integer, by __index__."},
    {"length_hint", "obj, default=0, /", length_hint,
     "len(obj), or what it says of itself, or the default."},
    {"type_name", "obj, /", type_name_of,
     "The name of its type as errors of built-in functions give it."},
    {NULL, NULL, NULL, NULL}};
