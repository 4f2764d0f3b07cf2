#include "backends/cpu/kernels/half_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/half_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/half_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <class Half>
HWY_ATTR void widen(const uint16_t* from, float* to, int64_t count) {
  constexpr int64_t lanes = HWY_LANES(float);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(Half::load(from + i), Floats(), to + i);
  for (; i < count; ++i) to[i] = Half::widened(from[i]);
}

template <class Half>
HWY_ATTR void narrow(const float* from, uint16_t* to, int64_t count) {
  constexpr int64_t lanes = HWY_LANES(float);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) Half::store(hn::LoadU(Floats(), from + i), to + i);
  for (; i < count; ++i) to[i] = Half::narrowed(from[i]);
}

template <class Half>
constexpr HalfKernels made{widen<Half>, narrow<Half>};

const HalfKernels& kernels(DType dtype) {
  return dtype == DType::float16 ? made<Float16> : made<BFloat16>;
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const HalfKernels& half_kernels(DType dtype, Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, kernels(dtype));
}

}  // namespace mithril::cpu_backend
#endif
