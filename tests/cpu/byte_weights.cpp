// Weights of int8 around the limits at which sums of two products with uint8 saturate.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "backends/cpu/gemm/byte_weights.hpp"
#include "backends/cpu/gemm/packing.hpp"
#include "backends/cpu/kernels/byte_weight_kernels.hpp"

namespace mithril::cpu_backend {
namespace {

// Neighbours along k have the sum 127, 128 or 129, or its opposite, or are any numbers, many of
// them the limits of int8.
std::vector<int16_t> drawn_weights(int64_t k, int64_t columns, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int16_t> made(static_cast<size_t>(k * columns));
  const auto number = [&](int64_t least, int64_t largest) {
    return static_cast<int16_t>(static_cast<int64_t>(random()) % (largest - least + 1) + least);
  };
  const auto any = [&] {
    constexpr std::array<int16_t, 4> limits{127, -128, -127, 0};
    return random() % 2 == 0 ? limits[random() % 4] : number(-128, 127);
  };
  for (size_t i = 0; i < made.size(); ++i) {
    const bool is_second = i / static_cast<size_t>(columns) % 2 == 1;
    made[i] = any();
    if (!is_second || random() % 2 == 0) continue;
    const auto first = made[i - static_cast<size_t>(columns)];
    const int sum = (first < 0 ? -1 : 1) * number(127, 129);
    made[i] = static_cast<int16_t>(std::clamp(sum - first, -128, 127));
  }
  return made;
}

Tensor integer_matrix(const std::vector<int16_t>& weights, int64_t columns, bool transposed) {
  const int64_t k = std::ssize(weights) / columns;
  Tensor made = Tensor::empty(DType::int16, {transposed ? columns : k, transposed ? k : columns});
  for (int64_t row = 0; row < k; ++row) {
    for (int64_t j = 0; j < columns; ++j) {
      made.mutable_data<int16_t>()[transposed ? j * k + row : row * columns + j] =
          weights[static_cast<size_t>(row * columns + j)];
    }
  }
  return made;
}

// The k of a row of bytes. Rows of zeros may have any.
int64_t k_of(const ByteRows& rows, int64_t row, int64_t k) {
  const int64_t repeated = row - (k + 3) / 4 * 4;
  return repeated < 0 ? std::min(row, k - 1) : rows.repeated[static_cast<size_t>(repeated)];
}

struct ProductSizes {
  int64_t rows, columns, k;
};

// The products of bytes, added to `start`.
std::vector<int32_t> product_of_bytes(const GemmKernels<int32_t>& kernels,
                                      const ProductSizes& sizes, const std::vector<uint8_t>& left,
                                      const ByteRows& rows, const std::vector<int32_t>& bias,
                                      const std::vector<int32_t>& start, int threads) {
  const int64_t depth = std::ssize(rows.elements) / sizes.columns;
  std::vector<int32_t> a(static_cast<size_t>(sizes.rows * depth / 4)),
      b(static_cast<size_t>(sizes.columns * depth / 4)), made = start;
  auto* const bytes_of_a = reinterpret_cast<uint8_t*>(a.data());
  auto* const bytes_of_b = reinterpret_cast<int8_t*>(b.data());
  for (int64_t row = 0; row < depth; ++row) {
    const int64_t k = k_of(rows, row, sizes.k);
    for (int64_t i = 0; i < sizes.rows; ++i)
      bytes_of_a[i * depth + row] = left[static_cast<size_t>(i * sizes.k + k)];
    for (int64_t j = 0; j < sizes.columns; ++j)
      bytes_of_b[(row / 4 * sizes.columns + j) * 4 + row % 4] =
          rows.elements[static_cast<size_t>(row * sizes.columns + j)];
  }
  Gemm<int32_t> gemm{.kernels = &kernels,
                     .m = sizes.rows,
                     .n = sizes.columns,
                     .k = depth / 4,
                     .a = {a.data(), depth / 4, 1},
                     .b = {b.data(), sizes.columns, 1},
                     .bias = bias.data(),
                     .c = made.data(),
                     .accumulates = true};
  const GemmPlan plan(gemm);
  std::vector<int32_t> panels(static_cast<size_t>(plan.packed_count()));
  pack_b(gemm, 0, plan.panels(), panels.data());
  gemm.packed_b = panels.data();
  for (int task = 0; task < plan.tasks(threads); ++task)
    multiply(gemm, plan, plan.block(task, threads));
  return made;
}

}  // namespace

TEST_CASE("rows of bytes add up to the weights, and do not saturate") {
  for (const int64_t columns : {1, 2, 17}) {
    for (const int64_t k : {1, 2, 3, 4, 5, 8, 63, 64, 301}) {
      CAPTURE(columns);
      CAPTURE(k);
      const std::vector<int16_t> weights = drawn_weights(k, columns, 1);
      const ByteRows rows = byte_rows(integer_matrix(weights, columns, false), columns, false);
      CHECK(rows.elements ==
            byte_rows(integer_matrix(weights, columns, true), columns, true).elements);
      const int64_t count = std::ssize(rows.elements) / columns;
      CHECK(count % 4 == 0);
      CHECK(count == (k + 3) / 4 * 4 + std::ssize(rows.repeated));
      std::vector<int16_t> totals(weights.size());
      for (int64_t i = 0; i < std::ssize(rows.elements); ++i) {
        const int64_t row = i / columns, column = i % columns;
        const int8_t element = rows.elements[static_cast<size_t>(i)];
        totals[static_cast<size_t>(k_of(rows, row, k) * columns + column)] += element;
        if (row % 2 == 0) {
          const int sum = element + rows.elements[static_cast<size_t>(i + columns)];
          REQUIRE(std::abs(sum) <= 128);
        }
      }
      CHECK(totals == weights);
    }
  }
}

TEST_CASE("weights whose sums are at most 128 are stored as they are") {
  const std::vector<int16_t> weights{127, -128, 1, -1, -1, 127, 64, -64, 64, -64};
  const ByteRows rows = byte_rows(integer_matrix(weights, 1, false), 1, false);
  CHECK(rows.repeated.empty());
  CHECK(rows.elements == std::vector<int8_t>{127, -128, 1, -1, -1, 127, 64, -64, 64, -64, 0, 0});
  // A pair of 129 repeats its first row.
  const ByteRows more =
      byte_rows(integer_matrix({0, 0, 65, 64, -64, -65, 0, 0}, 1, false), 1, false);
  CHECK(more.repeated == std::vector<int32_t>{2, 4, 0, 0});
  CHECK(more.elements == std::vector<int8_t>{0, 0, 64, 64, -63, -65, 0, 0, 1, -1, 0, 0});
}

TEST_CASE("products of bytes are exact with each instruction set") {
  std::vector<ProductSizes> all;
  for (const int64_t columns : {1, 15, 16, 17, 31, 32, 33, 64, 65, 129, 200})
    for (const int64_t k : {1, 4, 6, 67}) all.push_back({1, columns, k});
  for (const int64_t rows : {0, 2, 5, 6, 7, 13, 14, 15, 29})
    for (const int64_t columns : {1, 16, 35, 70}) all.push_back({rows, columns, 67});
  all.push_back({1, 70, 5000});
  all.push_back({7, 70, 5000});
  for (const ProductSizes& sizes : all) {
    const std::vector<int16_t> weights = drawn_weights(sizes.k, sizes.columns, 3);
    const ByteRows rows =
        byte_rows(integer_matrix(weights, sizes.columns, false), sizes.columns, false);
    std::mt19937 random(5);
    std::vector<uint8_t> left(static_cast<size_t>(sizes.rows * sizes.k));
    for (uint8_t& x : left) x = static_cast<uint8_t>(random() % 2 == 0 ? 255 : random() % 256);
    std::vector<int32_t> bias, start, expected;
    for (int32_t j = 0; j < sizes.columns; ++j) bias.push_back(j * 1000 - 7);
    for (int32_t i = 0; i < sizes.rows * sizes.columns; ++i) start.push_back(100 - i);
    for (int64_t i = 0; i < sizes.rows * sizes.columns; ++i) {
      const int64_t row = i / sizes.columns, column = i % sizes.columns;
      int32_t sum = start[static_cast<size_t>(i)] + bias[static_cast<size_t>(column)];
      for (int64_t k = 0; k < sizes.k; ++k) {
        sum += left[static_cast<size_t>(row * sizes.k + k)] *
               weights[static_cast<size_t>(k * sizes.columns + column)];
      }
      expected.push_back(sum);
    }
    for (const Instructions instructions : present_instructions()) {
      for (const int threads : {1, 3}) {
        CAPTURE(sizes.rows);
        CAPTURE(sizes.columns);
        CAPTURE(sizes.k);
        CAPTURE(name(instructions));
        const auto& kernels = byte_weight_kernels(instructions);
        CHECK(product_of_bytes(kernels, sizes, left, rows, bias, start, threads) == expected);
      }
    }
  }
}

}  // namespace mithril::cpu_backend
