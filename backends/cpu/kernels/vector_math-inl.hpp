// Vector math functions with correct results for NaN, infinities and zeros. Compiled once for each
// target.
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
HWY_ATTR HWY_INLINE V<D> number(D d, double value) {
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
// Highway's Ne is false for NaN on AVX-512.
template <class X>
HWY_ATTR auto unequal(X a, X b) {
  return hn::Not(hn::Eq(a, b));
}
// Returns `given` if it is NaN, else `result`.
template <class D>
HWY_ATTR V<D> keep_nan(D, V<D> given, V<D> result) {
  return hn::IfThenElse(unequal(given, given), given, result);
}

// a * b + c, rounded once.
template <class D>
HWY_ATTR HWY_INLINE V<D> fused_multiply_add([[maybe_unused]] D d, V<D> a, V<D> b, V<D> c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  constexpr size_t lanes = hn::MaxLanes(D());
  alignas(64) hn::TFromD<D> numbers[3][lanes];
  hn::Store(a, d, numbers[0]);
  hn::Store(b, d, numbers[1]);
  hn::Store(c, d, numbers[2]);
  for (size_t i = 0; i < lanes; ++i)
    numbers[0][i] = std::fma(numbers[0][i], numbers[1][i], numbers[2][i]);
  return hn::Load(d, numbers[0]);
#endif
}

// a if it is greater (less) than b, else b, also for NaN.
template <class X>
HWY_ATTR HWY_INLINE X greater_of(X a, X b) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::Max(a, b);
#else
  return hn::IfThenElse(hn::Gt(a, b), a, b);
#endif
}
template <class X>
HWY_ATTR HWY_INLINE X lesser_of(X a, X b) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::Min(a, b);
#else
  return hn::IfThenElse(hn::Lt(a, b), a, b);
#endif
}

// a, or b if it is larger (smaller) or NaN.
template <bool larger, class X>
HWY_ATTR HWY_INLINE X extreme(X a, X b) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  // Max and Min return their second argument for NaN and for equal zeros.
  return hn::IfThenElse(hn::IsNaN(b), b, larger ? hn::Max(b, a) : hn::Min(b, a));
#else
  const auto is_better = larger ? hn::Gt(b, a) : hn::Lt(b, a);
  return hn::IfThenElse(hn::Or(is_better, unequal(b, b)), b, a);
#endif
}

// Min and max with a limit. On x86, Min and Max return their second argument if one is NaN, so NaN
// passes through, and nan_kept has nothing to do. On other targets NaN may be lost, and may not be
// converted to an integer; nan_kept restores it.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
template <class D>
HWY_ATTR HWY_INLINE V<D> at_most(D d, V<D> x, double most) {
  return hn::Min(number(d, most), x);
}
template <class D>
HWY_ATTR HWY_INLINE V<D> at_least(D d, V<D> x, double least) {
  return hn::Max(number(d, least), x);
}
template <class D>
HWY_ATTR HWY_INLINE V<D> nan_kept(D, V<D>, V<D> result) {
  return result;
}
#else
template <class D>
HWY_ATTR HWY_INLINE V<D> at_most(D d, V<D> x, double most) {
  return hn::Min(x, number(d, most));
}
template <class D>
HWY_ATTR HWY_INLINE V<D> at_least(D d, V<D> x, double least) {
  return hn::Max(x, number(d, least));
}
template <class D>
HWY_ATTR HWY_INLINE V<D> nan_kept(D d, V<D> x, V<D> result) {
  return keep_nan(d, x, result);
}
#endif

constexpr double log2_of_e = 1.44269504088896341;

// Evaluates a polynomial in x by Horner's rule, highest coefficient first.
template <class D, class... Rest>
HWY_ATTR HWY_INLINE V<D> polynomial(D d, V<D> x, double first, Rest... rest) {
  V<D> sum = number(d, first);
  ((sum = hn::MulAdd(sum, x, number(d, rest))), ...);
  return sum;
}

