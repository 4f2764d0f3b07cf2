// The reference: sizes from inputs, inferred sizes, errors, half precision.
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

TEST_CASE("symbols that were taken to broadcast are refused where they do not") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float32[N]
    input y: float32[M]
    sum: float32[K] = add(left: x, right: y)
    output sum = sum
  })"));
  CHECK(interpreter.run(std::vector<Tensor>{counted({3}), counted({1})}).at(0).dims() == Dims{3});
  CHECK(interpreter.run(std::vector<Tensor>{counted({1}), counted({0})}).at(0).dims() == Dims{0});
  for (int call = 0; call < 2; ++call) {  // a refusal is not remembered as a plan
    CHECK(text_of_error(interpreter, {counted({3}), counted({4})}) ==
          "mithril.ShapeError[E0203]: sum: add: two dims do not broadcast\n"
          "  one side   : 3\n"
          "  other side : 4\n"
          "  left       : [3]     pattern \"*a\"\n"
          "  right      : [4]     pattern \"*b\"\n"
          "  output     : [...]   on output, pattern \"*o\"");
  }
}

TEST_CASE("symbols that were taken to be equal are refused where they are not") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float32[N, K]
    input y: float32[L, M]
    product: float32[N, M] = matmul(left: x, right: y)
    output product = product
  })"));
  CHECK(interpreter.run(std::vector<Tensor>{counted({2, 3}), counted({3, 4})}).at(0).dims() ==
        Dims{2, 4});
  const std::string text = text_of_error(interpreter, {counted({2, 3}), counted({4, 5})});
  CHECK(
      text.starts_with("mithril.ShapeError[E0202]: product: matmul: port 'right': two dims "
                       "differ\n"));
  CHECK(text.find("one side   : 3") != std::string::npos);
  CHECK(text.find("other side : 4") != std::string::npos);
}

TEST_CASE("the ops of gradients refuse sizes that do not broadcast") {
  const auto refuses = [](const char* node, const char* expected) {
    const Interpreter interpreter(parse_graph("graph { input x: float32[N] input y: float32[M] " +
                                              std::string(node) + " output z = z }"));
    const std::string text = text_of_error(interpreter, {counted({3}), counted({4})});
    CAPTURE(text);
    CHECK(text.starts_with(expected));
  };
  refuses("z: float32[M] = expand_like(input: x, like: y)",
          "mithril.ShapeError[E0203]: z: expand_like: two dims do not broadcast\n"
          "  one side   : 3\n"
          "  other side : 4\n");
  refuses("z: float32[M] = sum_to(input: x, like: y)",
          "mithril.ShapeError[E0203]: z: sum_to: two dims do not broadcast\n"
          "  one side   : 3\n"
          "  other side : 4\n");
}

TEST_CASE("an input with another size than the stated one is refused") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float32[N]
    input y: float32[M]
    sum: float32[N] = add(left: x, right: y)
    output sum = sum
  })"));
  CHECK(interpreter.run(std::vector<Tensor>{counted({3}), counted({1})}).at(0).dims() == Dims{3});
  CHECK(text_of_error(interpreter, {counted({1}), counted({4})}) ==
        "mithril.ShapeError[E0210]: sum: add: with these sizes 'sum' has other dims than stated\n"
        "  stated : [1]\n"
        "  made   : [4]");
}

TEST_CASE("an error of eval names the value and the op") {
  const Interpreter interpreter(parse_graph(R"(graph {
    input x: float32[N]
    largest: float32[] = max(input: x, axis: None, keepdim: False)
    output largest = largest
  })"));
  CHECK(text_of_error(interpreter, {counted({0})}) ==
        "mithril.ValueError[E0411]: largest: max: there is no element to choose from\n"
        "  input : [0]\n"
        "  axis  : None\n"
        "  help: reduce along an axis that has at least one element");
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
