// ONNX files as models: names, parameters, sizes, constants, and nodes that are refused.
#include "mithril/onnx/read_onnx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/ops/linear_algebra.hpp"
#include "mithril/onnx/export/write_onnx.hpp"
#include "tests/onnx/file_bytes.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;
using tests::onnx_node;
using tests::onnx_value;
using tests::OnnxGraph;

OnnxModel read_graph(const FileFolder& folder, const OnnxGraph& graph,
                     const OnnxOptions& options = {}, std::int64_t opset = 17) {
  return read_onnx(folder.write("net.onnx", tests::onnx_file(graph.bytes(), opset)), options);
}

// relu(x w + b), with the names of an exporter.
OnnxGraph layer_graph() {
  return {.nodes = {onnx_node("MatMul", {"x:0", "a/w.1"}, {"387"}),
                    onnx_node("Add", {"387", "b"}, {"388"}), onnx_node("Relu", {"388"}, {"y"})},
          .initializers = {tests::onnx_floats("a/w.1", {3, 2}, {1, 2, 3, 4, 5, 6}),
                           tests::onnx_floats("b", {2}, {-100, 1})},
          .inputs = {onnx_value("x:0", {-1, 3})},
          .outputs = {onnx_value("y", {-1, 2})}};
}

}  // namespace

TEST_CASE("onnx: a layer keeps its names, and any batch runs") {
  const FileFolder folder;
  const OnnxModel net = read_graph(folder, layer_graph());
  CHECK(net.model.input_keys() == std::vector<std::string>{"x:0", "a/w.1", "b"});
  CHECK(net.model.output_keys() == std::vector<std::string>{"y"});
  CHECK(net.model.shape("y") == KnownShape{"N", 2});
  CHECK(net.renamed.empty());
  const auto compiled = compile(net.model, cpu());
  CHECK(compiled.parameter_keys() == std::vector<std::string>{"a/w.1", "b"});
  const auto outputs = compiled.evaluate(
      net.parameters, {{"x:0", Tensor::of<float>({2, 3}, {1, 0, 0, 10, 10, 10})}});
  CHECK(outputs.at("y").values<float>()[1] == 3.0F);
  CHECK(outputs.at("y").values<float>()[2] == 0.0F);
  CHECK(outputs.at("y").values<float>()[3] == 121.0F);
}

TEST_CASE("onnx: metadata of the file are kept, also if they are not text") {
  const FileFolder folder;
  const auto noted = [](std::string_view key, std::string_view value) {
    namespace field = onnx::entry_field;
    const std::string entry =
        tests::OnnxMessage().text(field::key, key).text(field::value, value).bytes();
    return tests::OnnxMessage().text(onnx::model_field::metadata_props, entry).bytes();
  };
  const std::string file = tests::onnx_file(layer_graph().bytes()) + noted("labels", "cat\ndog") +
                           noted("empty", "") + noted("bytes", "\xff");
  const OnnxModel net = read_onnx(folder.write("net.onnx", file));
  CHECK(net.metadata == std::map<std::string, std::string>{
                            {"labels", "cat\ndog"}, {"empty", ""}, {"bytes", "\xff"}});
}

TEST_CASE("onnx: a model that is written is read back with its names, sizes and results") {
  const FileFolder folder;
  const OnnxModel net = read_graph(folder, layer_graph());
  const auto compiled = compile(net.model, cpu());
  const std::string path = folder.at("written.onnx");
  write_onnx(compiled, path, {.params = net.parameters.share()});
  const OnnxModel again = read_onnx(path);
  CHECK(again.model.input_keys() == net.model.input_keys());
  CHECK(again.model.shape("y") == KnownShape{"N", 2});
  for (const auto& [key, tensor] : net.parameters)
    CHECK(identical(again.parameters.at(key), tensor));
  const auto x = Tensor::of<float>({2, 3}, {1, 0, 0, 10, 10, 10});
  CHECK(identical(compile(again.model, cpu()).evaluate(again.parameters, {{"x:0", x}}).at("y"),
                  compiled.evaluate(net.parameters, {{"x:0", x}}).at("y")));
}

TEST_CASE("onnx: a model that an opset cannot express leaves the older file as it is") {
  const FileFolder folder;
  const std::string path = folder.write("net.onnx", "an older file");
  Model model;
  model |= Cholesky()({{"input", "x"}, {"output", "y"}});
  const auto compiled = compile(model, cpu(), {.shapes = {{"x", {3, 3}}}, .data_keys = {"x"}});
  CHECK_THROWS_AS(write_onnx(compiled, path), ValueError);
  CHECK(tests::contents(path) == "an older file");
}