// x * 2^n, for integral n from -252 to 254.
template <class D>
HWY_ATTR HWY_INLINE V<D> times_power_of_two(D d, V<D> x, V<D> n) {
#if HWY_TARGET == HWY_AVX3
  return V<D>{_mm512_scalef_ps(x.raw, n.raw)};
#else
  // Multiplies by two factors, for results that overflow or are subnormal.
  const hn::RebindToSigned<D> di;
  const auto power = [&](auto whole) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(whole, hn::Set(di, 127))));
  };
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  return hn::Mul(hn::Mul(x, power(half)), power(hn::Sub(whole, half)));
#endif
}

// The integer nearest to x * log2(e). Adding 1.5 * 2^23 rounds to an integer.
template <class D>
HWY_ATTR HWY_INLINE V<D> whole_exponent(D d, V<D> x) {
  const V<D> shift = number(d, 3 << 22);
  return hn::Sub(hn::MulAdd(x, number(d, log2_of_e), shift), shift);
}

// e^x / 2^n, for the integer n nearest to x * log2(e): Cody and Waite's reduction, and the
// polynomial of Cephes' expf.
template <class D>
HWY_ATTR HWY_INLINE V<D> exp_fraction(D d, V<D> x, V<D> n) {
  V<D> r = hn::NegMulAdd(n, number(d, 0.693359375), x);
  r = hn::NegMulAdd(n, number(d, -2.12194440e-4), r);
  return polynomial(d, r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                    1.6666665459e-1, 5.0000001201e-1, 1, 1);
}

template <class D>
HWY_ATTR HWY_INLINE V<D> exp_float(D d, V<D> x) {
  const V<D> inside = at_least(d, at_most(d, x, 90), -105);
  const V<D> n = whole_exponent(d, inside);
  return nan_kept(d, x, times_power_of_two(d, exp_fraction(d, inside, n), n));
}

// As exp_float, for |x| <= 80. NaN may become a number.
template <class D>
HWY_ATTR HWY_INLINE V<D> exp_small(D d, V<D> x) {
  const hn::RebindToSigned<D> di;
  const V<D> n = whole_exponent(d, x);
  // The lowest bits of the sum are n, as floats above 2^23 are 1 apart.
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, hn::Add(n, number(d, 3 << 22))));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, exp_fraction(d, x, n)), exponent));
}

#if HWY_TARGET == HWY_AVX3
// Looks up numbers[i], where i is the lowest five bits of each lane.
template <class D>
HWY_ATTR V<D> one_of_32(D d, const float* numbers, V<D> at) {
  const auto bits = hn::BitCast(hn::RebindToSigned<D>(), at);
  return V<D>{
      _mm512_permutex2var_ps(hn::Load(d, numbers).raw, bits.raw, hn::Load(d, numbers + 16).raw)};
}

// x - n / 2^bits, where n is the nearest integer, or the integer below. 0 for infinities.
template <int bits, bool below, class D>
HWY_ATTR V<D> remainder(D, V<D> x) {
  return V<D>{_mm512_reduce_ps(x.raw, bits << 4 | 8 | (below ? 1 : 0))};
}
#endif

// e^x for x <= 0, with a relative error of (2 + |x|) * 1e-7. Softmax does not need more. Powers
// below 2^lowest_share become 0: processors take a hundred cycles for a subnormal result, and masks
// such as -100 lead to many.
constexpr double lowest_share = -125;

#if HWY_TARGET == HWY_AVX3
// 2^(i / 32)
alignas(64) inline constexpr float roots_of_two[32] = {
    1,           1.0218972f,  1.04427373f, 1.06714046f, 1.09050775f, 1.1143868f,  1.13878858f,
    1.1637249f,  1.18920708f, 1.21524739f, 1.24185777f, 1.26905096f, 1.29683959f, 1.32523668f,
    1.35425556f, 1.38390994f, 1.41421354f, 1.44518077f, 1.47682619f, 1.50916445f, 1.54221082f,
    1.5759809f,  1.61049032f, 1.64575553f, 1.68179286f, 1.71861935f, 1.75625217f, 1.79470909f,
    1.8340081f,  1.87416768f, 1.91520655f, 1.95714414f};

