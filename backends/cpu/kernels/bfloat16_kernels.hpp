// bfloat16 GEMM kernels with AVX-512 BF16 or AMX, which accumulate in float32. A VNNI pair is two
// elements that are neighbours along k. It has the size of a float, so the packing and padding of
// float32 also serve pairs.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

struct BFloat16Kernels {
  // k counts pairs. Subnormal inputs are treated as 0.
  GemmKernels<float> gemm;
  GemmKernels<float> windows = {};  // of implicit GEMMs: without AMX
  NchwcKernels blocks = {};
  bool convolves = true;  // whether AVX-512 BF16 convolutions are faster than float32
  // Packs VNNI pairs: to[i] = (first[i], second[i]) for i below `count`. If `second` is null, its
  // elements are 0.
  void (*pair)(const uint16_t* first, const uint16_t* second, int64_t count, float* to);
};

// Null if the processor has no AVX-512 BF16, or these kernels were not compiled for it.
const BFloat16Kernels* bfloat16_kernels();

}  // namespace mithril::cpu_backend
