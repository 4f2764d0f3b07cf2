// The operations of elementwise programs. A file that includes this list defines before
// MITHRIL_OPERATION(name, operands, vectors, text): the number of operands; the result, as an
// expression of d, the Highway tag, and the vectors x[0], x[1], ...; and as a C++ expression of the
// operands {0}, {1}, ..., where {4} is the suffix of C functions. Empty: only kernels compute it.

MITHRIL_OPERATION(copy, 1, x[0], "{0}")
MITHRIL_OPERATION(negate, 1, hn::Neg(x[0]), "-{0}")
MITHRIL_OPERATION(logical_not, 1, truth(d, hn::Eq(x[0], hn::Zero(d))), "{0} == 0")
MITHRIL_OPERATION(abs, 1, hn::Abs(x[0]), "__builtin_fabs{4}({0})")
MITHRIL_OPERATION(sqrt, 1, hn::Sqrt(x[0]), "__builtin_sqrt{4}({0})")
MITHRIL_OPERATION(floor, 1, hn::Floor(x[0]), "")
MITHRIL_OPERATION(rint, 1, hn::Round(x[0]), "")
MITHRIL_OPERATION(trunc, 1, hn::Trunc(x[0]), "")
MITHRIL_OPERATION(exp, 1, exp(d, x[0]), "")
MITHRIL_OPERATION(expm1, 1, expm1(d, x[0]), "")
MITHRIL_OPERATION(log, 1, log(d, x[0]), "")
MITHRIL_OPERATION(log1p, 1, log1p(d, x[0]), "")
MITHRIL_OPERATION(tanh, 1, tanh(d, x[0]), "")
MITHRIL_OPERATION(sin, 1, sin(d, x[0]), "")
MITHRIL_OPERATION(cos, 1, cos(d, x[0]), "")
MITHRIL_OPERATION(erf, 1, erf_float(d, x[0]), "")
MITHRIL_OPERATION(add, 2, hn::Add(x[0], x[1]), "{0} + {1}")
MITHRIL_OPERATION(subtract, 2, hn::Sub(x[0], x[1]), "{0} - {1}")
MITHRIL_OPERATION(multiply, 2, hn::Mul(x[0], x[1]), "{0} * {1}")
MITHRIL_OPERATION(divide, 2, hn::Div(x[0], x[1]), "{0} / {1}")
// C's fmax and fmin: if one operand is NaN, the result is the other one.
MITHRIL_OPERATION(maximum, 2,
                  hn::IfThenElse(hn::Or(hn::Gt(x[0], x[1]), unequal(x[1], x[1])), x[0], x[1]),
                  "({0} > {1}) | ({1} != {1}) ? {0} : {1}")
MITHRIL_OPERATION(minimum, 2,
                  hn::IfThenElse(hn::Or(hn::Lt(x[0], x[1]), unequal(x[1], x[1])), x[0], x[1]),
                  "({0} < {1}) | ({1} != {1}) ? {0} : {1}")
// Operand 0 if it is greater (less) than operand 1, else operand 1, also for NaN.
MITHRIL_OPERATION(greater, 2, greater_of(x[0], x[1]), "{0} > {1} ? {0} : {1}")
MITHRIL_OPERATION(lesser, 2, lesser_of(x[0], x[1]), "{0} < {1} ? {0} : {1}")
MITHRIL_OPERATION(less, 2, truth(d, hn::Lt(x[0], x[1])), "{0} < {1}")
MITHRIL_OPERATION(less_equal, 2, truth(d, hn::Le(x[0], x[1])), "{0} <= {1}")
MITHRIL_OPERATION(equal, 2, truth(d, hn::Eq(x[0], x[1])), "{0} == {1}")
MITHRIL_OPERATION(not_equal, 2, truth(d, unequal(x[0], x[1])), "{0} != {1}")
MITHRIL_OPERATION(logical_and, 2, truth(d, hn::And(is_true(d, x[0]), is_true(d, x[1]))),
                  "({0} != 0) & ({1} != 0)")
MITHRIL_OPERATION(logical_or, 2, truth(d, hn::Or(is_true(d, x[0]), is_true(d, x[1]))),
                  "({0} != 0) | ({1} != 0)")
MITHRIL_OPERATION(multiply_add, 3, fused_multiply_add(d, x[0], x[1], x[2]),
                  "__builtin_fma{4}({0}, {1}, {2})")
// Operand 0 is the condition.
MITHRIL_OPERATION(choose, 3, hn::IfThenElse(is_true(d, x[0]), x[1], x[2]), "{0} != 0 ? {1} : {2}")
// Compares operands 0 and 1, and selects operand 2 or 3.
MITHRIL_OPERATION(choose_less, 4, hn::IfThenElse(hn::Lt(x[0], x[1]), x[2], x[3]),
                  "{0} < {1} ? {2} : {3}")
MITHRIL_OPERATION(choose_less_equal, 4, hn::IfThenElse(hn::Le(x[0], x[1]), x[2], x[3]),
                  "{0} <= {1} ? {2} : {3}")
MITHRIL_OPERATION(choose_equal, 4, hn::IfThenElse(hn::Eq(x[0], x[1]), x[2], x[3]),
                  "{0} == {1} ? {2} : {3}")
MITHRIL_OPERATION(choose_not_equal, 4, hn::IfThenElse(unequal(x[0], x[1]), x[2], x[3]),
                  "{0} != {1} ? {2} : {3}")

#undef MITHRIL_OPERATION