// 2^n * 2^(i / 32) * 2^f with 0 <= f < 1 / 32. The polynomial is fitted to this range.
template <class D>
HWY_ATTR V<D> share_float(D d, V<D> x) {
  const V<D> exponent = hn::Mul(x, number(d, log2_of_e));
  // Above 2^18, floats are 1 / 32 apart, so the lowest bits of the sum are i.
  const V<D> shifted{_mm512_add_round_ps(exponent.raw, number(d, 3 << 17).raw,
                                         _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  const V<D> f = remainder<5, true>(d, exponent);
  const V<D> power = polynomial(d, f, 0.24265173077583313, 0.6931237578392029, 1);
  const V<D> root = one_of_32(d, roots_of_two, shifted);
  // scalef rounds the exponent down to an integer.
  const __mmask16 kept =  // NaN, too
      _mm512_cmp_ps_mask(exponent.raw, number(d, lowest_share).raw, _CMP_NLT_UQ);
  return V<D>{_mm512_maskz_scalef_ps(kept, hn::Mul(power, root).raw, exponent.raw)};
}
#else
// 2^n * 2^f with |f| <= 1 / 2. The polynomial is fitted to this range.
template <class D>
HWY_ATTR V<D> share_float(D d, V<D> x) {
  constexpr double lowest = lowest_share / log2_of_e;
  const V<D> inside = at_least(d, x, lowest);
  const V<D> n = whole_exponent(d, inside);
  const V<D> f = hn::MulSub(inside, number(d, log2_of_e), n);
  const V<D> power = polynomial(d, f, 1.326469993e-3, 9.671533903e-3, 5.550734001e-2,
                                2.402224176e-1, 6.931469774e-1, 1);
  const V<D> share = times_power_of_two(d, power, n);
  return nan_kept(d, x, hn::IfThenZeroElse(hn::Lt(x, number(d, lowest)), share));
}
#endif

// Highway's Exp is valid up to 706 and converts x to an integer. So this squares exp(x / 2) above
// 700, and never passes NaN.
template <class D>
HWY_ATTR V<D> exp_double(D d, V<D> x) {
  const auto large = hn::Gt(x, number(d, 700));
  const V<D> halved = hn::IfThenElse(large, hn::Min(hn::Mul(x, number(d, 0.5)), number(d, 400)), x);
  const V<D> root = hn::Exp(d, hn::IfThenElse(unequal(x, x), hn::Zero(d), halved));
  return keep_nan(d, x, hn::IfThenElse(large, hn::Mul(root, root), root));
}

template <class D>
HWY_ATTR HWY_INLINE V<D> exp(D d, V<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return exp_float(d, x);
  } else {
    return exp_double(d, x);
  }
}

// e^x - 1: below 1/2 the series, as the difference would lose digits there.
template <class D>
HWY_ATTR V<D> expm1(D d, V<D> x) {
  V<D> series;
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    series = polynomial(d, x, 2.75573192e-6, 2.48015873e-5, 1.98412698e-4, 1.38888889e-3,
                        8.33333333e-3, 4.16666667e-2, 1.66666667e-1, 0.5);
  } else {
    series =
        polynomial(d, x, 4.77947733238738530e-14, 7.64716373181981648e-13, 1.14707455977297247e-11,
                   1.60590438368216146e-10, 2.08767569878680990e-9, 2.50521083854417188e-8,
                   2.75573192239858907e-7, 2.75573192239858907e-6, 2.48015873015873016e-5,
                   1.98412698412698413e-4, 1.38888888888888889e-3, 8.33333333333333333e-3,
                   4.16666666666666667e-2, 1.66666666666666667e-1, 0.5);
  }
  const V<D> near = hn::MulAdd(hn::Mul(x, x), series, x);
  const V<D> far = hn::Sub(exp(d, x), number(d, 1));
  const V<D> result = hn::IfThenElse(hn::Lt(hn::Abs(x), number(d, 0.5)), near, far);
  return hn::CopySign(result, x);  // expm1(-0) is -0
}

