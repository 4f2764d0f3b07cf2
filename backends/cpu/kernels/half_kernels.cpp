#include "backends/cpu/kernels/half_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/half_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/micro_kernel-inl.hpp"
#include "mithril/tensor/float16.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

using Floats = hn::ScalableTag<float>;
using Words = hn::ScalableTag<uint32_t>;
using Halves = hn::Rebind<uint16_t, Floats>;

// Rounds to bfloat16, to nearest, ties to even. The result is in the upper half of each word; the
// lower half is unspecified.
HWY_ATTR inline hn::Vec<Words> rounded_words(hn::Vec<Floats> x) {
  const Words words;
  const auto bits = hn::BitCast(words, x);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(words, 0x7FFF)), odd);
  const auto quiet = hn::Or(bits, hn::Set(words, 0x400000));
  const auto is_number = hn::RebindMask(words, hn::Eq(x, x));
  return hn::IfThenElse(is_number, rounded, quiet);
}

// Loads and stores of a vector of floats from and to elements of a dtype.
struct BFloat16 {
  HWY_ATTR static hn::Vec<Floats> load(const uint16_t* from) {
    const auto wide = hn::PromoteTo(Words(), hn::LoadU(Halves(), from));
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(wide));
  }
  HWY_ATTR static void store(hn::Vec<Floats> x, uint16_t* to) {
    const hn::Rebind<int32_t, Floats> numbers;
    const auto narrow = hn::BitCast(numbers, hn::ShiftRight<16>(rounded_words(x)));
    hn::StoreU(hn::DemoteTo(Halves(), narrow), Halves(), to);
  }
  static float widened(uint16_t bits) { return bfloat16::from_bits(bits); }
  static uint16_t narrowed(float x) { return bfloat16(x).bits; }
};

struct Float16 {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  using Stored = hn::Rebind<hwy::float16_t, Floats>;
  HWY_ATTR static hn::Vec<Floats> load(const uint16_t* from) {
    return hn::PromoteTo(Floats(),
                         hn::LoadU(Stored(), reinterpret_cast<const hwy::float16_t*>(from)));
  }
  HWY_ATTR static void store(hn::Vec<Floats> x, uint16_t* to) {
    hn::StoreU(hn::DemoteTo(Stored(), x), Stored(), reinterpret_cast<hwy::float16_t*>(to));
  }
#else
  // Without an instruction for it, Highway's conversion treats infinities as numbers.
  HWY_ATTR static hn::Vec<Floats> load(const uint16_t* from) {
    HWY_ALIGN float wide[HWY_LANES(float)];
    for (size_t i = 0; i < HWY_LANES(float); ++i) wide[i] = widened(from[i]);
    return hn::Load(Floats(), wide);
  }
  HWY_ATTR static void store(hn::Vec<Floats> x, uint16_t* to) {
    HWY_ALIGN float wide[HWY_LANES(float)];
    hn::Store(x, Floats(), wide);
    for (size_t i = 0; i < HWY_LANES(float); ++i) to[i] = narrowed(wide[i]);
  }
#endif
  static float widened(uint16_t bits) { return float16::from_bits(bits); }
  static uint16_t narrowed(float x) { return float16(x).bits; }
};

template <class Half>
HWY_ATTR void widen(const uint16_t* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>)
    hn::StoreU(Half::load(from + i), Floats(), to + i);
  for (; i < count; ++i) to[i] = Half::widened(from[i]);
}

template <class Half>
HWY_ATTR void narrow(const float* from, uint16_t* to, int64_t count) {
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>)
    Half::store(hn::LoadU(Floats(), from + i), to + i);
  for (; i < count; ++i) to[i] = Half::narrowed(from[i]);
}

template <class Half>
constexpr HalfKernels conversions{widen<Half>, narrow<Half>};

const HalfKernels& conversion_kernels(DType dtype) {
  return dtype == DType::float16 ? conversions<Float16> : conversions<BFloat16>;
}

// Measured: prefetching 1024 and 4096 bytes ahead is slower than 2048.
struct HalfFormat {
  using Element = float;
  using Stored = uint16_t;
  static constexpr bool is_packed = true;
  static constexpr int64_t prefetch_bytes = 2048;

  HWY_ATTR static HWY_INLINE Vector<float> multiply_add(Vector<float> a, Vector<float> b,
                                                        Vector<float> sum) {
    return hn::MulAdd(a, b, sum);
  }
};

// Each 32-bit word contains an element of the left vector in its lower half and one of the right
// vector in its upper half, so that each vector needs only one operation to widen.
struct StoredBFloat16 : HalfFormat {
  HWY_ATTR static HWY_INLINE VectorPair<float> load(const uint16_t* from) {
    const Words words;
    const auto both = hn::LoadU(words, reinterpret_cast<const uint32_t*>(from));
    return {hn::BitCast(Floats(), hn::ShiftLeft<16>(both)),
            hn::BitCast(Floats(), hn::And(both, hn::Set(words, 0xFFFF0000)))};
  }
  HWY_ATTR static void store(VectorPair<float> row, uint16_t* to) {
    const Words words;
    const auto upper = hn::And(rounded_words(row.right), hn::Set(words, 0xFFFF0000));
    const auto lower = hn::ShiftRight<16>(rounded_words(row.left));
    hn::StoreU(hn::Or(upper, lower), words, reinterpret_cast<uint32_t*>(to));
  }
};

struct StoredFloat16 : HalfFormat {
  HWY_ATTR static HWY_INLINE VectorPair<float> load(const uint16_t* from) {
    return {Float16::load(from), Float16::load(from + lanes<float>)};
  }
  HWY_ATTR static void store(VectorPair<float> row, uint16_t* to) {
    Float16::store(row.left, to);
    Float16::store(row.right, to + lanes<float>);
  }
};

template <class Stored>
HWY_ATTR void store(const float* panel, int64_t depth, uint16_t* to) {
  for (int64_t k = 0; k < depth; ++k, panel += nr<float>, to += nr<float>) {
    Stored::store(PlainFormat<float>::load(panel), to);
  }
}

#if HWY_TARGET == HWY_AVX3
constexpr Instructions own = Instructions::avx512;
#elif HWY_TARGET == HWY_AVX2
constexpr Instructions own = Instructions::avx2;
#else
constexpr Instructions own = Instructions::portable;
#endif

template <class Stored>
const HalfWeightKernels& weights() {
  static const HalfWeightKernels filled = [] {
    HalfWeightKernels all{.gemm = gemm_kernels<float>(own), .store = store<Stored>};
    all.gemm.packing = 2;
    all.gemm.dots = nullptr;
    set_kernels<Stored>(all.gemm);
    return all;
  }();
  return filled;
}

const HalfWeightKernels& weight_kernels(DType stored) {
  return stored == DType::float16 ? weights<StoredFloat16>() : weights<StoredBFloat16>();
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const HalfKernels& half_kernels(DType dtype, Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, conversion_kernels(dtype));
}

const HalfWeightKernels& half_weight_kernels(DType stored, Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, weight_kernels(stored));
}

}  // namespace mithril::cpu_backend
#endif
