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

// Limits in which x may be lost where it is NaN: nan_kept brings that back. On x86 the second
// argument comes out of Min and Max where one is NaN, and of NaN the processor makes some int;
// elsewhere it may not be asked to.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
template <class D>
HWY_ATTR V<D> at_most(D d, V<D> x, double most) {
  return hn::Min(number(d, most), x);
}
template <class D>
HWY_ATTR V<D> at_least(D d, V<D> x, double least) {
  return hn::Max(number(d, least), x);
}
template <class D>
HWY_ATTR V<D> nan_kept(D, V<D>, V<D> result) {
  return result;
}
#else
template <class D>
HWY_ATTR V<D> at_most(D d, V<D> x, double most) {
  return hn::Min(x, number(d, most));
}
template <class D>
HWY_ATTR V<D> at_least(D d, V<D> x, double least) {
  return hn::Max(x, number(d, least));
}
template <class D>
HWY_ATTR V<D> nan_kept(D d, V<D> x, V<D> result) {
  return keep_nan(d, x, result);
}
#endif

constexpr double log2_of_e = 1.44269504088896341;

// The polynomial of x, highest coefficient first.
template <class D, class... Rest>
HWY_ATTR V<D> polynomial(D d, V<D> x, double first, Rest... rest) {
  V<D> sum = number(d, first);
  ((sum = hn::MulAdd(sum, x, number(d, rest))), ...);
  return sum;
}

// x 2^n for whole n from -252 to 254.
template <class D>
HWY_ATTR V<D> times_power_of_two(D d, V<D> x, V<D> n) {
#if HWY_TARGET == HWY_AVX3
  return V<D>{_mm512_scalef_ps(x.raw, n.raw)};
#else
  // In two halves, for what overflows and what is denormal.
  const hn::RebindToSigned<D> di;
  const auto power = [&](auto whole) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(whole, hn::Set(di, 127))));
  };
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  return hn::Mul(hn::Mul(x, power(half)), power(hn::Sub(whole, half)));
#endif
}

// The whole number nearest to x log2(e): from 2^23 on floats are whole.
template <class D>
HWY_ATTR V<D> whole_exponent(D d, V<D> x) {
  const V<D> shift = number(d, 3 << 22);
  return hn::Sub(hn::MulAdd(x, number(d, log2_of_e), shift), shift);
}

// 2^n e^r with |r| <= ln 2 / 2, Cody and Waite's reduction and Cephes' polynomial (expf).
template <class D>
HWY_ATTR V<D> exp_float(D d, V<D> x) {
  const V<D> inside = at_least(d, at_most(d, x, 90), -105);
  const V<D> n = whole_exponent(d, inside);
  V<D> r = hn::NegMulAdd(n, number(d, 0.693359375), inside);
  r = hn::NegMulAdd(n, number(d, -2.12194440e-4), r);
  const V<D> power = polynomial(d, r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                                4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1, 1);
  return nan_kept(d, x, times_power_of_two(d, power, n));
}