TEST_CASE("onnx: the parameters of a file have gradients") {
  const FileFolder folder;
  const OnnxModel net = read_graph(folder, layer_graph());
  const auto compiled = compile(net.model, cpu());
  const auto [outputs, gradients] =
      compiled.evaluate(net.parameters, {{"x:0", Tensor::of<float>({1, 3}, {1, 2, 3})}},
                        TensorMap{{"y", Tensor::of<float>({1, 2}, {1, 1})}});
  // Only the second column is above zero.
  CHECK(identical(gradients.at("a/w.1"), Tensor::of<float>({3, 2}, {0, 1, 0, 2, 0, 3})));
  CHECK(identical(gradients.at("b"), Tensor::of<float>({2}, {0, 1})));
}

TEST_CASE("onnx: the elements of weights are those of the mapped file where they are aligned") {
  const FileFolder folder;
  int shared = 0;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    // A field that Mithril does not read moves the elements.
    const std::string producer = tests::OnnxMessage().text(2, std::string(shift, 'x')).bytes();
    const std::string path =
        folder.write("net.onnx", producer + tests::onnx_file(layer_graph().bytes()));
    const OnnxModel net = read_onnx(path);
    CHECK(identical(net.parameters.at("b"), Tensor::of<float>({2}, {-100, 1})));
    shared += net.parameters.at("b").is_borrowed() ? 1 : 0;
  }
  CHECK(shared == 1);
}

TEST_CASE("onnx: elements that are copied do not stay in memory as pages of the file") {
  const FileFolder folder;
  constexpr std::int64_t count = 1 << 20;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    const std::string producer = tests::OnnxMessage().text(2, std::string(shift, 'x')).bytes();
    const OnnxGraph graph = {
        .nodes = {onnx_node("Mul", {"x", "w"}, {"y"})},
        .initializers = {tests::onnx_floats("w", {count}, std::vector<float>(count, 2))},
        .inputs = {onnx_value("x", {count})},
        .outputs = {onnx_value("y", {count})}};
    const std::string path = folder.write("net.onnx", producer + tests::onnx_file(graph.bytes()));
    const OnnxModel net = read_onnx(path);
    const Tensor w = net.parameters.at("w");
    CHECK(w.values<float>()[count - 1] == 2);
    if (!w.is_borrowed()) CHECK(tests::resident_kilobytes(path) < 1024);
  }
}

TEST_CASE("onnx: shapes that are computed from a size that is not known stay symbolic") {
  const FileFolder folder;
  const OnnxModel net = read_graph(
      folder,
      {.nodes = {onnx_node("Shape", {"x"}, {"shape"}),
                 onnx_node("Gather", {"shape", "zero"}, {"batch"},
                           {tests::onnx_int_attribute("axis", 0)}),
                 onnx_node("Unsqueeze", {"batch", "zeros"}, {"batches"}),
                 onnx_node("Concat", {"batches", "rest"}, {"wanted"},
                           {tests::onnx_int_attribute("axis", 0)}),
                 onnx_node("Reshape", {"x", "wanted"}, {"y"})},
       .initializers = {tests::onnx_ints("zero", {}, {0}), tests::onnx_ints("zeros", {1}, {0}),
                        tests::onnx_ints("rest", {2}, {3, 2})},
       .inputs = {onnx_value("x", {-1, 6})},
       .outputs = {onnx_value("y", {-1, 3, 2})}});
  CHECK(net.model.shape("y") == KnownShape{"N", 3, 2});
  CHECK(net.parameters.empty());
}

TEST_CASE("onnx: powers with a known exponent") {
  const FileFolder folder;
  const std::vector<float> x = {-3, -0.0F, 0.5F, 3};
  for (const float exponent : {2.0F, 3.0F, -1.0F, 0.5F, 0.0F}) {
    const OnnxModel net =
        read_graph(folder, {.nodes = {onnx_node("Pow", {"x", "exponent"}, {"y"})},
                            .initializers = {tests::onnx_floats("exponent", {}, {exponent})},
                            .inputs = {onnx_value("x", {4})},
                            .outputs = {onnx_value("y", {4})}});
    const Tensor y = compile(net.model, cpu())
                         .evaluate(net.parameters, {{"x", Tensor::of<float>({4}, x)}})
                         .at("y");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float expected = std::pow(x[i], exponent), found = y.values<float>()[i];
      CAPTURE(exponent);
      CAPTURE(x[i]);
      const bool is_equal = found == expected || (std::isnan(found) && std::isnan(expected));
      CHECK((is_equal || found == doctest::Approx(expected)));
    }
  }
}

