#include "backends/cpu/kernels/micro_kernel.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/gemm_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "backends/cpu/kernels/byte_weight_kernels.hpp"
#include "backends/cpu/kernels/micro_kernel-inl.hpp"
#include "backends/cpu/kernels/vnni_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <typename T>
constexpr int64_t line_size = cache_line / int64_t{sizeof(T)};  // in elements

// Elements of a 16-byte block. Wider vectors consist of such blocks.
#if HWY_TARGET == HWY_SCALAR
template <typename T>
constexpr int64_t block = 1;

template <typename D, typename T>
void transpose_block(D, const T* from, int64_t, T* to, int64_t) {
  *to = *from;
}
#else
template <typename T>
constexpr int64_t block = 16 / int64_t{sizeof(T)};

// Loads a 16-byte block from each of `lanes / block` rows. The rows are `block` rows apart.
template <typename D, typename T>
HWY_ATTR auto load_blocks(D d, const T* from, int64_t step) {
  constexpr int64_t lanes = int64_t{hn::MaxLanes(D())};
  if constexpr (lanes == block<T>) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, from + lanes / 2 * step, step),
                       load_blocks(half, from, step));
  }
}

// Transposes `lanes` rows and `block` columns.
template <typename D, typename T>
HWY_ATTR void transpose_block(D d, const T* from, int64_t step, T* to, int64_t to_step) {
  if constexpr (block<T> == 2) {
    const auto a = load_blocks(d, from, step), b = load_blocks(d, from + step, step);
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_step);
  } else {
    const auto a = load_blocks(d, from, step), b = load_blocks(d, from + step, step),
               c = load_blocks(d, from + 2 * step, step), e = load_blocks(d, from + 3 * step, step);
    const auto ac = hn::InterleaveLower(d, a, c), be = hn::InterleaveLower(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, ac, be), d, to);
    hn::StoreU(hn::InterleaveUpper(d, ac, be), d, to + to_step);
    const auto more_ac = hn::InterleaveUpper(d, a, c), more_be = hn::InterleaveUpper(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, more_ac, more_be), d, to + 2 * to_step);
    hn::StoreU(hn::InterleaveUpper(d, more_ac, more_be), d, to + 3 * to_step);
  }
}
#endif

// The last blocks overlap with earlier ones if the sizes are not multiples of a block.
template <typename D, typename T>
HWY_ATTR void transpose_vectors(D d, const Rearrangement<T>& t) {
  constexpr int64_t lanes = int64_t{hn::MaxLanes(D())};
  for (int64_t first = 0; first < t.depth; first += line_size<T>) {
    const int64_t last = std::min(first + line_size<T>, t.depth);
    for (int64_t j = 0; j < t.count; j += lanes) {
      const int64_t row = std::min(j, t.count - lanes);
      for (int64_t next = first; next < last; next += block<T>) {
        const int64_t k = std::min(next, t.depth - block<T>);
        transpose_block(d, t.from + row * t.from_step + k, t.from_step, t.to + k * t.to_step + row,
                        t.to_step);
      }
    }
  }
}

template <typename T>
HWY_ATTR void transpose_pack(const Rearrangement<T>& t) {
  constexpr int64_t lanes = HWY_LANES(T), half = std::max(lanes / 2, block<T>);
  if (t.count == 1 && t.to_step == 1) {
    std::copy_n(t.from, t.depth, t.to);
  } else if (t.count < block<T> || t.depth < block<T>) {
    for (int64_t j = 0; j < t.count; ++j) {
      for (int64_t k = 0; k < t.depth; ++k) t.to[k * t.to_step + j] = t.from[j * t.from_step + k];
    }
  } else if (t.count >= lanes) {
    transpose_vectors(hn::ScalableTag<T>(), t);
  } else if (t.count >= half) {
    transpose_vectors(hn::FixedTag<T, half>(), t);
  } else {
    transpose_vectors(hn::FixedTag<T, block<T>>(), t);
  }
}

template <typename D, typename T>
HWY_ATTR void copy_vectors(D d, const Rearrangement<T>& t) {
  constexpr int64_t lanes = int64_t{hn::MaxLanes(D())};
  for (int64_t k = 0; k < t.depth; ++k) {
    const T* from = t.from + k * t.from_step;
    T* to = t.to + k * t.to_step;
    for (int64_t j = 0; j < t.count; j += lanes) {
      const int64_t at = std::min(j, t.count - lanes);
      hn::StoreU(hn::LoadU(d, from + at), d, to + at);
    }
  }
}

template <typename T>
HWY_ATTR void copy(const Rearrangement<T>& t) {
  const hn::ScalableTag<T> d;
  constexpr int64_t lanes = HWY_LANES(T), half = std::max(lanes / 2, block<T>);
  if (t.count >= lanes) return copy_vectors(d, t);
  if (t.count >= half) return copy_vectors(hn::FixedTag<T, half>(), t);
  if (t.count >= block<T>) return copy_vectors(hn::FixedTag<T, block<T>>(), t);
  for (int64_t k = 0; k < t.depth; ++k) {
    for (int64_t j = 0; j < t.count; ++j) t.to[k * t.to_step + j] = t.from[k * t.from_step + j];
  }
}

