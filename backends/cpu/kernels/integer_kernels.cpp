#include "backends/cpu/kernels/integer_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/integer_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "backends/cpu/kernels/vector_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

// The next elements as lanes of d, which are not narrower.
template <class D, typename From>
HWY_ATTR hn::Vec<D> load_wide(D d, const From* from) {
  if constexpr (std::is_same_v<hn::TFromD<D>, From>) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<From, D>(), from));
  }
}

// T is float or double.
template <typename Integer, typename T>
HWY_ATTR void widen(const Integer* from, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<int32_t, decltype(d)> words;
  int64_t i = 0;
  for (; i + lanes<T> <= count; i += lanes<T>) {
    const auto integers = load_wide(words, from + i);
    if constexpr (std::is_same_v<T, float>) {
      hn::StoreU(hn::ConvertTo(d, integers), d, to + i);
    } else {
      hn::StoreU(hn::PromoteTo(d, integers), d, to + i);
    }
  }
  for (; i < count; ++i) to[i] = static_cast<T>(from[i]);
}

template <typename T>
HWY_ATTR void store_truths(const T* from, int64_t count, bool* to) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<int32_t, decltype(d)> words;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  auto* stored = reinterpret_cast<uint8_t*>(to);
  int64_t i = 0;
  for (; i + lanes<T> <= count; i += lanes<T>) {
    const auto is_zero = hn::Eq(hn::LoadU(d, from + i), hn::Zero(d));
    const auto numbers = hn::IfThenZeroElse(is_zero, hn::Set(d, T{1}));
    if constexpr (std::is_same_v<T, float>) {
      hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(words, numbers)), bytes, stored + i);
    } else {
      hn::StoreU(hn::DemoteTo(bytes, hn::DemoteTo(words, numbers)), bytes, stored + i);
    }
  }
  for (; i < count; ++i) to[i] = from[i] != T{};
}

template <typename Integer>
HWY_ATTR void narrow(const float* from, int64_t count, Integer* to) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<int32_t> words;
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>) {
    const auto integers = hn::ConvertTo(words, hn::LoadU(d, from + i));
    if constexpr (std::is_same_v<Integer, int32_t>) {
      hn::StoreU(integers, words, to + i);
    } else {
      const hn::Rebind<Integer, decltype(words)> narrow;
      hn::StoreU(hn::DemoteTo(narrow, integers), narrow, to + i);
    }
  }
  for (; i < count; ++i) to[i] = static_cast<Integer>(from[i]);
}

// The least of the lanes. MinOfLanes of the emulated target is at most the largest finite number.
HWY_ATTR float least_lane(V<hn::ScalableTag<float>> x) {
  alignas(64) float apart[static_cast<size_t>(lanes<float>)];
  hn::Store(x, hn::ScalableTag<float>(), apart);
  return *std::min_element(std::begin(apart), std::end(apart));
}

HWY_ATTR Extent extent(const float* from, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto infinity = hn::Set(d, Extent::infinity);
  auto magnitude = infinity, least = infinity, negated = infinity;
  const auto lesser = [](auto x, auto than)
                          HWY_ATTR { return hn::IfThenElse(hn::Lt(x, than), x, than); };
  const auto add = [&](auto x) HWY_ATTR {
    const auto size = hn::Abs(x);
    magnitude = lesser(hn::IfThenElse(hn::Gt(size, hn::Zero(d)), size, infinity), magnitude);
    least = lesser(x, least);
    negated = lesser(hn::Neg(x), negated);
  };
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>) add(hn::LoadU(d, from + i));
  for (; i < count; ++i) add(hn::Set(d, from[i]));
  return {least_lane(magnitude), least_lane(least), -least_lane(negated)};
}

HWY_ATTR bool narrow_scaled(const float* from, int64_t count, float scale, float most,
                            int16_t* to) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<int32_t> words;
  const hn::Rebind<int16_t, decltype(words)> shorts;
  const float inverse = 1 / scale;
  const auto limit = hn::Set(d, most), scales = hn::Set(d, scale), inverses = hn::Set(d, inverse);
  auto all = hn::FirstN(d, lanes<float>);
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>) {
    const auto x = hn::LoadU(d, from + i);
    const auto integers = hn::NearestInt(hn::Mul(x, inverses));
    const auto numbers = hn::ConvertTo(d, integers);
    all =
        hn::And(all, hn::And(hn::Le(hn::Abs(numbers), limit), hn::Eq(hn::Mul(numbers, scales), x)));
    hn::StoreU(hn::DemoteTo(shorts, integers), shorts, to + i);
  }
  if (!hn::AllTrue(d, all)) return false;
  for (; i < count; ++i) {
    const float number = std::nearbyint(from[i] * inverse);
    if (!(std::abs(number) <= most) || number * scale != from[i]) return false;
    to[i] = static_cast<int16_t>(number);
  }
  return true;
}

