#include "backends/cpu/gemm/integer_valued_gemm.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
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

Gemm<int32_t> gemm_of_pairs(const GemmShape& shape, const Int16Operand& a, bool is_of_bytes) {
  return {.kernels = is_of_bytes ? &byte_weight_kernels() : &gemm_kernels<int32_t>(),
          .m = shape.m,
          .n = shape.n,
          .k = a.pairs(),
          .a = {nullptr, a.line_step(), a.pair_step()}};
}

// Pairs of int8 in the place of `count` pairs of int16.
void store_bytes(const int32_t* pairs, int64_t count, std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    const auto both = static_cast<uint32_t>(pairs[i]);
    to[2 * i] = static_cast<std::byte>(both & 0xFF);
    to[2 * i + 1] = static_cast<std::byte>(both >> 16 & 0xFF);
  }
}

// The scales of a constant B, which are found once for all plans.
std::optional<ScaledIntegers> known_scales(const LoweringContext& context, int64_t columns,
                                           GemmOperand b) {
  struct Known {
    bool has_scales;
    float least, largest;
  };
  const PackedFormat format{.layout = PackedLayout::integer_scales, .transposed = b.transposed};
  const auto stored = context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    const auto found = scaled_integers(tensor, columns, b.transposed);
    const size_t scales = found ? found->scales.size() * sizeof(float) : 0;
    auto bytes = context.packed.allocate(static_cast<int64_t>(sizeof(Known) + scales));
    const Known known{found.has_value(), found ? found->least : 0, found ? found->largest : 0};
    std::memcpy(bytes.get(), &known, sizeof known);
    if (found) std::memcpy(bytes.get() + sizeof known, found->scales.data(), scales);
    return bytes;
  });
  Known known;
  std::memcpy(&known, stored.get(), sizeof known);
  if (!known.has_scales) return std::nullopt;
  ScaledIntegers found{std::vector<float>(static_cast<size_t>(columns)), known.least,
                       known.largest};
  std::memcpy(found.scales.data(), stored.get() + sizeof known,
              found.scales.size() * sizeof(float));
  return found;
}

float most_of_left(const ScaledIntegers& right, int64_t depth) {
  const double largest = std::max({-double{right.least}, double{right.largest}, 1.0});
  return static_cast<float>(
      std::min(double{INT16_MAX}, std::floor(INT32_MAX / (largest * static_cast<double>(depth)))));
}

}  // namespace

IntegerValuedGemm::IntegerValuedGemm(const GemmShape& shape, const ScaledIntegers& right,
                                     int threads)
    : a_{DType::int16, shape.m, shape.k, true},
      scales_(right.scales),
      are_integers_(std::all_of(scales_.begin(), scales_.end(), [](float x) { return x == 1; })),
      most_(most_of_left(right, shape.k)),
      threads_(threads),
      gemm_(gemm_of_pairs(shape, a_, right.are_bytes())),
      tasks_(GemmPlan(gemm_), threads) {}

std::optional<IntegerValuedGemm> IntegerValuedGemm::of(const LoweringContext& context,
                                                       const GemmShape& shape, GemmOperand b) {
  const bool has_rows = shape.a_column_step == 1 && shape.a_row_step == shape.k;
  if (shape.batches.size() != 1 || !has_rows || !pays_off(shape)) return std::nullopt;
  const auto right = known_scales(context, shape.n, b);
  if (!right) return std::nullopt;
  const int threads = context.config.threads;
  IntegerValuedGemm made(shape, *right, threads);
  PackedFormat format{.layout = PackedLayout::int16_gemm, .transposed = b.transposed};
  if (right->are_bytes()) format.stored = DType::int8;
  made.packed_ = context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    const Tensor numbers = integers_of(tensor, *right, b.transposed);
    const Int16Operand columns{DType::int16, shape.n, shape.k, b.transposed};
    std::vector<int32_t> pairs(static_cast<size_t>(columns.count()));
    columns.pack(numbers.raw_data(), 0, threads, pairs.data());
    Gemm<int32_t> gemm = made.gemm_;
    gemm.b = {pairs.data(), columns.pair_step(), columns.line_step()};
    const GemmPlan plan(gemm);
    const int64_t count = plan.packed_count();
    auto packed = context.packed.allocate(count * int64_t{sizeof(int32_t)} / gemm.kernels->packing);
    if (!right->are_bytes()) {
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

float IntegerValuedGemm::scale_of(const float* a) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::atomic<float> least = infinity;
  run_ranges(rows_of_a(), threads_, [&](int64_t first, int64_t last, int) {
    const float own = scaled_integer_kernels().least(a + first * a_.k, (last - first) * a_.k);
    float before = least.load(std::memory_order_relaxed);
    while (own < before && !least.compare_exchange_weak(before, own, std::memory_order_relaxed)) {
    }
  });
  // Integers may have no common divisor.
  const bool are_integers = least == infinity || least == std::floor(least);
  return are_integers ? 1 : least.load();
}

const float* IntegerValuedGemm::scales_of_c(float left, float* to) const {
  if (are_integers_) return scales_.data();
  for (size_t i = 0; i < scales_.size(); ++i) {
    to[i] = left * scales_[i];
    if (!std::isnormal(to[i])) return nullptr;
  }
  return to;
}

bool IntegerValuedGemm::narrow(const float* a, float scale, int32_t* pairs) const {
  const ScaledIntegerKernels& kernels = scaled_integer_kernels();
  std::atomic<bool> are_integers = true;
  run_ranges(rows_of_a(), threads_, [&](int64_t first, int64_t last, int) {
    for (int64_t line = first; line < last && are_integers.load(std::memory_order_relaxed);
         ++line) {
      auto* const to = reinterpret_cast<int16_t*>(pairs + line * a_.pairs());
      if (!kernels.narrow(a + line * a_.k, a_.k, scale, most_, to))
        are_integers.store(false, std::memory_order_relaxed);
      if (a_.k % 2 != 0) to[a_.k] = 0;
    }
  });
  return are_integers;
}

bool IntegerValuedGemm::run(const float* a, float* c, const Epilogue& epilogue,
                            int32_t* scratch) const {
  const float scale = are_integers_ ? 1 : scale_of(a);
  const float* const scales =
      scales_of_c(scale, reinterpret_cast<float*>(scratch + a_.scratch_count()));
  if (!scales || !narrow(a, scale, scratch)) return false;
  Gemm<int32_t> gemm = gemm_;
  gemm.a.data = scratch;
  gemm.c = reinterpret_cast<int32_t*>(c);
  gemm.scales = scales;
  gemm.epilogue = epilogue;
  tasks_.run(gemm);
  return true;
}

}  // namespace mithril::cpu_backend
