// Pointwise convolutions that move before resizes: text in, text out, and equal results.
#include "mithril/passes/hoist_convolutions.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

const std::string inputs = R"(graph {
  input x: float32[1, 1, 4, 4]
  input y: float32[1, 2, 2, 2]
  input a: float32[4, 2]
  input b: float32[2, 4]
  constant w: float32[1, 3, 1, 1] = {5, 6, 7}
  constant c: float32[1] = {8}
)";
const std::string resizes = R"(  tall: float32[1, 2, 4, 2] = matmul(left: a, right: y)
  large: float32[1, 2, 4, 4] = matmul(left: tall, right: b)
)";
const std::string joins = "  s: float32[1, 3, 4, 4] = concat(input: [x, large], axis: 1)\n";

std::string convolution(const std::string& attributes = "stride: 1, padding: 0, dilation: 1",
                        const std::string& dims = "1, 1, 4, 4") {
  return "  z: float32[" + dims + "] = conv2d(input: s, weight: w, bias: c, " + attributes +
         ", groups: 1)\n";
}

const std::string end = "  output z = z\n}\n";

std::string hoisted(const std::string& text) {
  return to_string(hoist_convolutions(parse_graph(text)));
}

void check_kept(const std::string& text) { CHECK(hoisted(text) == to_string(parse_graph(text))); }

// Returns an empty text if the pass changes the graph, and changes the result by rounding at most.
std::string difference_after(const std::string& text, const std::vector<Tensor>& given) {
  const Graph before = parse_graph(text), after = hoist_convolutions(before);
  if (to_string(before) == to_string(after)) return "the graph is as before";
  return difference(interpret(after, given).front(), interpret(before, given).front(), 1e-5);
}

}  // namespace

TEST_CASE("a convolution of a concatenation moves before the resize of a part") {
  CHECK(hoisted(inputs + resizes + joins + convolution() + end) == R"(graph {
  input x: float32[1, 1, 4, 4]
  input y: float32[1, 2, 2, 2]
  input a: float32[4, 2]
  input b: float32[2, 4]
  constant c: float32[1] = {8}
  constant z.weight_9: float32[1, 2, 1, 1] = {6, 7}
  constant z.weight_13: float32[1, 1, 1, 1] = {5}
  z.conv2d_10: float32[1, 1, 2, 2] = conv2d(input: y, weight: z.weight_9, bias: None, stride: 1, padding: 0, dilation: 1, groups: 1)
  z.matmul_11: float32[1, 1, 4, 2] = matmul(left: a, right: z.conv2d_10)
  z.matmul_12: float32[1, 1, 4, 4] = matmul(left: z.matmul_11, right: b)
  z.conv2d_14: float32[1, 1, 4, 4] = conv2d(input: x, weight: z.weight_13, bias: c, stride: 1, padding: 0, dilation: 1, groups: 1)
  z: float32[1, 1, 4, 4] = add(left: z.matmul_12, right: z.conv2d_14)
  output z = z
}
)");
}

TEST_CASE("convolutions before a resize have the results of those after it") {
  const std::vector<Tensor> given = {random({1, 1, 4, 4}, 1), random({1, 2, 2, 2}, 2),
                                     random({4, 2}, 3), random({2, 4}, 4)};
  CHECK(difference_after(inputs + resizes + joins + convolution() + end, given) == "");
  // Without a concatenation the bias is added last, because it is not resized.
  const std::string single = R"(graph {
  input y: float32[2, 5, 3, 2]
  input a: float32[7, 3]
  constant w: float32[1, 5, 1, 1] = {1, -2, 3, 0.5, 4}
  constant c: float32[1] = {8}
  tall: float32[2, 5, 7, 2] = matmul(left: a, right: y)
  z: float32[2, 1, 7, 2] = conv2d(input: tall, weight: w, bias: c, stride: (1, 1), padding: ((0, 0), (0, 0)), dilation: 1, groups: 1)
  output z = z
})";
  CHECK(difference_after(single, {random({2, 5, 3, 2}, 5), random({7, 3}, 6)}) == "");
}

TEST_CASE("convolutions are not hoisted without gain or when other nodes read the value") {
  // Another node, or an output, reads the resized value.
  check_kept(inputs + resizes + joins + convolution() + "  output large = large\n" + end);
  check_kept(inputs + resizes + joins + convolution() + "  output s = s\n" + end);
  // The window, its stride or its padding reaches other pixels.
  check_kept(inputs + resizes + joins +
             convolution("stride: 2, padding: 0, dilation: 1", "1, 1, 2, 2") + end);
  check_kept(inputs + resizes + joins +
             convolution("stride: 1, padding: 1, dilation: 1", "1, 1, 6, 6") + end);
  // The concatenation is along the height.
  check_kept(R"(graph {
  input y: float32[1, 3, 2, 2]
  input a: float32[8, 2]
  constant w: float32[1, 3, 1, 1] = {5, 6, 7}
  constant c: float32[1] = {8}
  tall: float32[1, 3, 8, 2] = matmul(left: a, right: y)
  s: float32[1, 3, 16, 2] = concat(input: [tall, tall], axis: 2)
)" + convolution("stride: 1, padding: 0, dilation: 1", "1, 1, 16, 2") +
             end);
  // The resize makes the value smaller.
  check_kept(R"(graph {
  input y: float32[1, 3, 8, 2]
  input a: float32[2, 8]
  constant w: float32[3, 3, 1, 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9}
  constant c: float32[3] = {8, 9, 10}
  s: float32[1, 3, 2, 2] = matmul(left: a, right: y)
)" + convolution("stride: 1, padding: 0, dilation: 1", "1, 3, 2, 2") +
             end);
  // The size is not known.
  check_kept(R"(graph {
  input y: float32[1, 3, H, 2]
  input a: float32[M, H]
  constant w: float32[1, 3, 1, 1] = {5, 6, 7}
  constant c: float32[1] = {8}
  s: float32[1, 3, M, 2] = matmul(left: a, right: y)
)" + convolution("stride: 1, padding: 0, dilation: 1", "1, 1, M, 2") +
             end);
  // The weight is not a constant.
  check_kept(R"(graph {
  input y: float32[1, 3, 2, 2]
  input a: float32[8, 2]
  input w: float32[1, 3, 1, 1]
  constant c: float32[1] = {8}
  s: float32[1, 3, 8, 2] = matmul(left: a, right: y)
)" + convolution("stride: 1, padding: 0, dilation: 1", "1, 1, 8, 2") +
             end);
}

}  // namespace mithril::tests
