#include "backends/cpu/gemm/byte_weights.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "backends/cpu/gemm/gemm_tasks.hpp"
#include "backends/cpu/kernels/byte_weight_kernels.hpp"

namespace mithril::cpu_backend {
namespace {

// The largest sum of two weights that does not saturate: 255 * 128 < 2^15.
constexpr int most_sum = 128;

// Moves what exceeds the sum from `first` to `excess`. Returns whether there is any.
bool move_excess(int8_t* first, const int8_t* second, int64_t columns, int8_t* excess) {
  bool found = false;
  for (int64_t j = 0; j < columns; ++j) {
    const int sum = first[j] + second[j];
    const int more = sum - std::clamp(sum, -most_sum, most_sum);
    first[j] = static_cast<int8_t>(first[j] - more);
    excess[j] = static_cast<int8_t>(more);
    found |= more != 0;
  }
  return found;
}

// Repeated rows take time. With more of them, pairs of int16 may take less.
bool pays_off(int64_t repeated, int64_t k) { return 3 * repeated <= k; }

// The offsets in the packed bytes, which begin with the number of repeated rows. If that does not
// pay off, nothing follows.
struct Layout {
  int64_t repeated, sums, panels;

  Layout(int64_t repeated_rows, int64_t columns)
      : repeated(int64_t{sizeof(int64_t)}),
        sums(repeated + repeated_rows * int64_t{sizeof(int32_t)}),
        panels(round_up(sums + columns * int64_t{sizeof(int32_t)}, 64)) {}
};

std::vector<int32_t> sums_of_columns(const ByteRows& rows, int64_t columns) {
  std::vector<int32_t> sums(static_cast<size_t>(columns));
  for (auto row = rows.elements.begin(); row != rows.elements.end(); row += columns)
    std::transform(row, row + columns, sums.begin(), sums.begin(), std::plus<int32_t>());
  return sums;
}

// Four rows as one of quads.
std::vector<int32_t> quads_of(const ByteRows& rows, int64_t columns) {
  std::vector<int32_t> quads(rows.elements.size() / 4);
  auto* const to = reinterpret_cast<int8_t*>(quads.data());
  const int8_t* from = rows.elements.data();
  for (int64_t row = 0; row < std::ssize(rows.elements) / columns; ++row) {
    for (int64_t j = 0; j < columns; ++j) to[(row / 4 * columns + j) * 4 + row % 4] = *from++;
  }
  return quads;
}

PackedWeights::Bytes packed(PackedWeights& memory, const ByteRows& rows, const GemmShape& shape,
                            int threads) {
  const int64_t columns = shape.n, repeated = std::ssize(rows.repeated);
  if (!pays_off(repeated, shape.k)) {
    auto made = memory.allocate(int64_t{sizeof repeated});
    std::memcpy(made.get(), &repeated, sizeof repeated);
    return made;
  }
  const std::vector<int32_t> quads = quads_of(rows, columns), sums = sums_of_columns(rows, columns);
  const Gemm<int32_t> gemm{.kernels = &byte_weight_kernels(),
                           .m = 1,
                           .n = columns,
                           .k = std::ssize(quads) / columns,
                           .b = {quads.data(), columns, 1}};
  const GemmPlan plan(gemm);
  const Layout at(repeated, columns);
  auto made = memory.allocate(at.panels + plan.packed_count() * int64_t{sizeof(int32_t)});
  std::memcpy(made.get(), &repeated, sizeof repeated);
  std::ranges::copy(rows.repeated, reinterpret_cast<int32_t*>(made.get() + at.repeated));
  std::ranges::copy(sums, reinterpret_cast<int32_t*>(made.get() + at.sums));
  pack_in_parts(gemm, plan.panels(), threads, reinterpret_cast<int32_t*>(made.get() + at.panels));
  return made;
}

}  // namespace

ByteRows byte_rows(const Tensor& integers, int64_t columns, bool transposed) {
  const auto* const from = integers.data<int16_t>();
  const int64_t k = integers.size() / columns, first_rows = round_up(k, 4);
  ByteRows made;
  made.elements.resize(static_cast<size_t>(first_rows * columns));
  for (int64_t row = 0; row < k; ++row) {
    for (int64_t j = 0; j < columns; ++j) {
      made.elements[static_cast<size_t>(row * columns + j)] =
          static_cast<int8_t>(from[transposed ? j * k + row : row * columns + j]);
    }
  }
  // A repeated row may exceed the sum with the next one. It is then repeated, too.
  std::vector<int8_t> excess(static_cast<size_t>(columns));
  for (int64_t row = 0; (row + 2) * columns <= std::ssize(made.elements); row += 2) {
    int8_t* const first = made.elements.data() + row * columns;
    if (!move_excess(first, first + columns, columns, excess.data())) continue;
    const bool is_first = row < first_rows;
    made.repeated.push_back(is_first ? static_cast<int32_t>(row)
                                     : made.repeated[static_cast<size_t>(row - first_rows)]);
    made.elements.insert(made.elements.end(), excess.begin(), excess.end());
  }
  made.repeated.resize(static_cast<size_t>(round_up(std::ssize(made.repeated), 4)));
  made.elements.resize(static_cast<size_t>((first_rows + std::ssize(made.repeated)) * columns));
  return made;
}

std::optional<ByteWeights> ByteWeights::of(const LoweringContext& context, const GemmShape& shape,
                                           GemmOperand b, const ScaledIntegers& integers) {
  if (!integers.are_bytes()) return std::nullopt;
  const PackedFormat format{.layout = PackedLayout::byte_gemm, .transposed = b.transposed};
  ByteWeights made(context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    const ByteRows rows =
        byte_rows(integers_of(tensor, integers, b.transposed), shape.n, b.transposed);
    return packed(context.packed, rows, shape, context.config.threads);
  }));
  int64_t repeated;
  std::memcpy(&repeated, made.packed_.get(), sizeof repeated);
  if (!pays_off(repeated, shape.k)) return std::nullopt;
  const Layout at(repeated, shape.n);
  const auto numbers = [&](int64_t offset) {
    return reinterpret_cast<const int32_t*>(made.packed_.get() + offset);
  };
  made.k_ = shape.k;
  made.quads_ = up(shape.k, 4) + repeated / 4;
  made.repeated_ = {numbers(at.repeated), static_cast<size_t>(repeated)};
  made.sums_ = numbers(at.sums);
  made.panels_ = numbers(at.panels);
  return made;
}

void ByteWeights::complete(uint8_t* row) const {
  uint8_t* to = std::fill_n(row + k_, round_up(k_, 4) - k_, uint8_t{0});
  for (const int32_t k : repeated_) *to++ = row[k];
}

}  // namespace mithril::cpu_backend