TEST_CASE("onnx: a constant input chooses the branch, and the other one may be wrong") {
  const FileFolder folder;
  const std::string right = OnnxGraph{
      .nodes = {onnx_node("Neg", {"x"}, {"inner"})},
      .outputs = {onnx_value(
          "inner", {2})}}.bytes();
  const std::string wrong = OnnxGraph{
      .nodes = {onnx_node("NoSuchOp", {"x"}, {"other"})},
      .outputs = {onnx_value(
          "other", {2})}}.bytes();
  const OnnxGraph graph{
      .nodes = {onnx_node("Equal", {"sr", "sixteen"}, {"is"}),
                onnx_node("If", {"is"}, {"y"},
                          {tests::onnx_graph_attribute("then_branch", right),
                           tests::onnx_graph_attribute("else_branch", wrong)})},
      .initializers = {tests::onnx_ints("sixteen", {}, {16})},
      .inputs = {onnx_value("x", {2}), onnx_value("sr", {}, onnx::ElementType::int64)},
      .outputs = {onnx_value("y", {2})}};
  OnnxOptions options;
  options.constants["sr"] = Tensor::scalar<std::int64_t>(16);
  const OnnxModel net = read_graph(folder, graph, options);
  CHECK(net.model.input_keys() == std::vector<std::string>{"x"});
  CHECK(folder.error([&] { read_graph(folder, graph); }) ==
        "mithril.ValueError[E1311]: net.onnx: the file cannot be imported\n"
        "  node of other : NoSuchOp (opset 17): no op of Mithril computes it yet\n"
        "  node of y     : If (opset 17): a branch cannot be imported, and its condition 'is' "
        "depends on data; constants= fixes an input of the model, and shapes= its sizes\n"
        "  help: docs/onnx.md lists the ops that can be");
}

TEST_CASE("onnx: all nodes that cannot be imported are in one error") {
  const FileFolder folder;
  const OnnxGraph graph{
      .nodes = {onnx_node("NoSuchOp", {"x"}, {"a"}), onnx_node("Abs", {"a"}, {"b"}),
                onnx_node("OtherOp", {"b"}, {"c"}), onnx_node("Reshape", {"x", "n"}, {"d"}),
                onnx_node("Add", {"c", "d"}, {"y"})},
      .inputs = {onnx_value("x", {2}), onnx_value("n", {1}, onnx::ElementType::int64)},
      .outputs = {onnx_value("y", {2})}};
  CHECK(folder.error([&] { read_graph(folder, graph); }) ==
        "mithril.ValueError[E1311]: net.onnx: the file cannot be imported\n"
        "  node of a : NoSuchOp (opset 17): no op of Mithril computes it yet\n"
        "  node of c : OtherOp (opset 17): no op of Mithril computes it yet\n"
        "  node of d : Reshape (opset 17): its input 'n' has to be known at import; constants= "
        "fixes an input of the model, and shapes= its sizes\n"
        "  help: docs/onnx.md lists the ops that can be");
}

TEST_CASE("onnx: a file of a newer opset is refused") {
  const FileFolder folder;
  CHECK(folder.error([&] { read_graph(folder, layer_graph(), {}, 29); }) ==
        "mithril.ValueError[E1310]: net.onnx: the file has opset 29\n"
        "  expected : at most 28\n"
        "  help: convert the file with onnx.version_converter");
}

TEST_CASE("onnx: options about an input that the file lacks are refused") {
  const FileFolder folder;
  OnnxOptions options;
  options.constants["x"] = Tensor::scalar(1.0F);
  CHECK(folder.error([&] { read_graph(folder, layer_graph(), options); }) ==
        "mithril.NameError[E1312]: there is no input for constants 'x'\n"
        "  known : x:0");
}

TEST_CASE("onnx: a constant that does not fit its input is refused") {
  const FileFolder folder;
  OnnxOptions options;
  options.constants["x:0"] = Tensor::scalar<std::int64_t>(1);
  CHECK(folder.error([&] { read_graph(folder, layer_graph(), options); }) ==
        "mithril.ValueError[E1313]: x:0: this constant does not fit the input\n"
        "  constant : int64[]\n"
        "  input    : float[N, 3]");
}

TEST_CASE("onnx: an output with the name of an input has another name") {
  const FileFolder folder;
  const OnnxModel net =
      read_graph(folder, {.inputs = {onnx_value("x", {2})}, .outputs = {onnx_value("x", {2})}});
  CHECK(net.model.output_keys() == std::vector<std::string>{"x_output"});
  CHECK(net.renamed == std::map<std::string, std::string>{{"x_output", "x"}});
}

