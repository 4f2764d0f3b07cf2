#include "backends/cpu/gemm/packing.hpp"

#include <algorithm>
#include <vector>

namespace mithril::cpu_backend {
namespace {

// The number of rows of B that are packed for all panels before the next rows are read.
constexpr int64_t rows_packed_at_once = 8;

// Fills the columns of the last panel beyond the last column of B with 0.
template <typename T>
void fill_margin(int64_t count, int64_t nr, int64_t depth, T* to) {
  for (int64_t k = 0; k < depth && count < nr; ++k) {
    std::fill(to + k * nr + count, to + (k + 1) * nr, T{});
  }
}

// Packs a B with contiguous rows. Reads a few whole rows at a time, which the hardware prefetcher
// follows.
template <typename T>
void pack_rows(const Gemm<T>& gemm, int64_t first, int64_t last, T* packed) {
  const Matrix<T>& b = gemm.b;
  const int64_t nr = gemm.kernels->nr, depth = gemm.k;
  for (int64_t k = 0; k < depth; k += rows_packed_at_once) {
    const int64_t rows = std::min(rows_packed_at_once, depth - k);
    for (int64_t panel = first; panel < last; ++panel) {
      const int64_t count = std::min(nr, gemm.n - panel * nr);
      T* to = packed + (panel * depth + k) * nr;
      gemm.kernels->copy({b.data + k * b.row_step + panel * nr, b.row_step, count, rows, to, nr});
      fill_margin(count, nr, rows, to);
    }
  }
}

}  // namespace

template <typename T>
void pack_lines(const GemmKernels<T>& kernels, const Rearrangement<T>& p, int64_t k_step) {
  if (p.from_step == 1) return kernels.copy({p.from, k_step, p.count, p.depth, p.to, p.to_step});
  if (k_step == 1) return kernels.transpose_pack(p);
  for (int64_t k = 0; k < p.depth; ++k) {
    for (int64_t j = 0; j < p.count; ++j) {
      p.to[k * p.to_step + j] = p.from[j * p.from_step + k * k_step];
    }
  }
}

template <typename T>
void pack_b(const Gemm<T>& gemm, int64_t first, int64_t last, T* packed) {
  const Matrix<T>& b = gemm.b;
  const int64_t nr = gemm.kernels->nr;
  if (gemm.k == 0) return;
  if (b.column_step == 1 && b.row_step != 1) {
    return pack_rows(gemm, first, last, packed);
  }
  for (int64_t panel = first; panel < last; ++panel) {
    T* to = packed + panel * nr * gemm.k;
    const T* from = b.data + panel * nr * b.column_step;
    const int64_t count = std::min(nr, gemm.n - panel * nr);
    pack_lines(*gemm.kernels, {from, b.column_step, count, gemm.k, to, nr}, b.row_step);
    fill_margin(count, nr, gemm.k, to);
  }
}

void pack_half_weights(const Gemm<float>& gemm, const HalfWeightKernels& kernels,
                       uint16_t* packed) {
  const int64_t nr = kernels.gemm.nr, size = nr * gemm.k;
  std::vector<float> panel(static_cast<size_t>(size));
  Gemm<float> rest = gemm;
  for (int64_t column = 0; column < gemm.n; column += nr, packed += size) {
    rest.b.data = gemm.b.data + column * gemm.b.column_step;
    rest.n = gemm.n - column;
    pack_b(rest, 0, 1, panel.data());
    kernels.store(panel.data(), gemm.k, packed);
  }
}

template void pack_lines(const GemmKernels<float>&, const Rearrangement<float>&, int64_t);
template void pack_lines(const GemmKernels<double>&, const Rearrangement<double>&, int64_t);
template void pack_lines(const GemmKernels<int32_t>&, const Rearrangement<int32_t>&, int64_t);
template void pack_b(const Gemm<float>&, int64_t, int64_t, float*);
template void pack_b(const Gemm<double>&, int64_t, int64_t, double*);
template void pack_b(const Gemm<int32_t>&, int64_t, int64_t, int32_t*);

}  // namespace mithril::cpu_backend
