// Packs B into panels: for each k, the elements of a panel are contiguous.
#include <algorithm>

#include "backends/cpu/gemm/gemm.hpp"

namespace mithril::cpu_backend {
namespace {

// Rows of B that are packed for all panels before the next ones.
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
void pack_rows(const Gemm<T>& product, int64_t first, int64_t last, T* packed) {
  const Matrix<T>& right = product.right;
  const int64_t nr = product.kernels->nr, depth = product.depth;
  for (int64_t k = 0; k < depth; k += rows_packed_at_once) {
    const int64_t rows = std::min(rows_packed_at_once, depth - k);
    for (int64_t panel = first; panel < last; ++panel) {
      const int64_t count = std::min(nr, product.columns - panel * nr);
      T* to = packed + (panel * depth + k) * nr;
      product.kernels->copy(
          {right.data + k * right.row_step + panel * nr, right.row_step, count, rows, to, nr});
      fill_margin(count, nr, rows, to);
    }
  }
}

}  // namespace

template <typename T>
void pack_b(const Gemm<T>& product, int64_t first, int64_t last, T* packed) {
  const Matrix<T>& right = product.right;
  const int64_t nr = product.kernels->nr;
  if (product.depth == 0) return;
  if (right.column_step == 1 && right.row_step != 1) {
    return pack_rows(product, first, last, packed);
  }
  for (int64_t panel = first; panel < last; ++panel) {
    T* to = packed + panel * nr * product.depth;
    const T* from = right.data + panel * nr * right.column_step;
    const int64_t count = std::min(nr, product.columns - panel * nr);
    if (right.row_step == 1) {
      product.kernels->interleave({from, right.column_step, count, product.depth, to, nr});
    } else {
      for (int64_t k = 0; k < product.depth; ++k) {
        const T* next = from + k * right.row_step;
        for (int64_t j = 0; j < count; ++j) to[k * nr + j] = next[j * right.column_step];
      }
    }
    fill_margin(count, nr, product.depth, to);
  }
}

template void pack_b(const Gemm<float>&, int64_t, int64_t, float*);
template void pack_b(const Gemm<double>&, int64_t, int64_t, double*);

}  // namespace mithril::cpu_backend
