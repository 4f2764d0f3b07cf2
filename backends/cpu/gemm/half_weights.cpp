#include "backends/cpu/gemm/half_weights.hpp"

#include <vector>

namespace mithril::cpu_backend {

void pack_half_weights(const Gemm<float>& product, const HalfWeightKernels& kernels,
                       uint16_t* packed) {
  const int64_t nr = kernels.products.nr, size = nr * product.depth;
  std::vector<float> panel(static_cast<size_t>(size));
  Gemm<float> rest = product;
  for (int64_t column = 0; column < product.columns; column += nr, packed += size) {
    rest.right.data = product.right.data + column * product.right.column_step;
    rest.columns = product.columns - column;
    pack_b(rest, 0, 1, panel.data());
    kernels.store(panel.data(), product.depth, packed);
  }
}

}  // namespace mithril::cpu_backend
