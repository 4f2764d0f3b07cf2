// Functions of vectors, right for NaN, infinities and zeros. Compiled once for each target.
#if defined(MITHRIL_VECTOR_MATH) == defined(HWY_TARGET_TOGGLE)
#ifdef MITHRIL_VECTOR_MATH
#undef MITHRIL_VECTOR_MATH
#else
#define MITHRIL_VECTOR_MATH
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using V = hn::Vec<D>;

template <class D>
HWY_ATTR V<D> number(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}
template <class D>
HWY_ATTR V<D> infinity(D d) {
  return hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity());
}
template <class D>
HWY_ATTR V<D> not_a_number(D d) {
  return hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
}
// Highway's Ne takes NaN for equal to everything on AVX-512.
template <class X>
HWY_ATTR auto unequal(X a, X b) {
  return hn::Not(hn::Eq(a, b));
}
// `given` where that is NaN.
template <class D>
HWY_ATTR V<D> keep_nan(D, V<D> given, V<D> result) {
  return hn::IfThenElse(unequal(given, given), given, result);
}

// The polynomial of x, highest coefficient first.
template <class D, class... Rest>
HWY_ATTR V<D> polynomial(D d, V<D> x, double first, Rest... rest) {
  V<D> sum = number(d, first);
  ((sum = hn::MulAdd(sum, x, number(d, rest))), ...);
  return sum;
}

// 2^n for whole n from -126 to 127.
template <class D>
HWY_ATTR V<D> power_of_two(D d, hn::Vec<hn::RebindToSigned<D>> n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// 2^n e^r with |r| <= ln 2 / 2, Cody and Waite's reduction and Cephes' polynomial (expf). The power
// is multiplied in two halves, for what overflows and what is denormal.
template <class D>
HWY_ATTR V<D> exp_float(D d, V<D> x) {
  const hn::RebindToSigned<D> di;
  // Of Min and Max the second argument comes out where one is NaN, of which no int can be made.
  const V<D> inside = hn::Max(hn::Min(x, number(d, 90)), number(d, -105));
  const V<D> n = hn::Round(hn::Mul(inside, number(d, 1.44269504088896341)));
  V<D> r = hn::NegMulAdd(n, number(d, 0.693359375), inside);
  r = hn::NegMulAdd(n, number(d, -2.12194440e-4), r);
  const V<D> tail = polynomial(d, r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                               4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1);
  const V<D> power = hn::Add(hn::MulAdd(tail, hn::Mul(r, r), r), number(d, 1));
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const V<D> result =
      hn::Mul(hn::Mul(power, power_of_two(d, half)), power_of_two(d, hn::Sub(whole, half)));
  return keep_nan(d, x, result);
}

// Highway's holds up to 706, and makes an int of what it is given: beyond 700 it is the square of a
// root, and of NaN it is not asked.
template <class D>
HWY_ATTR V<D> exp_double(D d, V<D> x) {
  const auto large = hn::Gt(x, number(d, 700));
  const V<D> halved = hn::IfThenElse(large, hn::Min(hn::Mul(x, number(d, 0.5)), number(d, 400)), x);
  const V<D> root = hn::Exp(d, hn::IfThenElse(unequal(x, x), hn::Zero(d), halved));
  return keep_nan(d, x, hn::IfThenElse(large, hn::Mul(root, root), root));
}

template <class D>
HWY_ATTR V<D> exp(D d, V<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return exp_float(d, x);
  } else {
    return exp_double(d, x);
  }
}

// Highway's, for what is in its domain.
template <class D>
HWY_ATTR V<D> logarithm(D d, V<D> result, V<D> of) {
  result = hn::IfThenElse(hn::Eq(of, hn::Zero(d)), hn::Neg(infinity(d)), result);
  result = hn::IfThenElse(hn::Lt(of, hn::Zero(d)), not_a_number(d), result);
  return hn::IfThenElse(hn::Eq(of, infinity(d)), of, result);
}
template <class D>
HWY_ATTR V<D> log(D d, V<D> x) {
  return keep_nan(d, x, logarithm(d, hn::Log(d, x), x));
}
template <class D>
HWY_ATTR V<D> log1p(D d, V<D> x) {
  const V<D> result = logarithm(d, hn::Log1p(d, x), hn::Add(x, number(d, 1)));
  const auto zero = hn::Eq(x, hn::Zero(d));  // keeps its sign
  return keep_nan(d, x, hn::IfThenElse(zero, x, result));
}

// Below 0.625: the odd part of Cephes' tanhf and tanh, divided by x.
template <class D>
HWY_ATTR V<D> small_tanh(D d, V<D> square) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return polynomial(d, square, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                      1.33314422036e-1, -3.33332819422e-1);
  } else {
    const V<D> above = polynomial(d, square, -9.64399179425052238628e-1, -9.92877231001918586564e1,
                                  -1.61468768441708447952e3);
    const V<D> below = polynomial(d, square, 1, 1.12811678491632931402e2, 2.23548839060100448583e3,
                                  4.84406305325125486048e3);
    return hn::Div(above, below);
  }
}

// Above it by exp.
template <class D>
HWY_ATTR V<D> tanh(D d, V<D> x) {
  const V<D> size = hn::Abs(x), square = hn::Mul(x, x);
  const V<D> small = hn::MulAdd(hn::Mul(small_tanh(d, square), square), x, x);
  const V<D> power = exp(d, hn::Add(size, size));
  const V<D> large = hn::Sub(number(d, 1), hn::Div(number(d, 2), hn::Add(power, number(d, 1))));
  return hn::CopySign(hn::IfThenElse(hn::Lt(size, number(d, 0.625)), small, large), x);
}

// Two polynomials found by N. Juffa (https://stackoverflow.com/a/35148199).
template <class D>
HWY_ATTR V<D> erf_float(D d, V<D> x) {
  const V<D> size = hn::Abs(x), square = hn::Mul(x, x);
  V<D> large = polynomial(d, size, -1.72853470e-5, 3.83197126e-4);
  large = hn::MulAdd(large, square, polynomial(d, size, -3.88396438e-3, 2.42546219e-2));
  large = hn::MulAdd(large, size, number(d, -1.06777877e-1));
  large = hn::MulAdd(large, size, number(d, -6.34846687e-1));
  large = hn::MulAdd(large, size, number(d, -1.28717512e-1));
  large = hn::MulAdd(large, size, hn::Neg(size));
  large = hn::Sub(number(d, 1), exp_float(d, large));
  const V<D> tail = polynomial(d, square, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                               1.12819925e-1, -3.76125336e-1, 1.28379166e-1);
  const V<D> small = hn::MulAdd(tail, x, x);
  return hn::IfThenElse(hn::Gt(size, number(d, 0.927734375)), hn::CopySign(large, x), small);
}

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
