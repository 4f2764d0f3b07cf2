#include "backends/cpu/gemm/integer_valued_gemm.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

#include "backends/cpu/kernels/byte_weight_kernels.hpp"
#include "backends/cpu/kernels/integer_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

// Smaller matrices do not pay off the conversions, nor do fewer columns.
constexpr int64_t least_elements = 1 << 14, least_columns = 64;

// Whether a product of pairs takes less time than one of floats.
bool pays_off(const GemmShape& shape) {
  return shape.n >= least_columns && shape.k * shape.n >= least_elements &&
         best_instructions() != Instructions::portable;
}

// Whether the number is an integer. Its absolute value is at most INT16_MAX.
bool is_integer_number(float x) {
  // Above 2^23, floats are 1 apart, so the sum is rounded to an integer.
  constexpr float shift = 3 << 22;
  return (x + shift) - shift == x;
}

// The least and the largest element, and 0; none if an element is not an integer that int16 holds.
std::optional<IntegerRange> range_of_integers(const Tensor& tensor) {
  if (tensor.foreign()) return std::nullopt;
  IntegerRange range;
  for (const float x : tensor.values<float>()) {
    if (!(std::abs(x) <= float{INT16_MAX}) || !is_integer_number(x)) return std::nullopt;
    range = {std::min(range.least, x), std::max(range.largest, x)};
  }
  return range;
}

Gemm<int32_t> gemm_of_pairs(const GemmShape& shape, const Int16Operand& a, bool is_of_bytes) {
  return {.kernels = is_of_bytes ? &byte_weight_kernels() : &gemm_kernels<int32_t>(),
          .m = shape.m,
          .n = shape.n,
          .k = a.pairs(),
          .a = {nullptr, a.line_step(), a.pair_step()},
          .as_floats = true};
}

// Pairs of int8 in the place of `count` pairs of int16.
void store_bytes(const int32_t* pairs, int64_t count, std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    const auto both = static_cast<uint32_t>(pairs[i]);
    to[2 * i] = static_cast<std::byte>(both & 0xFF);
    to[2 * i + 1] = static_cast<std::byte>(both >> 16 & 0xFF);
  }
}

float most_of_left(const IntegerRange& right, int64_t depth) {
  const double largest = std::max({-double{right.least}, double{right.largest}, 1.0});
  return static_cast<float>(
      std::min(double{INT16_MAX}, std::floor(INT32_MAX / (largest * static_cast<double>(depth)))));
}

}  // namespace

IntegerValuedGemm::IntegerValuedGemm(const GemmShape& shape, const IntegerRange& right, int threads)
    : a_{DType::int16, shape.m, shape.k, true},
      most_(most_of_left(right, shape.k)),
      threads_(threads),
      gemm_(gemm_of_pairs(shape, a_, right.is_of_bytes())),
      tasks_(GemmPlan(gemm_), threads) {}

std::optional<IntegerValuedGemm> IntegerValuedGemm::of(const LoweringContext& context,
                                                       const GemmShape& shape, GemmOperand b) {
  const bool has_rows = shape.a_column_step == 1 && shape.a_row_step == shape.k;
  if (shape.batches.size() != 1 || !has_rows || !pays_off(shape)) return std::nullopt;
  const auto range = range_of_integers(*context.packed.packable(b.id));
  if (!range) return std::nullopt;
  const int threads = context.config.threads;
  IntegerValuedGemm made(shape, *range, threads);
  PackedFormat format{.layout = PackedLayout::int16_gemm, .transposed = b.transposed};
  if (range->is_of_bytes()) format.stored = DType::int8;
  made.packed_ = context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    const Tensor numbers = tensor.to(DType::int16);
    const Int16Operand columns{DType::int16, shape.n, shape.k, b.transposed};
    std::vector<int32_t> pairs(static_cast<size_t>(columns.count()));
    columns.pack(numbers.raw_data(), 0, threads, pairs.data());
    Gemm<int32_t> gemm = made.gemm_;
    gemm.b = {pairs.data(), columns.pair_step(), columns.line_step()};
    const GemmPlan plan(gemm);
    const int64_t count = plan.packed_count();
    auto packed = context.packed.allocate(count * int64_t{sizeof(int32_t)} / gemm.kernels->packing);
    if (!range->is_of_bytes()) {
      pack_in_parts(gemm, plan.panels(), threads, reinterpret_cast<int32_t*>(packed.get()));
      return packed;
    }
    std::vector<int32_t> panels(static_cast<size_t>(count));
    pack_in_parts(gemm, plan.panels(), threads, panels.data());
    store_bytes(panels.data(), count, packed.get());
    return packed;
  });
  made.gemm_.packed_b = reinterpret_cast<const int32_t*>(made.packed_.get());
  return made;
}

bool IntegerValuedGemm::narrow(const float* a, int32_t* pairs) const {
  const ExactNarrowKernels& kernels = exact_narrow_kernels();
  const Work work{.amount = a_.count(), .pieces = a_.lines, .grain_size = 1 << 15};
  std::atomic<bool> are_integers = true;
  run_ranges(work, threads_, [&](int64_t first, int64_t last, int) {
    for (int64_t line = first; line < last && are_integers.load(std::memory_order_relaxed);
         ++line) {
      auto* const to = reinterpret_cast<int16_t*>(pairs + line * a_.pairs());
      if (!kernels.narrow(a + line * a_.k, a_.k, most_, to))
        are_integers.store(false, std::memory_order_relaxed);
      if (a_.k % 2 != 0) to[a_.k] = 0;
    }
  });
  return are_integers;
}

bool IntegerValuedGemm::run(const float* a, float* c, const Epilogue& epilogue,
                            int32_t* scratch) const {
  if (!narrow(a, scratch)) return false;
  Gemm<int32_t> gemm = gemm_;
  gemm.a.data = scratch;
  gemm.c = reinterpret_cast<int32_t*>(c);
  gemm.epilogue = epilogue;
  tasks_.run(gemm);
  return true;
}

}  // namespace mithril::cpu_backend
