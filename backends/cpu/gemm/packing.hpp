// Packs the operands of GEMMs: for each k, the elements of a panel of B or a tile of A are
// contiguous.
#pragma once

#include "backends/cpu/gemm/matrices.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"

namespace mithril::cpu_backend {

// Packs lines `from_step` apart: to[k * to_step + j] = from[j * from_step + k * k_step].
template <typename T>
void pack_lines(const GemmKernels<T>& kernels, const Rearrangement<T>& lines, int64_t k_step);

// Packs the panels [first, last) of B. A panel has nr columns: for each k, it holds nr contiguous
// elements, with 0 beyond the last column. `packed` is the beginning of panel 0.
template <typename T>
void pack_b(const Gemm<T>& gemm, int64_t first, int64_t last, T* packed);

// Packs all panels of B, rounded to the dtype of the kernels. `packed` has room for
// GemmPlan::packed_count() elements.
void pack_half_weights(const Gemm<float>& gemm, const HalfWeightKernels& kernels, uint16_t* packed);

}  // namespace mithril::cpu_backend
