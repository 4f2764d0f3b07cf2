// Float8 and 4-bit tensors of ONNX files. `make onnx` compares all of these types with the onnx
// package.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/onnx/read_onnx.hpp"
#include "tests/onnx/file_bytes.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using onnx::ElementType;
using tests::FileFolder;
using tests::onnx_int_attribute;
using tests::onnx_node;
using tests::onnx_value;
using tests::OnnxGraph;

Tensor result_of(const OnnxGraph& graph, const TensorMap& inputs) {
  const FileFolder folder;
  const OnnxModel net =
      read_onnx(folder.write("net.onnx", tests::onnx_file(graph.bytes(), 23)), {});
  return compile(net.model, cpu()).evaluate(net.parameters, inputs).at("y");
}

std::string cast_node(ElementType to, bool saturates) {
  return onnx_node("Cast", {"x"}, {"y"},
                   {onnx_int_attribute("to", static_cast<std::int64_t>(to)),
                    onnx_int_attribute("saturate", saturates)});
}

Tensor cast_result(bool saturates) {
  const OnnxGraph graph{.nodes = {cast_node(ElementType::float8_e4m3fn, saturates)},
                        .inputs = {onnx_value("x", {3})},
                        .outputs = {onnx_value("y", {3}, ElementType::float8_e4m3fn)}};
  return result_of(graph, {{"x", Tensor::of<float>({3}, {1000, -1e9F, 0.3F})}});
}

}  // namespace

TEST_CASE("onnx: a cast to float8 saturates, unless it says that it does not") {
  const Tensor saturated = cast_result(true), open = cast_result(false);
  CHECK(saturated.dtype() == DType::float8_e4m3fn);
  CHECK(identical(saturated.to(DType::float32), Tensor::of<float>({3}, {448, -448, 0.3125F})));
  CHECK(std::isnan(open.at_as_double(0)));
  CHECK(std::isnan(open.at_as_double(1)));
}

TEST_CASE("onnx: 4-bit elements of a file are two in a byte") {
  const OnnxGraph graph{.nodes = {onnx_node("Cast", {"w"}, {"y"}, {onnx_int_attribute("to", 6)})},
                        .initializers = {tests::onnx_elements<std::uint8_t>("w", {3}, {0xF1, 0x08},
                                                                            ElementType::int4)},
                        .outputs = {onnx_value("y", {3}, ElementType::int32)}};
  CHECK(identical(result_of(graph, {}), Tensor::of<std::int32_t>({3}, {1, -1, -8})));
}

TEST_CASE("onnx: floats are quantised to 4 bits and back") {
  const std::vector<std::string> type = {
      onnx_int_attribute("output_dtype", static_cast<std::int64_t>(ElementType::uint4))};
  const OnnxGraph graph{.nodes = {onnx_node("QuantizeLinear", {"x", "scale"}, {"q"}, type),
                                  onnx_node("DequantizeLinear", {"q", "scale"}, {"y"})},
                        .initializers = {tests::onnx_floats("scale", {}, {0.5})},
                        .inputs = {onnx_value("x", {4})},
                        .outputs = {onnx_value("y", {4})}};
  const Tensor x = Tensor::of<float>({4}, {-1, 1.2F, 0.25F, 100});
  CHECK(identical(result_of(graph, {{"x", x}}), Tensor::of<float>({4}, {0, 1, 0, 7.5F})));
}

}  // namespace mithril
