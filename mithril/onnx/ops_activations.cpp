// Functions of one element that networks use between their layers.
#include <limits>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Outputs plain(const NodeContext& node, const char* op) { return {apply(op, {node[0]})}; }

Outputs relu(const NodeContext& node) { return plain(node, "relu"); }
Outputs sigmoid(const NodeContext& node) { return plain(node, "sigmoid"); }
Outputs tanh(const NodeContext& node) { return plain(node, "tanh"); }
Outputs softplus(const NodeContext& node) { return plain(node, "softplus"); }

Outputs softsign(const NodeContext& node) { return {node[0] / (node[0].abs() + 1.0)}; }

Outputs leaky_relu(const NodeContext& node) {
  return {apply("leaky_relu", {node[0], node.real("alpha", 0.01)})};
}

// alpha (exp(x / width) - 1) below zero, and gamma x above.
Connection exponential_unit(const Connection& x, double gamma, double alpha, double width = 1.0) {
  const Connection below = apply("expm1", {apply("minimum", {x, 0.0}) / width}) * alpha;
  return selected(x > 0.0, x, below) * gamma;
}

Outputs elu(const NodeContext& node) {
  return {exponential_unit(node[0], 1.0, node.real("alpha", 1.0))};
}

Outputs celu(const NodeContext& node) {
  const double alpha = node.real("alpha", 1.0);
  return {exponential_unit(node[0], 1.0, alpha, alpha)};
}

Outputs selu(const NodeContext& node) {
  return {exponential_unit(node[0], node.real("gamma", 1.0507010221481323),
                           node.real("alpha", 1.6732631921768188))};
}

Outputs prelu(const NodeContext& node) {
  const Connection x = node[0];
  Connection slope = node[1];
  // Before opset 7 a slope of one axis belonged to the channels.
  const bool is_of_channels = node.opset() < 7 && node.rank(1) == 1 && node.rank(0) > 2;
  if (is_of_channels) slope = expanded(slope, range_to(node.rank(0) - 1, 1));
  return {selected(x >= 0.0, x, x * slope)};
}

Outputs thresholded_relu(const NodeContext& node) {
  return {selected(node[0] > node.real("alpha", 1.0), node[0], 0.0)};
}

Connection hard_sigmoid(const Connection& x, double alpha, double beta) {
  return (x * alpha + beta).clamp(0.0, 1.0);
}

Outputs hard_sigmoid_of(const NodeContext& node) {
  return {hard_sigmoid(node[0], node.real("alpha", 0.2), node.real("beta", 0.5))};
}

Outputs hard_swish(const NodeContext& node) {
  return {node[0] * hard_sigmoid(node[0], 1.0 / 6.0, 0.5)};
}

Outputs mish(const NodeContext& node) {
  return {node[0] * apply("tanh", {apply("softplus", {node[0]})})};
}

Outputs gelu(const NodeContext& node) {
  return {apply("gelu", {node[0], node.text("approximate", "none") == "tanh"})};
}

Outputs gelu_of_microsoft(const NodeContext& node) { return {apply("gelu", {node[0], false})}; }

// gelu(x + bias). FastGelu is the approximation by tanh, and may leave out the bias.
Outputs bias_gelu(const NodeContext& node) { return {apply("gelu", {node[0] + node[1], false})}; }

Outputs fast_gelu(const NodeContext& node) {
  return {apply("gelu", {node.has(1) ? node[0] + node[1] : node[0], true})};
}

Outputs quick_gelu(const NodeContext& node) {
  return {node[0] * apply("sigmoid", {node[0] * node.real("alpha", 1.702)})};
}

Connection swish_of(const NodeContext& node) {
  const double alpha = node.real("alpha", 1.0);
  return node[0] * apply("sigmoid", {alpha == 1.0 ? node[0] : node[0] * alpha});
}

Outputs swish(const NodeContext& node) { return {swish_of(node)}; }

Outputs swi_glu(const NodeContext& node) { return {swish_of(node) * node[1]}; }

Outputs shrink(const NodeContext& node) {
  const double lambd = node.real("lambd", 0.5), bias = node.real("bias", 0.0);
  const Connection x = node[0];
  const Connection inner = selected(x > lambd, x - bias, x * 0);
  return {converted(selected(x < -lambd, x + bias, inner), node.type())};
}

// Limits are attributes before opset 11, and inputs later.
Outputs clip(const NodeContext& node) {
  if (node.opset() < 11) {
    constexpr double largest = std::numeric_limits<float>::max();
    return {node[0].clamp(node.real("min", -largest), node.real("max", largest))};
  }
  Connection x = node[0];
  const bool is_number = (!node.has(1) || node.is_known(1)) && (!node.has(2) || node.is_known(2));
  if (!is_number || is_int(node.type())) {
    if (node.has(1)) x = apply("maximum", {x, node[1]});
    return {node.has(2) ? apply("minimum", {x, node[2]}) : x};
  }
  const auto limit = [&](std::size_t i) {
    return node.has(i) ? Binding(node.number(i)) : Binding(none);
  };
  const bool is_low_above = node.has(1) && node.has(2) && node.number(1) > node.number(2);
  if (is_low_above) return {apply("minimum", {apply("maximum", {x, node[1]}), node[2]})};
  return {x.clamp(limit(1), limit(2))};
}

