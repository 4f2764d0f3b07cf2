#include "backends/cpu/gemm/half_weights.hpp"

#include <vector>

namespace mithril::cpu_backend {

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

}  // namespace mithril::cpu_backend
