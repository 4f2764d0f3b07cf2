// Nodes of ONNX files whose inputs are few known integers, as exporters write them for shapes.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/onnx/read_onnx.hpp"
#include "tests/onnx/file_bytes.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::onnx_ints;
using tests::onnx_node;

struct KnownNode {
  std::string node;  // its output is "made"
  Dims dims;
  std::vector<std::int64_t> elements;
};

// The output of the node that reads known values.
Tensor made_by(const KnownNode& known) {
  const tests::FileFolder folder;
  const tests::OnnxGraph graph = {
      .nodes = {known.node, onnx_node("Relu", {"x"}, {"y"})},
      .initializers = {onnx_ints("zero", {}, {0}), onnx_ints("one", {1}, {1}),
                       onnx_ints("two", {}, {2}), onnx_ints("three", {1}, {3}),
                       onnx_ints("axes", {1}, {0}), onnx_ints("v", {4}, {4, 5, 6, 7}),
                       onnx_ints("ends", {2}, {3, -1}), onnx_ints("signed", {4}, {-7, 7, 0, 9}),
                       onnx_ints("large", {1}, {std::int64_t{1} << 40}),
                       onnx_ints("many", {5000}, std::vector<std::int64_t>(5000, 2))},
      .inputs = {tests::onnx_value("x", {1})},
      .outputs = {tests::onnx_value("y", {1}),
                  tests::onnx_value("made", known.dims, onnx::ElementType::int64)}};
  const OnnxModel net = read_onnx(folder.write("net.onnx", tests::onnx_file(graph.bytes())));
  return compile(net.model, cpu())
      .evaluate(net.parameters, {{"x", Tensor::of<float>({1}, {1})}})
      .at("made");
}

std::vector<std::int64_t> many_after_one() {
  std::vector<std::int64_t> made(5001, 2);
  made.front() = 1;
  return made;
}

const std::string axis = tests::onnx_int_attribute("axis", 0);

}  // namespace

TEST_CASE("onnx: nodes on known sizes make what the ops make") {
  const std::vector<KnownNode> nodes = {
      {onnx_node("Gather", {"v", "ends"}, {"made"}, {axis}), {2}, {7, 7}},
      {onnx_node("Gather", {"v", "two"}, {"made"}, {axis}), {}, {6}},
      {onnx_node("Slice", {"v", "one", "three", "axes"}, {"made"}), {2}, {5, 6}},
      {onnx_node("Slice", {"v", "three", "one", "axes"}, {"made"}), {0}, {}},
      {onnx_node("Concat", {"v", "one", "signed"}, {"made"}, {axis}),
       {9},
       {4, 5, 6, 7, 1, -7, 7, 0, 9}},
      {onnx_node("Unsqueeze", {"two", "axes"}, {"made"}), {1}, {2}},
      {onnx_node("Squeeze", {"three", "axes"}, {"made"}), {}, {3}},
      {onnx_node("Add", {"v", "two"}, {"made"}), {4}, {6, 7, 8, 9}},
      {onnx_node("Sub", {"three", "v"}, {"made"}), {4}, {-1, -2, -3, -4}},
      {onnx_node("Mul", {"v", "v"}, {"made"}), {4}, {16, 25, 36, 49}},
      {onnx_node("Div", {"v", "two"}, {"made"}), {4}, {2, 2, 3, 3}},
      // Not as sizes: many numbers, quotients of negative ones, and products that wrap.
      {onnx_node("Concat", {"one", "many"}, {"made"}, {axis}), {5001}, many_after_one()},
      {onnx_node("Div", {"signed", "two"}, {"made"}), {4}, {-3, 3, 0, 4}},
      {onnx_node("Mul", {"large", "large"}, {"made"}), {1}, {0}},
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    CAPTURE(i);
    const Tensor made = made_by(nodes[i]);
    CHECK(made.dims() == nodes[i].dims);
    const auto elements = made.values<std::int64_t>();
    CHECK(std::vector<std::int64_t>(elements.begin(), elements.end()) == nodes[i].elements);
  }
}

TEST_CASE("onnx: an index out of range of known sizes is refused") {
  CHECK_THROWS(made_by({onnx_node("Gather", {"two", "zero"}, {"made"}, {axis}), {}, {}}));
  CHECK_THROWS(made_by({onnx_node("Gather", {"one", "two"}, {"made"}, {axis}), {}, {}}));
}

TEST_CASE("onnx: an axis that known sizes lack is refused") {
  const std::string second = tests::onnx_int_attribute("axis", 1);
  // "one" and "three" are the axes [1] and [3].
  for (const std::string& node : {onnx_node("Slice", {"v", "one", "three", "one"}, {"made"}),
                                  onnx_node("Squeeze", {"three", "one"}, {"made"}),
                                  onnx_node("Unsqueeze", {"two", "three"}, {"made"}),
                                  onnx_node("Concat", {"v", "one"}, {"made"}, {second}),
                                  onnx_node("Gather", {"v", "two"}, {"made"}, {second})})
    CHECK_THROWS_AS(made_by({node, {}, {}}), Error);
}

TEST_CASE("onnx: sizes that 64 bits do not hold are refused") {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  struct Case {
    std::string op;
    std::int64_t left, right;
    std::string result;
  };
  for (const Case& each : {Case{"Add", least, least, "sum"}, Case{"Sub", least, 1, "difference"},
                           Case{"Mul", least, 2, "product"}}) {
    CAPTURE(each.op);
    // A symbolic size is beside the number, so that the node computes sizes.
    const tests::OnnxGraph graph = {
        .nodes = {onnx_node("Shape", {"x"}, {"n"}),
                  onnx_node("Concat", {"n", "left"}, {"a"}, {axis}),
                  onnx_node("Concat", {"n", "right"}, {"b"}, {axis}),
                  onnx_node(each.op, {"a", "b"}, {"made"})},
        .initializers = {onnx_ints("left", {1}, {each.left}),
                         onnx_ints("right", {1}, {each.right})},
        .inputs = {tests::onnx_value("x", {-1})},
        .outputs = {tests::onnx_value("made", {2}, onnx::ElementType::int64)}};
    const tests::FileFolder folder;
    const std::string path = folder.write("net.onnx", tests::onnx_file(graph.bytes()));
    const std::string text = "the " + each.result + " of its sizes is too large";
    CHECK_THROWS_WITH_AS(read_onnx(path), doctest::Contains(text.c_str()), Error);
  }
}

TEST_CASE("onnx: products of stated sizes that 64 bits do not hold are refused") {
  const std::int64_t large = (std::int64_t{1} << 31) - 1;
  for (const std::string op : {"Size", "Flatten"}) {
    CAPTURE(op);
    const bool counts = op == "Size";
    const std::string node =
        counts ? onnx_node(op, {"x"}, {"made"})
               : onnx_node(op, {"x"}, {"made"}, {tests::onnx_int_attribute("axis", 3)});
    const tests::OnnxGraph graph = {.nodes = {node},
                                    .inputs = {tests::onnx_value("x", {large, large, large, 1})},
                                    .outputs = {tests::onnx_value("made", {})}};
    const tests::FileFolder folder;
    const std::string path = folder.write("net.onnx", tests::onnx_file(graph.bytes()));
    CHECK_THROWS_WITH_AS(read_onnx(path),
                         doctest::Contains("the product of its sizes is too large"), Error);
  }
}

}  // namespace mithril