// The reduction over the flattened axes from `axis` on.
Outputs flat_softmax(const NodeContext& node, const char* op) {
  const std::size_t rank = node.rank();
  const auto axis = static_cast<std::size_t>(node.axis(node.integer("axis", 1), rank));
  if (axis + 1 == rank) return {apply(op, {node[0], -1})};
  const std::vector<Size> sizes = node.sizes();
  const Connection flat = reshaped(node[0], part_of(sizes, 0, axis) + std::vector<Size>{-1});
  return {reshaped(apply(op, {flat, -1}), sizes)};
}

Outputs softmax_1(const NodeContext& node) { return flat_softmax(node, "softmax"); }
Outputs log_softmax_1(const NodeContext& node) { return flat_softmax(node, "log_softmax"); }
Outputs softmax(const NodeContext& node) {
  return {apply("softmax", {node[0], node.integer("axis", -1)})};
}
Outputs log_softmax(const NodeContext& node) {
  return {apply("log_softmax", {node[0], node.integer("axis", -1)})};
}

// 1 at the first largest element.
Connection one_hot_largest(const Connection& x, std::int64_t axis, const Size& size,
                           std::size_t rank) {
  const Connection largest = apply("argmax", {x, axis, true});
  const Connection places =
      expanded(positions_to(size), range_to(rank - static_cast<std::size_t>(axis), 1));
  return selected(places.eq(largest), 1.0, apply("zeros_like", {x}));
}

Outputs hardmax(const NodeContext& node) {
  const std::size_t rank = node.rank();
  const std::int64_t axis = node.axis(node.integer("axis", node.opset() < 13 ? 1 : -1), rank);
  const std::vector<Size> sizes = node.sizes();
  const auto at = static_cast<std::size_t>(axis);
  if (node.opset() >= 13 || at + 1 == rank)
    return {one_hot_largest(node[0], axis, sizes[at], rank)};
  const std::vector<Size> flat{product_of(part_of(sizes, 0, at)),
                               product_of(part_of(sizes, at, rank))};
  return {reshaped(one_hot_largest(reshaped(node[0], flat), 1, flat[1], 2), sizes)};
}

}  // namespace

std::vector<OpRow> activation_rows() {
  return {
      of_microsoft(of_floats({"BiasGelu", 1, bias_gelu, "Add, Gelu"})),
      of_floats({"Celu", 12, celu, "Expm1, Where"}),
      {"Clip", 1, clip, "Clamp"},
      of_floats({"Elu", 1, elu, "Expm1, Where"}),
      of_microsoft(of_floats({"FastGelu", 1, fast_gelu, "Add, Gelu"})),
      of_microsoft(of_floats({"Gelu", 1, gelu_of_microsoft, "Gelu"})),
      of_floats({"Gelu", 20, gelu, "Gelu"}),
      of_floats({"HardSigmoid", 1, hard_sigmoid_of, "Clamp of a line"}),
      of_floats({"HardSwish", 14, hard_swish, "Clamp of a line, Multiply"}),
      of_floats({"Hardmax", 1, hardmax, "ArgMax, Equal, Where"}),
      of_floats({"LeakyRelu", 1, leaky_relu, "LeakyRelu"}),
      of_floats({"LogSoftmax", 1, log_softmax_1, "LogSoftmax"}),
      of_floats({"LogSoftmax", 13, log_softmax, "LogSoftmax"}),
      of_floats({"Mish", 18, mish, "Softplus, Tanh, Multiply"}),
      {"PRelu", 1, prelu, "Where"},
      of_microsoft(of_floats({"QuickGelu", 1, quick_gelu, "Sigmoid, Multiply"})),
      {"Relu", 1, relu, "Relu"},
      of_floats({"Selu", 1, selu, "Expm1, Where"}),
      {"Shrink", 9, shrink, "Where"},
      of_floats({"Sigmoid", 1, sigmoid, "Sigmoid"}),
      of_floats({"Softmax", 1, softmax_1, "Softmax"}),
      of_floats({"Softmax", 13, softmax, "Softmax"}),
      of_floats({"Softplus", 1, softplus, "Softplus"}),
      of_floats({"Softsign", 1, softsign, "Absolute, Divide"}),
      of_floats({"SwiGLU", 28, swi_glu, "Sigmoid, Multiply"}),
      of_floats({"Swish", 24, swish, "Sigmoid, Multiply"}),
      of_floats({"Tanh", 1, tanh, "Tanh"}),
      of_floats({"ThresholdedRelu", 10, thresholded_relu, "Where"}),
  };
}

}  // namespace mithril::onnx