HWY_ATTR bool narrow_scaled_to_bytes(const float* from, int64_t count, float scale, int32_t zero,
                                     int shift, uint8_t* to) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<int32_t> words;
  const hn::Rebind<uint8_t, decltype(words)> bytes;
  const float inverse = 1 / scale;
  const auto scales = hn::Set(d, scale), inverses = hn::Set(d, inverse);
  const auto zeros = hn::Set(words, zero), byte = hn::Set(words, 255);
  auto all = hn::FirstN(d, lanes<float>);
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>) {
    const auto x = hn::LoadU(d, from + i);
    const auto integers = hn::NearestInt(hn::Mul(x, inverses));
    all = hn::And(all, hn::Eq(hn::Mul(hn::ConvertTo(d, integers), scales), x));
    const auto shifted = hn::ShiftRightSame(hn::Sub(integers, zeros), shift);
    hn::StoreU(hn::DemoteTo(bytes, hn::And(shifted, byte)), bytes, to + i);
  }
  if (!hn::AllTrue(d, all)) return false;
  for (; i < count; ++i) {
    const float number = std::nearbyint(from[i] * inverse);
    if (!(number * scale == from[i])) return false;
    to[i] = static_cast<uint8_t>((static_cast<int32_t>(number) - zero) >> shift);
  }
  return true;
}

HWY_ATTR void multiply(const int32_t* from, int32_t by, int64_t count, int32_t* to) {
  const hn::ScalableTag<int32_t> d;
  const auto factor = hn::Set(d, by);
  int64_t i = 0;
  for (; i + lanes<int32_t> <= count; i += lanes<int32_t>)
    hn::StoreU(hn::Mul(hn::LoadU(d, from + i), factor), d, to + i);
  for (; i < count; ++i)
    to[i] = static_cast<int32_t>(static_cast<uint32_t>(from[i]) * static_cast<uint32_t>(by));
}

HWY_ATTR void widen_scaled(const int32_t* from, const float* scales, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<int32_t> words;
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>) {
    const auto numbers = hn::ConvertTo(d, hn::LoadU(words, from + i));
    hn::StoreU(hn::Mul(numbers, hn::LoadU(d, scales + i)), d, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]) * scales[i];
}

template <typename From>
HWY_ATTR void subtract_zero(const From* from, int32_t zero, int64_t count, int16_t* to) {
  const hn::ScalableTag<int16_t> d;
  const auto zeros = hn::Set(d, static_cast<int16_t>(zero));
  int64_t i = 0;
  for (; i + lanes<int16_t> <= count; i += lanes<int16_t>)
    hn::StoreU(hn::Sub(load_wide(d, from + i), zeros), d, to + i);
  for (; i < count; ++i) to[i] = static_cast<int16_t>(from[i] - zero);
}

template <typename From>
HWY_ATTR void pair(const From* first, const From* second, int32_t zero, int64_t count,
                   int32_t* to) {
  const hn::ScalableTag<int32_t> d;
  const auto zeros = hn::Set(d, zero), lower = hn::Set(d, 0xFFFF);
  int64_t i = 0;
  for (; i + lanes<int32_t> <= count; i += lanes<int32_t>) {
    auto pairs = hn::And(hn::Sub(load_wide(d, first + i), zeros), lower);
    if (second) {
      const auto other = hn::Sub(load_wide(d, second + i), zeros);
      pairs = hn::Or(pairs, hn::ShiftLeft<16>(other));
    }
    hn::StoreU(pairs, d, to + i);
  }
  for (; i < count; ++i) {
    const auto one = static_cast<uint32_t>(first[i] - zero) & 0xFFFF;
    const uint32_t other = second ? static_cast<uint32_t>(second[i] - zero) << 16 : 0;
    to[i] = static_cast<int32_t>(one | other);
  }
}

template <typename Integer>
constexpr IntegerKernels<Integer> conversions{widen<Integer, float>, widen<Integer, double>,
                                              narrow<Integer>};

template <typename T>
constexpr TruthKernels<T> truths{store_truths<T>};

constexpr ScaledIntegerKernels scaled_integers{extent, narrow_scaled, narrow_scaled_to_bytes,
                                               multiply, widen_scaled};

template <typename From>
constexpr Int16PairKernels<From> packing{subtract_zero<From>, pair<From>};

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

template <typename Integer>
const IntegerKernels<Integer>& integer_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, conversions<Integer>);
}

template const IntegerKernels<uint8_t>& integer_kernels<uint8_t>(Instructions);
template const IntegerKernels<int8_t>& integer_kernels<int8_t>(Instructions);
template const IntegerKernels<uint16_t>& integer_kernels<uint16_t>(Instructions);
template const IntegerKernels<int16_t>& integer_kernels<int16_t>(Instructions);
template const IntegerKernels<int32_t>& integer_kernels<int32_t>(Instructions);

template <typename T>
const TruthKernels<T>& truth_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, truths<T>);
}

template const TruthKernels<float>& truth_kernels<float>(Instructions);
template const TruthKernels<double>& truth_kernels<double>(Instructions);

const ScaledIntegerKernels& scaled_integer_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, scaled_integers);
}

template <typename From>
const Int16PairKernels<From>& int16_pair_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, packing<From>);
}

template const Int16PairKernels<uint8_t>& int16_pair_kernels<uint8_t>(Instructions);
template const Int16PairKernels<int8_t>& int16_pair_kernels<int8_t>(Instructions);
template const Int16PairKernels<int16_t>& int16_pair_kernels<int16_t>(Instructions);

}  // namespace mithril::cpu_backend
#endif
