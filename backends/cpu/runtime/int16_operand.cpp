#include "backends/cpu/runtime/int16_operand.hpp"

#include "backends/cpu/kernels/integer_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/error.hpp"

namespace mithril::cpu_backend {
namespace {

// Calls what(From{}) for the element type of the dtype.
template <typename Do>
void each_operand_dtype(DType dtype, const Do& what) {
  if (dtype == DType::uint8) return what(uint8_t{});
  if (dtype == DType::int8) return what(int8_t{});
  MITHRIL_CHECK(dtype == DType::int16, "integer products have operands of 8 or 16 bits");
  what(int16_t{});
}

template <typename From>
void pack_elements(const Int16Operand& operand, const From* from, int32_t zero, int threads,
                   int32_t* to) {
  const Int16PairKernels<From>& kernels = int16_pair_kernels<From>();
  const int64_t lines = operand.lines, k = operand.k, pairs = operand.pairs();
  // Units are lines if the elements of a line are contiguous, otherwise pairs of k.
  const int64_t units = operand.matrices * (operand.contiguous ? lines : pairs);
  const Work work{.amount = operand.count(), .pieces = units, .grain_size = 1 << 15};
  run_ranges(work, threads, [&](int64_t first, int64_t last, int) {
    for (int64_t unit = first; unit < last; ++unit) {
      if (operand.contiguous) {
        auto* line = reinterpret_cast<int16_t*>(to + unit * pairs);
        kernels.widen(from + unit * k, zero, k, line);
        if (k % 2 != 0) line[k] = 0;
      } else {
        const int64_t even_k = unit % pairs * 2;
        const From* even = from + (unit / pairs * k + even_k) * lines;
        kernels.pair(even, even_k + 1 < k ? even + lines : nullptr, zero, lines, to + unit * lines);
      }
    }
  });
}

}  // namespace

void Int16Operand::pack(const void* from, int32_t zero, int threads, int32_t* to) const {
  each_operand_dtype(dtype, [&](auto number) {
    pack_elements(*this, static_cast<const decltype(number)*>(from), zero, threads, to);
  });
}

int32_t zero_point(const BufferTable& buffers, const std::optional<TypedValue>& value) {
  int32_t zero = 0;
  if (!value) return zero;
  each_operand_dtype(value->dtype,
                     [&](auto number) { zero = *buffers.read<decltype(number)>(value->id); });
  return zero;
}

}  // namespace mithril::cpu_backend
