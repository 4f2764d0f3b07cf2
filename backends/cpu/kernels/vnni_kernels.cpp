#include "backends/cpu/kernels/vnni_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/vnni_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX3
// The target of the kernels has no VNNI, so this file adds it.
#undef HWY_TARGET_STR
#define HWY_TARGET_STR HWY_TARGET_STR_AVX3 ",avx512vnni"
#include <immintrin.h>
#endif

#include "backends/cpu/kernels/micro_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace {

struct VnniPairs : PlainFormat<int32_t> {
  HWY_ATTR static HWY_INLINE Vector<int32_t> multiply_add(Vector<int32_t> a, Vector<int32_t> b,
                                                          Vector<int32_t> sum) {
    return Vector<int32_t>{_mm512_dpwssd_epi32(sum.raw, a.raw, b.raw)};
  }
};

struct VnniQuads : PlainFormat<int32_t> {
  static constexpr bool is_packed = true;

  HWY_ATTR static HWY_INLINE Vector<int32_t> multiply_add(Vector<int32_t> a, Vector<int32_t> b,
                                                          Vector<int32_t> sum) {
    return Vector<int32_t>{_mm512_dpbusd_epi32(sum.raw, a.raw, b.raw)};
  }
};

}  // namespace

GemmKernels<int32_t> pairs_with_vnni(GemmKernels<int32_t> kernels) {
  set_kernels<VnniPairs>(kernels);
  return kernels;
}

GemmKernels<int32_t> quads_with_vnni(GemmKernels<int32_t> kernels) {
  set_kernels<VnniQuads>(kernels);
  return kernels;
}

#endif
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

#if HWY_TARGETS & HWY_AVX3
namespace {

bool may_use_vnni(Instructions instructions) {
  __builtin_cpu_init();
  static const bool present = __builtin_cpu_supports("avx512vnni");
  return present && instructions >= Instructions::avx512;
}

}  // namespace

const GemmKernels<int32_t>* vnni_gemm_kernels(const GemmKernels<int32_t>& plain,
                                              Instructions instructions) {
  if (!may_use_vnni(instructions)) return nullptr;
  static const GemmKernels<int32_t> kernels = N_AVX3::pairs_with_vnni(plain);
  return &kernels;
}

const GemmKernels<int32_t>* vnni_byte_weight_kernels(const GemmKernels<int32_t>& plain,
                                                     Instructions instructions) {
  if (!may_use_vnni(instructions)) return nullptr;
  static const GemmKernels<int32_t> kernels = N_AVX3::quads_with_vnni(plain);
  return &kernels;
}
#else
const GemmKernels<int32_t>* vnni_gemm_kernels(const GemmKernels<int32_t>&, Instructions) {
  return nullptr;
}

const GemmKernels<int32_t>* vnni_byte_weight_kernels(const GemmKernels<int32_t>&, Instructions) {
  return nullptr;
}
#endif

}  // namespace mithril::cpu_backend
#endif