// e^x for x <= 0, where what is small need not be exact to its own last place: with a relative
// error of (2 + |x|) 1e-7. 2^n 2^f with |f| <= 1 / 2, its polynomial fitted to that.
template <class D>
HWY_ATTR V<D> share_float(D d, V<D> x) {
  const V<D> inside = at_least(d, x, -104);
  const V<D> n = whole_exponent(d, inside);
  const V<D> f = hn::MulSub(inside, number(d, log2_of_e), n);
  const V<D> power = polynomial(d, f, 1.326469993e-3, 9.671533903e-3, 5.550734001e-2,
                                2.402224176e-1, 6.931469774e-1, 1);
  return nan_kept(d, x, times_power_of_two(d, power, n));
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

// e^x, x <= 0, as a share of what is 1 at most.
template <class D>
HWY_ATTR V<D> share(D d, V<D> x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return share_float(d, x);
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

// Of 16 numbers those at the indices in the last four bits of these.
template <class D>
HWY_ATTR V<D> looked_up(D d, const float* numbers, hn::Vec<hn::RebindToSigned<D>> at) {
#if HWY_TARGET == HWY_AVX3
  // The instruction looks at no other bits.
  return V<D>{_mm512_permutexvar_ps(at.raw, hn::Load(d, numbers).raw)};
#elif HWY_TARGET == HWY_AVX2
  const hn::RebindToSigned<D> di;
  const auto lane = hn::IndicesFromVec(d, hn::And(at, hn::Set(di, 7)));
  const auto upper = hn::RebindMask(d, hn::TestBit(at, hn::Set(di, 8)));
  return hn::IfThenElse(upper, hn::TableLookupLanes(hn::Load(d, numbers + 8), lane),
                        hn::TableLookupLanes(hn::Load(d, numbers), lane));
#else
  return hn::GatherIndex(d, numbers, hn::And(at, hn::Set(hn::RebindToSigned<D>(), 15)));
#endif
}

// erf(i / 4 + t) for |t| <= 1 / 8: the coefficients of t^k, for each k those of all i. Fitted to
// the relative error, at i = 15 so that the end is 1.
alignas(64) inline constexpr float erf_coefficients[6][16] = {
    {0, 0.276326388f, 0.520499885f, 0.711155653f, 0.842700779f, 0.92290014f, 0.966105163f,
     0.986671686f, 0.995322287f, 0.998537302f, 0.999593019f, 0.999899387f, 0.999977887f,
     0.999995708f, 0.999999285f, 0.999999881f},
    {1.12837923f, 1.06001425f, 0.87878263f, 0.642931104f, 0.415107489f, 0.236521125f, 0.118930288f,
     0.0527749956f, 0.0206669867f, 0.00714231934f, 0.00217828411f, 0.000586277281f, 0.000139253054f,
     2.91890265e-05f, 5.39942675e-06f, 1.00143222e-06f},
    {2.23213789e-07f, -0.264998764f, -0.439388335f, -0.482204586f, -0.415101171f, -0.29565987f,
     -0.178406119f, -0.0923649371f, -0.041345302f, -0.0160793662f, -0.00543081248f, -0.00161679974f,
     -0.000406006468f, -0.000100577185f, -3.31137635e-05f, 3.80979714e-06f},
    {-0.376139522f, -0.309191763f, -0.146478713f, 0.026777016f, 0.138370663f, 0.1675338f,
     0.138751432f, 0.0901575536f, 0.0482231416f, 0.0217245687f, 0.00835005753f, 0.00276030554f,
     0.000789054786f, 0.000195788642f, 4.22882804e-05f, 7.96761742e-06f},
    {0.00025757993f, 0.126076803f, 0.182121187f, 0.150669158f, 0.068851538f, -0.00528682861f,
     -0.0436144806f, -0.047405906f, -0.0337126255f, -0.0185432583f, -0.00961911865f,
     -0.00299377088f, -0.00180781388f, 7.47579397e-05f, 0.000840477995f, -0.000438613934f},
    {0.111089058f, 0.0808863267f, 0.00826436374f, -0.0522019751f, -0.0690437928f, -0.0469960384f,
     -0.014903238f, 0.00651265914f, 0.0130251842f, 0.0106461644f, 0.00612781616f, 0.00277121365f,
     0.00102558779f, 0.000317807921f, 8.3492203e-05f, 1.87546393e-05f}};

template <class D>
HWY_ATTR V<D> erf_float(D d, V<D> x) {
  const hn::RebindToSigned<D> di;
  // Beyond 2^21 floats are 1 / 4 apart: the last bits of such a sum are the nearest i.
  const V<D> shift = number(d, 1 << 21);
  const V<D> size = at_most(d, hn::Abs(x), 3.87499976), shifted = hn::Add(size, shift);
  const V<D> t = hn::Sub(size, hn::Sub(shifted, shift));
  const auto i = hn::BitCast(di, shifted);
  V<D> sum = looked_up(d, erf_coefficients[5], i);
#pragma GCC unroll 5
  for (int k = 4; k >= 0; --k) sum = hn::MulAdd(sum, t, looked_up(d, erf_coefficients[k], i));
  return nan_kept(d, x, hn::CopySign(sum, x));
}

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
