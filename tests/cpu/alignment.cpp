// 16-bit tensors whose elements are not aligned to 4 bytes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>

#include "backends/cpu/cpu.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

Tensor between_floats(const Dims& dims, uint64_t seed) {
  const Tensor tensor = random(dims, seed).to(DType::bfloat16);
  const auto memory =
      std::make_shared<std::vector<uint16_t>>(static_cast<size_t>(tensor.size()) + 1);
  void* begin = memory->data() + 1;
  std::memcpy(begin, tensor.raw_data(), tensor.bytes());
  return Tensor::borrow(DType::bfloat16, dims, begin, memory);
}

}  // namespace

TEST_CASE("bfloat16 GEMMs accept operands that are not aligned to 4 bytes") {
  for (const int rows : {1, 3, 40}) {
    const std::string text = fmt::format(
        "graph {{\n  input x: bfloat16[{0}, 64]\n  input w: bfloat16[33, 64]\n"
        "  input v: bfloat16[64, 33]\n"
        "  y: bfloat16[{0}, 33] = linear(input: x, weight: w, bias: None)\n"
        "  z: bfloat16[{0}, 33] = matmul(left: x, right: v)\n"
        "  output y = y\n  output z = z\n}}\n",
        rows);
    CAPTURE(rows);
    CHECK(differing_output(text,
                           {between_floats({rows, 64}, 1), between_floats({33, 64}, 2),
                            between_floats({64, 33}, 3)},
                           1, 8e-3) == "");
  }
}

TEST_CASE("bound bfloat16 weights need not be aligned to 4 bytes") {
  Graph graph;
  const ValueId x = graph.add_input({.name = "x", .dims = {5, 64}, .dtype = DType::bfloat16});
  const Tensor weight = between_floats({33, 64}, 2);
  const ValueId w = graph.add_constant("w", weight);
  const ValueId y = graph.add(find_op("linear"), {x, w, Datum()}, "y").front();
  graph.add_output("y", y);
  const std::vector<Tensor> inputs{between_floats({5, 64}, 1)};
  const Tensor got = cpu()->load(graph, {})->run(inputs).front();
  const std::string text =
      "graph {\n  input x: bfloat16[5, 64]\n  input w: bfloat16[33, 64]\n"
      "  y: bfloat16[5, 33] = linear(input: x, weight: w, bias: None)\n  output y = y\n}\n";
  const auto unbound = cpu()->load(parse_graph(text), {});
  CHECK(identical(got, unbound->run(std::vector{inputs.front(), weight.copy()}).front()));
}

}  // namespace mithril::tests
