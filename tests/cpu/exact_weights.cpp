// Bound float32 weights of whole numbers: those that bfloat16 holds are packed with 16 bits, which
// gives the same bits, and whole numbers times whole numbers are exact.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/settings.hpp"

namespace mithril::tests {
namespace {

// The product of x and a weight that is a constant or, if it is not bound, an input. The epilogue
// is relu(product / 4).
std::vector<float> product(const Tensor& x, const Tensor& weight, bool is_bound,
                           bool has_epilogue = false) {
  Graph graph;
  const auto input = [&](const char* name, const Tensor& tensor) {
    std::vector<Dim> dims(tensor.dims().begin(), tensor.dims().end());
    return graph.add_input({name, std::move(dims), true, tensor.dtype()});
  };
  const ValueId left = input("x", x);
  const ValueId right = is_bound ? graph.add_constant("w", weight) : input("w", weight);
  ValueId made = graph.add(find_op("matmul"), {left, right}, "p").front();
  if (has_epilogue) {
    made = graph.add(find_op("multiply"), {made, Datum(0.25)}, "q").front();
    made = graph.add(find_op("relu"), {made}, "y").front();
  }
  graph.add_output("y", made);
  std::vector<Tensor> inputs{x};
  if (!is_bound) inputs.push_back(weight);
  const Tensor result = cpu({.threads = 2})->load(graph, {})->run(inputs).front();
  return std::vector<float>(result.values<float>().begin(), result.values<float>().end());
}

}  // namespace

TEST_CASE("a bound float32 weight of integers gives the bits of an unbound weight") {
  for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
    const InstructionsLimit limit(instructions);
    for (const int64_t rows : {1, 4, 5}) {
      std::vector<float> numbers;
      for (int i = 0; i < 300 * 70; ++i) numbers.push_back(static_cast<float>(i % 512 - 255));
      Tensor weight = Tensor::of({300, 70}, numbers);
      const Tensor x = random({rows, 300}, 1);
      CHECK(product(x, weight, true) == product(x, weight, false));
      // One number of 9 bits keeps the weight in float32.
      weight.mutable_values<float>()[20999] = 257.0F;
      CHECK(product(x, weight, true) == product(x, weight, false));
    }
  }
}

TEST_CASE("integers times a bound weight of integers are exact") {
  // Many sums are above 2^24, so that sums of float32 would be rounded.
  struct Case {
    int64_t numbers, depth, rows;  // weights: as many numbers around 0
  };
  for (const Case& at :
       {Case{3001, 301, 1}, Case{3001, 1024, 3}, Case{3001, 1024, 33}, Case{256, 301, 1},
        Case{256, 1024, 1}, Case{256, 1024, 3}, Case{256, 301, 33}, Case{257, 301, 5}}) {
    constexpr int64_t columns = 70;
    std::vector<float> x, weight, expected, with_epilogue;
    for (int64_t i = 0; i < at.rows * at.depth; ++i)
      x.push_back(static_cast<float>(i * 7919 % 511 - 200));
    for (int64_t i = 0; i < at.depth * columns; ++i)
      weight.push_back(static_cast<float>(i * 104729 % at.numbers - at.numbers / 2));
    for (int64_t i = 0; i < at.rows * columns; ++i) {
      int64_t sum = 0;
      for (int64_t k = 0; k < at.depth; ++k) {
        sum += static_cast<int64_t>(x[static_cast<size_t>(i / columns * at.depth + k)]) *
               static_cast<int64_t>(weight[static_cast<size_t>(k * columns + i % columns)]);
      }
      expected.push_back(static_cast<float>(sum));
      with_epilogue.push_back(std::max(static_cast<float>(sum) * 0.25F, 0.0F));
    }
    const Tensor left = Tensor::of({at.rows, at.depth}, x);
    const Tensor right = Tensor::of({at.depth, columns}, weight);
    for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
      const InstructionsLimit limit(instructions);
      CAPTURE(at.numbers);
      CAPTURE(at.depth);
      CAPTURE(at.rows);
      CAPTURE(name(instructions));
      if (instructions == cpu_backend::Instructions::portable) {  // multiplies floats
        CHECK(product(left, right, true) == product(left, right, false));
        continue;
      }
      CHECK(product(left, right, true) == expected);
      CHECK(product(left, right, true, true) == with_epilogue);
    }
  }
}

TEST_CASE("sums of integers at and above the bound of int32 are exact") {
  // int32 holds the sums of products with `most`, and int16 `most`. Floats hold those of the next
  // number exactly.
  struct Case {
    int64_t weight, most;
  };
  constexpr int64_t depth = 1025, columns = 70, rows = 3;
  for (const Case& at : {Case{2000, 1047}, Case{-2000, 1047}, Case{31, INT16_MAX}}) {
    const Tensor right =
        Tensor::full(DType::float32, {depth, columns}, static_cast<double>(at.weight));
    for (const int64_t x : {at.most, -at.most, at.most + 1, -at.most - 1}) {
      const Tensor left = Tensor::full(DType::float32, {rows, depth}, static_cast<double>(x));
      const std::vector<float> expected(rows * columns, static_cast<float>(x * at.weight * depth));
      for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
        if (instructions == cpu_backend::Instructions::portable) continue;
        const InstructionsLimit limit(instructions);
        CAPTURE(at.weight);
        CAPTURE(x);
        CAPTURE(name(instructions));
        CHECK(product(left, right, true) == expected);
      }
    }
  }
}

TEST_CASE("other numbers times a bound weight of integers are multiplied as floats") {
  std::vector<float> weight;
  for (int i = 0; i < 300 * 70; ++i) weight.push_back(static_cast<float>(i % 3001 - 1500));
  const Tensor right = Tensor::of({300, 70}, weight);
  for (const float other : {0.5F, 1e9F, 40000.0F, -33000.25F}) {
    for (const size_t place : {0, 307, 899}) {
      std::vector<float> x(3 * 300, 2);
      x[place] = other;
      const Tensor left = Tensor::of({3, 300}, x);
      CHECK(product(left, right, true) == product(left, right, false));
    }
  }
  std::vector<float> x(300, 2);
  x[7] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> made = product(Tensor::of({1, 300}, x), right, true);
  CHECK(std::all_of(made.begin(), made.end(), [](float y) { return std::isnan(y); }));
}

}  // namespace mithril::tests
