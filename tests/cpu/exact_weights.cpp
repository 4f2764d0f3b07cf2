// A float32 weight that bfloat16 holds exactly is packed with 16 bits, and gives the same bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/settings.hpp"

namespace mithril::tests {
namespace {

// The product of x and a weight that is a constant or, if it is not bound, an input.
std::vector<float> product(const Tensor& x, const Tensor& weight, bool is_bound) {
  Graph graph;
  const auto input = [&](const char* name, const Tensor& tensor) {
    std::vector<Dim> dims(tensor.dims().begin(), tensor.dims().end());
    return graph.add_input({name, std::move(dims), true, tensor.dtype()});
  };
  const ValueId left = input("x", x);
  const ValueId right = is_bound ? graph.add_constant("w", weight) : input("w", weight);
  graph.add_output("y", graph.add(find_op("matmul"), {left, right}, "y").front());
  std::vector<Tensor> inputs{x};
  if (!is_bound) inputs.push_back(weight);
  const Tensor made = cpu({.threads = 1})->load(graph, {})->run(inputs).front();
  return std::vector<float>(made.values<float>().begin(), made.values<float>().end());
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

}  // namespace mithril::tests
