#include "backends/cpu/kernels/bfloat16_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/bfloat16_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#if HWY_TARGET == HWY_AVX3
// Highway 1.0 has no target with AVX-512 BF16, so this file adds it to the target with AVX-512.
#undef HWY_TARGET_STR
#define HWY_TARGET_STR HWY_TARGET_STR_AVX3 ",avx512bf16"
#include <immintrin.h>
#endif

#include "backends/cpu/kernels/micro_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace {

// VNNI pairs, each in the place of a float.
struct PairFormat : PlainFormat<float> {
  HWY_ATTR static HWY_INLINE Vector<float> multiply_add(Vector<float> a, Vector<float> b,
                                                        Vector<float> sum) {
    return Vector<float>{_mm512_dpbf16_ps(sum.raw, (__m512bh)b.raw, (__m512bh)a.raw)};
  }
};

HWY_ATTR void pair(const uint16_t* first, const uint16_t* second, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint32_t> words;
  const hn::Rebind<uint16_t, decltype(words)> halves;
  int64_t i = 0;
  for (; i + lanes<float> <= count; i += lanes<float>) {
    auto pairs = hn::PromoteTo(words, hn::LoadU(halves, first + i));
    if (second) {
      const auto upper = hn::PromoteTo(words, hn::LoadU(halves, second + i));
      pairs = hn::Or(pairs, hn::ShiftLeft<16>(upper));
    }
    hn::StoreU(hn::BitCast(d, pairs), d, to + i);
  }
  for (; i < count; ++i) {
    to[i] = std::bit_cast<float>(first[i] | (second ? uint32_t{second[i]} << 16 : 0));
  }
}

}  // namespace

BFloat16Kernels make_bfloat16_kernels() {
  BFloat16Kernels made{.gemm = gemm_kernels<float>(Instructions::avx512), .pair = pair};
  set_kernels<PairFormat>(made.gemm);
  made.windows = made.gemm;
  return made;
}

#endif
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const BFloat16Kernels* bfloat16_kernels() {
#if HWY_TARGETS & HWY_AVX3
  __builtin_cpu_init();
  static const bool present = __builtin_cpu_supports("avx512bf16");
  if (!present || best_instructions() < Instructions::avx512) return nullptr;
  static const BFloat16Kernels kernels = N_AVX3::make_bfloat16_kernels();
  if (best_instructions() < Instructions::amx) return &kernels;
  static const BFloat16Kernels faster = [] {
    BFloat16Kernels made = kernels;
    made.gemm = with_amx(kernels.gemm);
    made.blocks = amx_block_kernels();
    // On processors with AMX, an AVX-512 BF16 product of pairs takes as long as two float32
    // products.
    made.convolves = false;
    return made;
  }();
  return &faster;
#else
  return nullptr;
#endif
}

}  // namespace mithril::cpu_backend
#endif
