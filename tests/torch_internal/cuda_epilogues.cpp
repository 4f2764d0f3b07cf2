// The operators of torch that fuse a product with what follows it on a GPU. They are found without
// one.
#include "backends/torch/rewrite/cuda_epilogues.hpp"

#include "backends/torch/program/program.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/torch_internal/doctest.hpp"

namespace mithril::tests {
namespace {

using Names = std::vector<std::string>;

Names operators(const Graph& graph) {
  std::vector<Tensor> given;
  for (const ValueId id : graph.inputs()) {
    Dims dims;
    for (const Dim& dim : graph.value(id).dims) dims.push_back(dim.constant());
    given.emplace_back(graph.value(id).dtype, dims);
  }
  const auto program = torch_backend::lower(graph, make_plan(graph, SizeSources(graph), given),
                                            {c10::Device("cuda:0")});
  Names names;
  for (const auto& node : program.nodes) {
    for (const auto& operator_call : node.calls)
      names.push_back(operator_call.call.op.schema().name());
  }
  return names;
}

struct Network {
  Graph graph;
  DType dtype = DType::float32;

  ValueId input(const char* name, std::vector<Dim> dims) {
    return graph.add_input({.name = name, .dims = std::move(dims), .dtype = dtype});
  }
  ValueId add(const char* op, std::vector<Argument> arguments, const char* name) {
    return graph.add(find_op(op), std::move(arguments), name).front();
  }
  ValueId linear(std::vector<Dim> dims, bool has_bias = true) {
    const ValueId x = input("x", std::move(dims)), w = input("w", {Dim(5), Dim(4)});
    const Argument bias = has_bias ? Argument(input("b", {Dim(5)})) : Argument(None{});
    return add("linear", {x, w, bias}, "h");
  }
  ValueId convolution() {
    const ValueId x = input("x", {Dim(2), Dim(3), Dim(8), Dim(8)}),
                  w = input("w", {Dim(4), Dim(3), Dim(3), Dim(3)});
    Node node{.op = &find_op("conv2d")};
    std::vector<Argument> arguments{x, w};
    for (size_t i = 2; i < node.op->inputs.size(); ++i)
      arguments.emplace_back(*node.op->inputs[i].fallback);
    return add("conv2d", std::move(arguments), "h");
  }
  Names fused(ValueId output) {
    graph.add_output("y", output);
    return operators(torch_backend::use_cuda_epilogues(graph, nullptr));
  }
};

}  // namespace

TEST_CASE("activations become epilogues of linear maps") {
  Network two;
  CHECK((two.fused(two.add("relu", {two.linear({Dim(3), Dim(4)})}, "y")) ==
         Names{"aten::t", "aten::_addmm_activation"}));
  Network three;
  CHECK(
      (three.fused(three.add("gelu", {three.linear({Dim(2), Dim(3), Dim(4)}), Datum(true)}, "y")) ==
       Names{"aten::reshape", "aten::t", "aten::_addmm_activation", "aten::reshape"}));
}

TEST_CASE("relu and sums become epilogues of convolutions") {
  Network alone;
  CHECK(alone.fused(alone.add("relu", {alone.convolution()}, "y")) ==
        Names{"aten::cudnn_convolution_relu"});
  Network sum;
  const ValueId z = sum.input("z", {Dim(2), Dim(4), Dim(6), Dim(6)});
  const ValueId added = sum.add("add", {z, sum.convolution()}, "s");
  CHECK(sum.fused(sum.add("relu", {added}, "y")) == Names{"aten::cudnn_convolution_add_relu"});
}

TEST_CASE("a product stays alone where its result is read, or the epilogue does not fit") {
  Network read;
  const ValueId h = read.linear({Dim(3), Dim(4)});
  read.graph.add_output("h", h);
  CHECK((read.fused(read.add("relu", {h}, "y")) == Names{"aten::linear", "aten::relu"}));
  Network exact;
  CHECK((exact.fused(exact.add("gelu", {exact.linear({Dim(3), Dim(4)}), Datum(false)}, "y")) ==
         Names{"aten::linear", "aten::gelu"}));
  Network without_bias;
  const ValueId product = without_bias.linear({Dim(3), Dim(4)}, false);
  CHECK((without_bias.fused(without_bias.add("relu", {product}, "y")) ==
         Names{"aten::linear", "aten::relu"}));
  Network wide;
  wide.dtype = DType::float64;
  CHECK((wide.fused(wide.add("relu", {wide.linear({Dim(3), Dim(4)})}, "y")) ==
         Names{"aten::linear", "aten::relu"}));
}

}  // namespace mithril::tests