// e^x for x <= 0, as softmax needs it; see share_float.
template <class D>
HWY_ATTR V<D> share(D d, V<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return share_float(d, x);
  } else {
    return exp_double(d, x);
  }
}

// Completes Highway's logarithm for arguments outside of its domain.
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
  const auto zero = hn::Eq(x, hn::Zero(d));  // log1p(-0) is -0
  return keep_nan(d, x, hn::IfThenElse(zero, x, result));
}

// For |x| < 0.625: the polynomials of Cephes' tanhf and tanh, as a function of x^2.
template <class D>
HWY_ATTR HWY_INLINE V<D> small_tanh(D d, V<D> square) {
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

// Above 0.625, tanh(x) = 1 - 2 / (e^(2x) + 1).
template <class D>
HWY_ATTR HWY_INLINE V<D> tanh(D d, V<D> x) {
  const V<D> size = hn::Abs(x), square = hn::Mul(x, x);
  const V<D> small = hn::MulAdd(hn::Mul(small_tanh(d, square), square), x, x);
  V<D> power;
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    power = exp_small(d, at_most(d, hn::Add(size, size), 20));  // tanh(10) is 1
  } else {
    power = exp(d, hn::Add(size, size));
  }
  const V<D> large = hn::Sub(number(d, 1), hn::Div(number(d, 2), hn::Add(power, number(d, 1))));
  // NaN is in `small`.
  return hn::CopySign(hn::IfThenElse(hn::Ge(size, number(d, 0.625)), large, small), x);
}

// Highway reduces angles below this limit to less than 3 units in the last place.
constexpr double most_angle = 39000;

// Returns `results`, with those of angles that Highway cannot reduce from the C library.
template <class D, class Function>
HWY_ATTR HWY_NOINLINE V<D> with_large_angles(D d, V<D> x, V<D> results, const Function& function) {
  using T = hn::TFromD<D>;
  alignas(64) T angles[hn::MaxLanes(D())], values[hn::MaxLanes(D())];
  hn::Store(x, d, angles);
  hn::Store(results, d, values);
  for (size_t i = 0; i < hn::MaxLanes(D()); ++i) {
    if (!(std::abs(angles[i]) < static_cast<T>(most_angle))) values[i] = function(angles[i]);
  }
  return hn::Load(d, values);
}

template <class D>
HWY_ATTR V<D> sin(D d, V<D> x) {
  using T = hn::TFromD<D>;
  const auto reducible = hn::Lt(hn::Abs(x), number(d, most_angle));  // false for NaN
  V<D> result = hn::Sin(d, hn::IfThenElseZero(reducible, x));
  // The cube of a tiny angle does not change its sine; Highway loses the sign of -0.
  const V<D> tiny = number(d, sizeof(T) == 4 ? 0x1p-13 : 0x1p-27);
  result = hn::IfThenElse(hn::Lt(hn::Abs(x), tiny), x, result);
  if (hn::AllTrue(d, reducible)) return result;
  return with_large_angles(d, x, result, [](T angle) { return std::sin(angle); });
}

template <class D>
HWY_ATTR V<D> cos(D d, V<D> x) {
  using T = hn::TFromD<D>;
  const auto reducible = hn::Lt(hn::Abs(x), number(d, most_angle));
  const V<D> result = hn::Cos(d, hn::IfThenElseZero(reducible, x));
  if (hn::AllTrue(d, reducible)) return result;
  return with_large_angles(d, x, result, [](T angle) { return std::cos(angle); });
}

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
