#include "backends/cpu/kernels/half_weight_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/half_weight_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/half_vectors-inl.hpp"
#include "backends/cpu/kernels/micro_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

// Measured: prefetching 1024 and 4096 bytes ahead is slower than 2048.
struct HalfFormat {
  using Element = float;
  using Stored = uint16_t;
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
const HalfWeightKernels& made() {
  static const HalfWeightKernels filled = [] {
    HalfWeightKernels all{.gemm = gemm_kernels<float>(own), .store = store<Stored>};
    all.gemm.packing = 2;
    all.gemm.dots = nullptr;
    set_kernels<Stored>(all.gemm);
    return all;
  }();
  return filled;
}

const HalfWeightKernels& kernels(DType stored) {
  return stored == DType::float16 ? made<StoredFloat16>() : made<StoredBFloat16>();
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const HalfWeightKernels& half_weight_kernels(DType stored, Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, kernels(stored));
}

}  // namespace mithril::cpu_backend
#endif
