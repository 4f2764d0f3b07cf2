// Products of bfloat16 by the processor's own instruction for them, which adds to floats: AVX-512
// BF16. Pairs of elements that are neighbours along k stand in the place of one float: so what is
// padded out and packed for floats is padded out for pairs.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/implicit_gemm_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

struct BFloat16Kernels {
  // k counts pairs. Subnormal numbers count for 0.
  GemmKernels<float> products;
  ImplicitGemmKernels<float> windows;
  NchwcKernels blocks = {};
  bool convolves = true;  // whether convolutions are faster so than of floats
  // to[i] = the pair of first[i] and second[i]; of 0 where there is no second.
  void (*pair)(const uint16_t* first, const uint16_t* second, int64_t count, float* to);
};

// Null where the processor has none, or these kernels were not compiled for it.
const BFloat16Kernels* bfloat16_kernels();

}  // namespace mithril::cpu_backend
