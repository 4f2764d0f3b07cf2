#include "backends/cpu/gemm/integer_valued_gemm.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/byte_weight_kernels.hpp"
#include "backends/cpu/kernels/integer_kernels.hpp"
#include "backends/cpu/runtime/int16_operand.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

// Smaller matrices do not pay off the conversions, nor do fewer columns.
constexpr int64_t least_elements = 1 << 14, least_columns = 64;

// Whether a product of integers takes less time than one of floats.
bool pays_off(const GemmShape& shape) {
  return shape.n >= least_columns && shape.k * shape.n >= least_elements &&
         best_instructions() != Instructions::portable;
}

// Without pointers to A, B and C.
Gemm<int32_t> gemm_of(const GemmShape& shape, const std::optional<ByteWeights>& bytes) {
  const int64_t words = bytes ? bytes->quads() : up(shape.k, 2);
  return {.kernels = bytes ? &byte_weight_kernels() : &gemm_kernels<int32_t>(),
          .m = shape.m,
          .n = shape.n,
          .k = words,
          .a = {nullptr, words, 1},
          .packed_b = bytes ? bytes->panels() : nullptr};
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
                                     std::optional<ByteWeights> bytes, int threads)
    : k_(shape.k),
      scales_(right.scales),
      are_integers_(std::all_of(scales_.begin(), scales_.end(), [](float x) { return x == 1; })),
      most_(most_of_left(right, shape.k)),
      threads_(threads),
      bytes_(std::move(bytes)),
      gemm_(gemm_of(shape, bytes_)),
      tasks_(GemmPlan(gemm_), threads) {}

std::optional<IntegerValuedGemm> IntegerValuedGemm::of(const LoweringContext& context,
                                                       const GemmShape& shape, GemmOperand b) {
  const bool has_rows = shape.a_column_step == 1 && shape.a_row_step == shape.k;
  if (shape.batches.size() != 1 || !has_rows || !pays_off(shape)) return std::nullopt;
  const auto right = known_scales(context, shape.n, b);
  if (!right) return std::nullopt;
  const int threads = context.config.threads;
  IntegerValuedGemm made(shape, *right, ByteWeights::of(context, shape, b, *right), threads);
  if (made.bytes_) return made;
  const PackedFormat format{.layout = PackedLayout::int16_gemm, .transposed = b.transposed};
  made.pairs_ = context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    const Tensor numbers = integers_of(tensor, *right, b.transposed);
    const Int16Operand columns{DType::int16, shape.n, shape.k, b.transposed};
    std::vector<int32_t> pairs(static_cast<size_t>(columns.count()));
    columns.pack(numbers.raw_data(), 0, threads, pairs.data());
    Gemm<int32_t> gemm = made.gemm_;
    gemm.b = {pairs.data(), columns.pair_step(), columns.line_step()};
    const GemmPlan plan(gemm);
    auto packed = context.packed.allocate(plan.packed_count() * int64_t{sizeof(int32_t)});
    pack_in_parts(gemm, plan.panels(), threads, reinterpret_cast<int32_t*>(packed.get()));
    return packed;
  });
  made.gemm_.packed_b = reinterpret_cast<const int32_t*>(made.pairs_.get());
  return made;
}

Extent IntegerValuedGemm::extent_of(const float* a) const {
  Extent all;
  std::mutex mutex;
  run_ranges(rows_of_a(), threads_, [&](int64_t first, int64_t last, int) {
    const Extent own = scaled_integer_kernels().extent(a + first * k_, (last - first) * k_);
    const std::lock_guard lock(mutex);
    all = {std::min(all.magnitude, own.magnitude), std::min(all.least, own.least),
           std::max(all.largest, own.largest)};
  });
  return all;
}

const float* IntegerValuedGemm::scales_of_c(float left, float* to) const {
  if (are_integers_) return scales_.data();
  for (size_t i = 0; i < scales_.size(); ++i) {
    to[i] = left * scales_[i];
    if (!std::isnormal(to[i])) return nullptr;
  }
  return to;
}

