#include "backends/torch/rewrite/onednn_ops.hpp"

#include "mithril/base/error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/spelling.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril::torch_backend {
namespace {

// The fewest multiplications and additions for which a call of oneDNN pays off, measured with
// unpacked weights (benchmarks/torch_products.py).
constexpr double min_onednn_operations = 5e7;

double operations(const Dims& rows, int64_t columns) {
  double count = 2.0 * static_cast<double>(columns);
  for (const int64_t size : rows) count *= static_cast<double>(size);
  return count;
}

std::string string_literal(const std::string& text) { return '"' + text + '"'; }

bool has_addend(const SpellingContext& c) { return !c.dims("addend").empty(); }

// The arguments after the geometry, without an addend.
std::vector<std::string> spelled_activation(const SpellingContext& c) {
  const std::string& algorithm = c.value("algorithm").text();
  return {string_literal(c.value("activation").text()), "[]",
          algorithm.empty() ? "None" : string_literal(algorithm)};
}

std::string spell_linear(const SpellingContext& c) {
  const double count = operations(c.dims("input"), c.dims("weight")[0]);
  if (!c.value("packed").flag() && count < min_onednn_operations) {
    return "aten::linear(input, weight, bias)";
  }
  const char* op = "mkldnn::_linear_pointwise";
  if (has_addend(c))
    return spell_call(op, {"input", "addend", "weight", "bias", string_literal("add")});
  std::vector<std::string> arguments{"input", "weight", "bias"};
  for (std::string& argument : spelled_activation(c)) arguments.push_back(std::move(argument));
  return spell_call(op, arguments);
}

std::string spell_conv2d(const SpellingContext& c) {
  const auto [input, padding] = spelled_convolution(c);
  std::vector<std::string> arguments{input};
  if (has_addend(c)) arguments.emplace_back("addend");
  for (std::string argument :
       {std::string("weight"), std::string("bias"), padding, spell_pair(c.value("stride")),
        spell_pair(c.value("dilation")), std::string("groups")}) {
    arguments.push_back(std::move(argument));
  }
  if (has_addend(c)) {
    const std::string& activation = c.value("activation").text();
    const std::string last = activation == "none" ? "None" : string_literal(activation);
    arguments.insert(arguments.end(), {string_literal("add"), "None", last, "[]", "None"});
  } else {
    for (std::string& argument : spelled_activation(c)) arguments.push_back(std::move(argument));
  }
  return spell_call("mkldnn::_convolution_pointwise", arguments);
}

std::string spell_product(const std::string& left, const std::string& right) {
  return spell_call("mkldnn::_linear_pointwise", {left, spell_call("aten::t", {right}), "None",
                                                  string_literal("none"), "[]", "None"});
}

std::string spell_matmul(const SpellingContext& c) {
  if (operations(c.dims("left"), c.dims("right")[1]) < min_onednn_operations) {
    return "aten::matmul(left, right)";
  }
  return spell_product("left", "right");
}

// Moves axis 1 to the front and merges the other axes.
std::string spell_channel_rows(const std::string& tensor, const Dims& dims) {
  return spell_reshape(spell_call("aten::transpose", {tensor, "0", "1"}), dims);
}

// If the weight is large and there are few positions, torch's kernel takes up to ten times as long
// as the GEMM of the gradient and the windows of the input.
std::string spell_conv2d_weight_grad(const SpellingContext& c) {
  const Dims &grad = c.dims("grad"), &weight = c.dims("weight");
  const int64_t places = grad[0] * grad[2] * grad[3], window = weight[1] * weight[2] * weight[3];
  if (places == 0 || window == 0 || grad[1] < 2 * places || c.integer("groups") != 1) {
    return spell_convolution_weight_gradient(c);
  }
  const auto [input, padding] = spelled_convolution(c);
  const std::string windows = spell_call(
      "aten::im2col", {input, to_string(Dims{weight[2], weight[3]}),
                       spell_pair(c.value("dilation")), padding, spell_pair(c.value("stride"))});
  const std::string left = spell_channel_rows("grad", {grad[1], places});
  const std::string right = spell_call("aten::t", {spell_channel_rows(windows, {window, places})});
  return spell_reshape(spell_product(left, right), weight);
}

OpDef derived(const char* from, std::string (*spell)(const SpellingContext&)) {
  OpDef op = find_op(from);
  op.spell = {{"torch", "oneDNN's kernel where it is faster", spell}};
  return op;
}

OpDef product(const char* from, const char* shape, std::string (*spell)(const SpellingContext&)) {
  OpDef op = derived(from, spell);
  // The record's own eval does not know the additional ports.
  op.eval = [](EvalContext& c) { MITHRIL_CHECK(false, c.op_name() + " for torch alone ran here"); };
  op.inputs.push_back(optional("addend", shape, "float"));
  for (const char* port : {"activation", "algorithm"}) op.inputs.push_back(value(port, "str"));
  op.inputs.push_back(value("packed", "bool"));
  compile_patterns(op);
  return op;
}

Datum pair(int64_t first, int64_t second) { return Datum::ints({first, second}); }

// The geometry that the node's spelling passes to the kernel; the layout may depend on it.
std::vector<Datum> geometry(const Node& node) {
  const auto of = [&](const char* port) -> const Datum& {
    return std::get<Datum>(node.arguments[node.argument_index(port)]);
  };
  std::vector<Datum> found;
  int64_t padding[2];
  for (const size_t axis : {0, 1}) {
    const auto [before, after] = padding_of(of("padding"), axis, 2);
    padding[axis] = same(before, after) ? resolve(before).constant() : 0;
  }
  found.push_back(pair(padding[0], padding[1]));
  for (const char* port : {"stride", "dilation"}) {
    found.push_back(pair(per_axis(of(port), 0).integer(), per_axis(of(port), 1).integer()));
  }
  found.push_back(of("groups"));
  return found;
}

}  // namespace

const OpDef& onednn_linear() {
  static const OpDef op = product("linear", "*n M O", spell_linear);
  return op;
}

const OpDef& onednn_conv2d() {
  static const OpDef op = product("conv2d", "N Co Ho Wo", spell_conv2d);
  return op;
}

const OpDef& onednn_matmul() {
  static const OpDef op = derived("matmul", spell_matmul);
  return op;
}

const OpDef& onednn_conv2d_weight_grad() {
  static const OpDef op = derived("conv2d_weight_grad", spell_conv2d_weight_grad);
  return op;
}

std::vector<Packing> packings(const Graph& graph) {
  std::vector<Packing> found;
  for (const Node& node : graph.nodes()) {
    const bool linear = node.op == &onednn_linear();
    if (!linear && node.op != &onednn_conv2d()) continue;
    if (!std::get<Datum>(node.arguments[node.argument_index("packed")]).flag()) continue;
    const ValueId weight = *tensor_of(node.arguments[node.argument_index("weight")]);
    found.push_back(linear
                        ? Packing{weight, "mkldnn::_reorder_linear_weight", {}}
                        : Packing{weight, "mkldnn::_reorder_convolution_weight", geometry(node)});
  }
  return found;
}

}  // namespace mithril::torch_backend