TEST_CASE("onnx: sizes of an option replace those of the file") {
  const FileFolder folder;
  const OnnxGraph graph{.nodes = {onnx_node("Abs", {"x"}, {"y"})},
                        .inputs = {onnx_value("x", {2, 3})},
                        .outputs = {onnx_value("y", {2, 3})}};
  const OnnxModel net = read_graph(folder, graph, {.shapes = {{"x", {4, "C"}}}});
  CHECK(net.model.shape("y") == KnownShape{4, "C"});
}

TEST_CASE("onnx: an input that nothing reads stays an input") {
  const FileFolder folder;
  const OnnxModel net =
      read_graph(folder, {.nodes = {onnx_node("Abs", {"x"}, {"y"})},
                          .inputs = {onnx_value("x", {2}), onnx_value("unused", {2})},
                          .outputs = {onnx_value("y", {2})}});
  CHECK(net.model.input_keys() == std::vector<std::string>{"x", "unused"});
  const auto compiled = compile(net.model, cpu());
  const Tensor x = Tensor::of<float>({2}, {-1, 2});
  const auto outputs = compiled.evaluate(net.parameters, {{"x", x}, {"unused", x}});
  CHECK(identical(outputs.at("y"), Tensor::of<float>({2}, {1, 2})));
}

TEST_CASE("onnx: values have the dtypes of their element types on a backend of float32") {
  const FileFolder folder;
  const auto run = [&](onnx::ElementType type, const Tensor& x) {
    const OnnxModel net = read_graph(folder, {.nodes = {onnx_node("Add", {"x", "x"}, {"y"})},
                                              .inputs = {onnx_value("x", {2}, type)},
                                              .outputs = {onnx_value("y", {2}, type)}});
    return compile(net.model, cpu()).evaluate({}, {{"x", x}}).at("y");
  };
  CHECK(identical(run(onnx::ElementType::float64, Tensor::of<double>({2}, {0.1, 2})),
                  Tensor::of<double>({2}, {0.2, 4})));
  CHECK(identical(run(onnx::ElementType::int32, Tensor::of<std::int32_t>({2}, {5, -1})),
                  Tensor::of<std::int32_t>({2}, {10, -2})));
  CHECK(identical(run(onnx::ElementType::uint8, Tensor::of<std::uint8_t>({2}, {200, 1})),
                  Tensor::of<std::uint8_t>({2}, {144, 2})));
}

TEST_CASE("onnx: the elements of a sequence are inputs and outputs") {
  const FileFolder folder;
  const OnnxGraph graph{.nodes = {onnx_node("SequenceInsert", {"s", "x"}, {"t"})},
                        .inputs = {tests::onnx_sequence("s"), onnx_value("x", {2})},
                        .outputs = {tests::onnx_sequence("t")}};
  const OnnxModel net =
      read_graph(folder, graph, {.shapes = {{"s.0", {1}}}, .lengths = {{"s", 1}}});
  CHECK(net.model.input_keys() == std::vector<std::string>{"s.0", "x"});
  CHECK(net.lengths == decltype(net.lengths){{"t", 2}});
  const Tensor first = Tensor::of<float>({1}, {3}), x = Tensor::of<float>({2}, {-1, 2});
  const auto outputs = compile(net.model, cpu()).evaluate({}, {{"s.0", first}, {"x", x}});
  CHECK(identical(outputs.at("t.0"), first));
  CHECK(identical(outputs.at("t.1"), x));
  CHECK_THROWS_WITH_AS(read_graph(folder, graph, {.lengths = {{"x", 1}}}),
                       "mithril.ValueError[E1390]: x: this length does not fit the input\n"
                       "  length : 1\n"
                       "  input  : a tensor of float[2]\n"
                       "  help: a sequence has 0 to 1000 elements, and only an optional has none",
                       Error);
}

TEST_CASE("onnx: an output whose size depends on data has a count") {
  const FileFolder folder;
  const OnnxModel net =
      read_graph(folder, {.nodes = {onnx_node("NonZero", {"x"}, {"y"})},
                          .inputs = {onnx_value("x", {-1})},
                          .outputs = {onnx_value("y", {1, -1}, onnx::ElementType::int64)}});
  CHECK(net.counts == decltype(net.counts){{"y", 1}});
  const auto compiled = compile(net.model, cpu());
  for (const std::vector<float>& x : {std::vector<float>{0, 3, 0, -1}, {1, 0}}) {
    const auto outputs = compiled.evaluate({}, {{"x", Tensor::of(x)}});
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != 0) places.push_back(static_cast<std::int64_t>(i));
    CHECK(outputs.at("y.count").values<std::int64_t>()[0] ==
          static_cast<std::int64_t>(places.size()));
    const auto found = outputs.at("y").values<std::int64_t>();
    CHECK(std::equal(places.begin(), places.end(), found.begin()));
  }
}

}  // namespace mithril
