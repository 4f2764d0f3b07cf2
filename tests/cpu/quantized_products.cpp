// Products of float32 matrices of integers times scales, as of quantized layers: the sums of
// integers are exact, and C is their product with the scales.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/settings.hpp"

namespace mithril::tests {
namespace {

constexpr int64_t depth = 301, columns = 70;

// Numbers around 0, of which the first is 1, and most are small.
std::vector<int64_t> integers(int64_t count, int64_t most) {
  std::vector<int64_t> made{1};
  for (int64_t i = 1; i < count; ++i) {
    const int64_t number = i * 7919 % (2 * most + 1) - most;
    made.push_back(i % 3 == 0 ? number : number / 5);
  }
  return made;
}

std::vector<float> scaled(const std::vector<int64_t>& numbers, const std::vector<float>& scales) {
  std::vector<float> made;
  for (size_t i = 0; i < numbers.size(); ++i)
    made.push_back(static_cast<float>(numbers[i]) * scales[i % scales.size()]);
  return made;
}

// x times a weight that is a constant or, if it is not bound, an input.
std::vector<float> product(const std::vector<float>& x, const std::vector<float>& weight,
                           bool is_bound) {
  const Tensor left = Tensor::of({std::ssize(x) / depth, depth}, x);
  const Tensor right = Tensor::of({depth, columns}, weight);
  Graph graph;
  const ValueId a = graph.add_input({"x", {Dim(left.dims()[0]), Dim(depth)}, true, DType::float32});
  const ValueId b = is_bound
                        ? graph.add_constant("w", right)
                        : graph.add_input({"w", {Dim(depth), Dim(columns)}, true, DType::float32});
  graph.add_output("y", graph.add(find_op("matmul"), {a, b}, "y").front());
  std::vector<Tensor> inputs{left};
  if (!is_bound) inputs.push_back(right);
  const Tensor result = cpu({.threads = 2})->load(graph, {})->run(inputs).front();
  return std::vector<float>(result.values<float>().begin(), result.values<float>().end());
}

std::vector<float> expected(const std::vector<int64_t>& x, float left,
                            const std::vector<int64_t>& weight, const std::vector<float>& scales) {
  std::vector<float> made;
  for (int64_t i = 0; i < std::ssize(x) / depth * columns; ++i) {
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      sum += x[static_cast<size_t>(i / columns * depth + k)] *
             weight[static_cast<size_t>(k * columns + i % columns)];
    }
    const float scale = left * scales[static_cast<size_t>(i % columns) % scales.size()];
    made.push_back(static_cast<float>(sum) * scale);
  }
  return made;
}

std::vector<float> scales_of_columns() {
  std::vector<float> scales;
  for (int64_t i = 0; i < columns; ++i) scales.push_back(0.001F + 0.0003F * static_cast<float>(i));
  return scales;
}

template <typename Check>
void on_each_vector_instructions(const Check& check) {
  for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
    if (instructions == cpu_backend::Instructions::portable) continue;  // multiplies floats
    const InstructionsLimit limit(instructions);
    CAPTURE(name(instructions));
    check();
  }
}

}  // namespace

TEST_CASE("products of integers times scales are exact sums times scales") {
  for (const int64_t most : {127, 128, 255}) {  // int8, and what it does not hold
    const std::vector<int64_t> weight = integers(depth * columns, most);
    for (const std::vector<float>& scales : {std::vector<float>{0.0123F}, scales_of_columns()}) {
      for (const int64_t rows : {1, 3, 33}) {
        const std::vector<int64_t> x = integers(rows * depth, 255);
        for (const float left : {1.0F, 0.037F, 3.5F}) {
          CAPTURE(most);
          CAPTURE(rows);
          CAPTURE(left);
          on_each_vector_instructions([&] {
            const std::vector<float> got = product(scaled(x, {left}), scaled(weight, scales), true);
            CHECK(got == expected(x, left, weight, scales));
          });
        }
      }
    }
  }
}

