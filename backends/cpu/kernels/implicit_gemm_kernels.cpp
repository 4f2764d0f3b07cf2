#include "backends/cpu/kernels/implicit_gemm_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/implicit_gemm_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/micro_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <typename T>
const ImplicitGemmKernels<T>& kernels() {
  static const ImplicitGemmKernels<T> filled = [] {
    ImplicitGemmKernels<T> made{.mr = mr, .nr = nr<T>, .tile = {}};
    set_kernels<PlainFormat<T>>(made);
    return made;
  }();
  return filled;
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(ImplicitGemmKernels, implicit_gemm_kernels, kernels<T>())
}  // namespace mithril::cpu_backend
#endif
