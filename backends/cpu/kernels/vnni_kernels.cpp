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

struct VnniFormat : PlainFormat<int32_t> {
  HWY_ATTR static HWY_INLINE Vector<int32_t> multiply_add(Vector<int32_t> a, Vector<int32_t> b,
                                                          Vector<int32_t> sum) {
    return Vector<int32_t>{_mm512_dpwssd_epi32(sum.raw, a.raw, b.raw)};
  }
};

}  // namespace

GemmKernels<int32_t> with_vnni(GemmKernels<int32_t> kernels) {
  set_kernels<VnniFormat>(kernels);
  return kernels;
}

#endif
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const GemmKernels<int32_t>* vnni_gemm_kernels([[maybe_unused]] const GemmKernels<int32_t>& plain,
                                              [[maybe_unused]] Instructions instructions) {
#if HWY_TARGETS & HWY_AVX3
  __builtin_cpu_init();
  static const bool present = __builtin_cpu_supports("avx512vnni");
  if (!present || instructions < Instructions::avx512) return nullptr;
  static const GemmKernels<int32_t> kernels = N_AVX3::with_vnni(plain);
  return &kernels;
#else
  return nullptr;
#endif
}

}  // namespace mithril::cpu_backend
#endif