TEST_CASE("products with weights around the limits of saturation are exact") {
  // In the first pairs of rows, the sums of two weights of one sign are about 128. With `many`, the
  // sums of all pairs are, so that B is stored as int16.
  for (const bool many : {false, true}) {
    std::vector<int64_t> weight = integers(depth * columns, 60);
    for (int64_t k = 0; k + 1 < (many ? depth : 40); k += 2) {
      for (int64_t j = 0; j < columns; ++j) {
        const int64_t first = (k * 31 + j * 17) % 128, sum = 126 + (k / 2 + j) % 4;
        const int64_t sign = j % 2 == 0 ? 1 : -1;
        const auto at = static_cast<size_t>(k * columns + j);
        weight[at] = sign * first;
        weight[at + columns] = sign * std::min<int64_t>(j % 5 == 0 ? 127 : sum - first, 127);
      }
    }
    const std::vector<float> scales = scales_of_columns();
    // The integers of A: of 8 bits, of one sign, all equal, and of more than 8 bits.
    struct Range {
      int64_t least, largest;
    };
    for (const Range& range :
         {Range{-128, 127}, Range{0, 255}, Range{-255, 0}, Range{1, 256}, Range{7, 7},
          Range{-9000, -8745}, Range{0, 256}, Range{-128, 128}, Range{-9000, 9000}}) {
      for (const int64_t rows : {1, 2, 7, 33}) {
        std::vector<int64_t> x;
        for (int64_t i = 0; i < rows * depth; ++i) {
          const int64_t number = i * 7919 % (range.largest - range.least + 1) + range.least;
          x.push_back(i % 3 == 0 ? range.largest : i % 5 == 0 ? range.least : number);
        }
        for (const float left : {1.0F, 0.25F}) {
          if (left != 1 && std::find(x.begin(), x.end(), 1) == x.end()) continue;
          CAPTURE(many);
          CAPTURE(range.least);
          CAPTURE(range.largest);
          CAPTURE(rows);
          on_each_vector_instructions([&] {
            const std::vector<float> got = product(scaled(x, {left}), scaled(weight, scales), true);
            CHECK(got == expected(x, left, weight, scales));
          });
        }
      }
    }
  }
}

TEST_CASE("integers without a common divisor have a scale of 1") {
  const std::vector<int64_t> weight = integers(depth * columns, 127);
  const std::vector<float> scales = scales_of_columns();
  std::vector<int64_t> x;
  for (int64_t i = 0; i < 3 * depth; ++i) x.push_back(i % 2 == 0 ? 3 : 5);
  on_each_vector_instructions([&] {
    CHECK(product(scaled(x, {1}), scaled(weight, scales), true) == expected(x, 1, weight, scales));
  });
}

TEST_CASE("a column or a matrix of zeros is multiplied") {
  std::vector<int64_t> weight = integers(depth * columns, 127);
  for (int64_t k = 0; k < depth; ++k) weight[static_cast<size_t>(k * columns + 7)] = 0;
  const std::vector<int64_t> x = integers(3 * depth, 255), zeros(3 * depth, 0);
  for (const std::vector<float>& scales : {std::vector<float>{0.0123F}, scales_of_columns()}) {
    on_each_vector_instructions([&] {
      const std::vector<float> bound = scaled(weight, scales);
      std::vector<float> want = expected(x, 0.5F, weight, scales);
      CHECK(product(scaled(x, {0.5F}), bound, true) == want);
      CHECK(product(scaled(zeros, {1}), bound, true) == std::vector<float>(3 * columns, 0));
    });
  }
}

TEST_CASE("other numbers times integers times scales are multiplied as floats") {
  const std::vector<float> weight =
      scaled(integers(depth * columns, 127), std::vector<float>{0.0123F});
  std::vector<float> x = scaled(integers(3 * depth, 255), {0.037F});
  for (const float other :
       {0.0371F, 1e9F, -0.0186F, 1e-40F, std::numeric_limits<float>::infinity()}) {
    std::vector<float> changed = x;
    changed[depth + 7] = other;
    on_each_vector_instructions([&] {
      const std::vector<float> bound = product(changed, weight, true),
                               unbound = product(changed, weight, false);
      for (size_t i = 0; i < bound.size(); ++i)
        CHECK((bound[i] == unbound[i] || (std::isnan(bound[i]) && std::isnan(unbound[i]))));
    });
  }
  std::vector<float> other_weight = weight;
  other_weight[5000] = 0.01F;
  on_each_vector_instructions(
      [&] { CHECK(product(x, other_weight, true) == product(x, other_weight, false)); });
}

TEST_CASE("products whose scale is subnormal are multiplied as floats") {
  const std::vector<float> weight =
      scaled(integers(depth * columns, 127), std::vector<float>{1e-20F});
  const std::vector<float> x = scaled(integers(3 * depth, 255), {1e-20F});
  on_each_vector_instructions(
      [&] { CHECK(product(x, weight, true) == product(x, weight, false)); });
}

}  // namespace mithril::tests