template <typename Narrow>
bool IntegerValuedGemm::each_row(const float* a, int32_t* to, const Narrow& narrow) const {
  std::atomic<bool> are_integers = true;
  run_ranges(rows_of_a(), threads_, [&](int64_t first, int64_t last, int) {
    for (int64_t row = first; row < last && are_integers.load(std::memory_order_relaxed); ++row) {
      if (!narrow(a + row * k_, to + row * gemm_.k))
        are_integers.store(false, std::memory_order_relaxed);
    }
  });
  return are_integers;
}

bool IntegerValuedGemm::run_pairs(const float* a, float scale, const Gemm<int32_t>& gemm,
                                  int32_t* pairs) const {
  const auto narrow = [&](const float* from, int32_t* row) {
    auto* const to = reinterpret_cast<int16_t*>(row);
    if (k_ % 2 != 0) to[k_] = 0;
    return scaled_integer_kernels().narrow(from, k_, scale, most_, to);
  };
  if (!each_row(a, pairs, narrow)) return false;
  tasks_.run(gemm);
  return true;
}

// C is (A - zero) B + zero * (the sums of the columns of B), where `zero` is the least integer of
// A. If A - zero has 16 bits, its product is that of its upper bytes times 256 plus that of its
// lower ones. All of these sums wrap; int32 holds the elements of C.
bool IntegerValuedGemm::run_bytes(const float* a, float scale, const Extent& extent,
                                  Gemm<int32_t> gemm, int32_t* quads, int32_t* bias) const {
  const bool is_empty = extent.least > extent.largest;  // or all are NaN
  const float least = is_empty ? 0 : std::nearbyint(extent.least * (1 / scale)),
              largest = is_empty ? 0 : std::nearbyint(extent.largest * (1 / scale));
  if (!(-least <= most_ && largest <= most_)) return false;
  const auto zero = static_cast<int32_t>(least);
  const auto narrow = [&](int shift) {
    return each_row(a, quads, [&](const float* from, int32_t* row) {
      auto* const to = reinterpret_cast<uint8_t*>(row);
      if (!scaled_integer_kernels().narrow_to_bytes(from, k_, scale, zero, shift, to)) return false;
      bytes_->complete(to);
      return true;
    });
  };
  if (largest - least > UINT8_MAX) {
    if (!narrow(8)) return false;
    Gemm<int32_t> upper = gemm;
    upper.scales = nullptr;
    upper.epilogue = Epilogue();
    tasks_.run(upper);
    scaled_integer_kernels().multiply(gemm.c, 256, gemm.m * gemm.n, gemm.c);
    gemm.accumulates = true;
  }
  if (!narrow(0)) return false;
  scaled_integer_kernels().multiply(bytes_->sums(), zero, gemm.n, bias);
  gemm.bias = bias;
  tasks_.run(gemm);
  return true;
}

bool IntegerValuedGemm::run(const float* a, float* c, Direction direction, const Epilogue& epilogue,
                            int32_t* scratch) const {
  const Extent extent = are_integers_ && !bytes_ ? Extent() : extent_of(a);
  // Integers may have no common divisor.
  const bool has_integers = are_integers_ || extent.magnitude == Extent::infinity ||
                            extent.magnitude == std::floor(extent.magnitude);
  const float scale = has_integers ? 1 : extent.magnitude;
  int32_t* const of_columns = scratch + words_of_a();
  Gemm<int32_t> gemm = gemm_;
  gemm.scales = scales_of_c(scale, reinterpret_cast<float*>(of_columns));
  if (!gemm.scales) return false;
  gemm.a.data = scratch;
  gemm.c = reinterpret_cast<int32_t*>(c);
  gemm.direction = direction;
  gemm.epilogue = epilogue;
  return bytes_ ? run_bytes(a, scale, extent, gemm, scratch, of_columns + whole_lines(gemm.n))
                : run_pairs(a, scale, gemm, scratch);
}

}  // namespace mithril::cpu_backend
