// The reference: sizes that inputs give, sizes that only inference gives, refusals, half precision.
#include "mithril/eval/interpreter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mithril {
namespace {

Tensor counted(Dims dims) {
  Tensor tensor(DType::float32, std::move(dims));
  float next = 0;
  for (float& element : tensor.mutable_values<float>()) element = next++;
  return tensor;
}

std::string text_of_error(const Interpreter& interpreter, const std::vector<Tensor>& inputs) {
  try {
    interpreter.run(inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was raised";
}

}  // namespace

TEST_CASE("sizes come from inputs, in sums and products too") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input pairs: float32[2*N, M]
    y: float32[N, 2*M] = reshape(input: pairs, shape: (N, 2*M))
    output y = y
  })"));
  for (const int64_t n : {1, 0, 3, 1}) {
    const Tensor y = interpreter.run(std::vector<Tensor>{counted({2 * n, 3})}).at(0);
    CHECK(identical(y, counted({n, 6})));
  }
}

TEST_CASE("an expression of sizes is checked, whatever the order of the inputs") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input flat: float32[N*M]
    input matrix: float32[N, M]
    output flat = flat
  })"));
  CHECK(interpreter.run(std::vector<Tensor>{counted({6}), counted({2, 3})}).size() == 1);
  CHECK(text_of_error(interpreter, {counted({7}), counted({2, 3})}) ==
        "mithril.InputError[E0804]: flat: 'flat' has 7 in dim 0, expected N*M = 6\n"
        "  expected : [N*M]\n"
        "  got      : [7]");
}

TEST_CASE("a wrong rank or dtype is refused") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float32[N, 2]
    output y = x
  })"));
  CHECK(text_of_error(interpreter, {counted({2})}) ==
        "mithril.InputError[E0803]: x: 'x' has rank 1, expected 2\n"
        "  expected : [N, 2]\n"
        "  got      : [2]");
  CHECK(text_of_error(interpreter, {Tensor(DType::int64, {1, 2})}) ==
        "mithril.InputError[E0805]: x: 'x' is int64, expected float32");
}

TEST_CASE("sizes that no input names are inferred when it runs") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float32[...]
    rows: float32[A, B] = flatten(input: x, start_dim: 1)
    both: float32[2*A, B] = concat(input: [rows, rows], axis: 0)
    back: float32[A, 2*B] = reshape(input: both, shape: (A, 2*B))
    output back = back
  })"));
  const auto run = [&](Dims dims) {
    return interpreter.run(std::vector<Tensor>{counted(std::move(dims))}).at(0).dims();
  };
  CHECK(run({2, 3, 4}) == Dims{2, 24});
  CHECK(run({5, 1}) == Dims{5, 2});
  CHECK(run({0, 7}) == Dims{0, 14});
}

TEST_CASE("half precision is stored, and computed in float32") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float16[2]
    doubled: float16[2] = add(left: x, right: x)
    output doubled = doubled
  })"));
  const Tensor x = Tensor::of<float>({2}, {0.5, 1024}).to(DType::float16);
  const Tensor doubled = interpreter.run(std::vector<Tensor>{x}).at(0);
  CHECK(identical(doubled, Tensor::of<float>({2}, {1, 2048}).to(DType::float16)));
}

TEST_CASE("any number of shapes may follow each other") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float32[N]
    y: float32[N] = relu(input: x)
    output y = y
  })"));
  for (int round = 0; round < 2; ++round) {
    for (int64_t n = 0; n < 200; ++n) {
      REQUIRE(identical(interpreter.run(std::vector<Tensor>{counted({n})}).at(0), counted({n})));
    }
  }
}

}  // namespace mithril
