#include "backends/cpu/runtime/vnni_operand.hpp"

#include <cstring>

#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {

void VnniOperand::pack(const uint16_t* from, int threads, float* to) const {
  // Units are lines if the elements of a line are contiguous, otherwise pairs of k.
  const int64_t units = matrices * (contiguous ? lines : pairs());
  const Work work{.amount = packed_count(), .pieces = units, .grain_size = 1 << 15};
  run_ranges(work, threads, [&](int64_t first, int64_t last, int) {
    for (int64_t unit = first; unit < last; ++unit) {
      if (contiguous) {
        float* line = to + unit * pairs();
        line[pairs() - 1] = 0;
        std::memcpy(line, from + unit * k, static_cast<size_t>(k) * sizeof(uint16_t));
      } else {
        const int64_t even_k = unit % pairs() * 2;
        const uint16_t* even = from + (unit / pairs() * k + even_k) * lines;
        const uint16_t* odd = even_k + 1 < k ? even + lines : nullptr;
        bfloat16_kernels()->pair(even, odd, lines, to + unit * lines);
      }
    }
  });
}

}  // namespace mithril::cpu_backend