// Pairs of int16, each in the place of an int32, in which the products are added up.
struct Int16Format : PlainFormat<int32_t> {
  HWY_ATTR static HWY_INLINE Vector<int32_t> multiply_add(Vector<int32_t> a, Vector<int32_t> b,
                                                          Vector<int32_t> sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    const hn::ScalableTag<int32_t> d;
    const hn::Repartition<int16_t, decltype(d)> halves;
    Vector<int32_t> unused = sum;
    return hn::ReorderWidenMulAccumulate(d, hn::BitCast(halves, a), hn::BitCast(halves, b), sum,
                                         unused);
#else
    const auto lower = [](Vector<int32_t> x)
                           HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(x)); };
    const auto upper = [](Vector<int32_t> x) HWY_ATTR { return hn::ShiftRight<16>(x); };
    return hn::Add(hn::Add(sum, hn::Mul(lower(a), lower(b))), hn::Mul(upper(a), upper(b)));
#endif
  }
};

// Quads of uint8 in A and of int8 in B, each in the place of an int32, in which the products are
// added up.
struct QuadFormat : PlainFormat<int32_t> {
  static constexpr bool is_packed = true;

  HWY_ATTR static HWY_INLINE Vector<int32_t> multiply_add(Vector<int32_t> a, Vector<int32_t> b,
                                                          Vector<int32_t> sum) {
#if HWY_TARGET == HWY_AVX3
    const __m512i pairs = _mm512_maddubs_epi16(a.raw, b.raw), ones = _mm512_set1_epi16(1);
    return {_mm512_add_epi32(sum.raw, _mm512_madd_epi16(pairs, ones))};
#elif HWY_TARGET == HWY_AVX2
    const __m256i pairs = _mm256_maddubs_epi16(a.raw, b.raw), ones = _mm256_set1_epi16(1);
    return {_mm256_add_epi32(sum.raw, _mm256_madd_epi16(pairs, ones))};
#else
    const auto product = [&]<int byte>(std::integral_constant<int, byte>) HWY_ATTR {
      const auto upper = hn::ShiftLeft<24 - 8 * byte>(b);
      const auto of_a =
          hn::And(hn::ShiftRight<8 * byte>(a), hn::Set(hn::DFromV<decltype(a)>(), 255));
      return hn::Mul(of_a, hn::ShiftRight<24>(upper));
    };
    const auto first = hn::Add(product(std::integral_constant<int, 0>()),
                               product(std::integral_constant<int, 1>()));
    const auto second = hn::Add(product(std::integral_constant<int, 2>()),
                                product(std::integral_constant<int, 3>()));
    return hn::Add(sum, hn::Add(first, second));
#endif
  }
};

template <typename T>
struct FormatOf {
  using Type = PlainFormat<T>;
};
template <>
struct FormatOf<int32_t> {
  using Type = Int16Format;
};

template <typename T>
const GemmKernels<T>& kernels() {
  static const GemmKernels<T> filled = [] {
    GemmKernels<T> made{.mr = mr,
                        .nr = nr<T>,
                        .tile = {},
                        .window = {},
                        .gemv = {},
                        .dots = nullptr,
                        .transpose_pack = transpose_pack<T>,
                        .copy = copy<T>};
    set_kernels<typename FormatOf<T>::Type>(made);
    return made;
  }();
  return filled;
}

const GemmKernels<int32_t>& quad_kernels() {
  static const GemmKernels<int32_t> filled = [] {
    GemmKernels<int32_t> made = kernels<int32_t>();
    made.dots = nullptr;
    std::fill(std::begin(made.window), std::end(made.window), nullptr);
    set_kernels<QuadFormat>(made);
    return made;
  }();
  return filled;
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(GemmKernels, gemm_kernels, kernels<T>())

namespace {

const GemmKernels<int32_t>& kernels_of_pairs(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, kernels<int32_t>());
}

const GemmKernels<int32_t>& kernels_of_quads(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, quad_kernels());
}

}  // namespace

const GemmKernels<int32_t>& byte_weight_kernels(Instructions instructions) {
  const GemmKernels<int32_t>& plain = kernels_of_quads(instructions);
  const GemmKernels<int32_t>* faster = vnni_byte_weight_kernels(plain, instructions);
  return faster ? *faster : plain;
}

template <>
const GemmKernels<int32_t>& gemm_kernels(Instructions instructions) {
  const GemmKernels<int32_t>& plain = kernels_of_pairs(instructions);
  const GemmKernels<int32_t>* faster = vnni_gemm_kernels(plain, instructions);
  return faster ? *faster : plain;
}

}  // namespace mithril::cpu_backend
#endif
