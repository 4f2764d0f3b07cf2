// Losses.
#include <optional>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

// -weight[target] log_probability[target], reduced as the attribute says.
Connection likelihood_loss(const NodeContext& node, const Connection& log_probabilities) {
  const std::string reduction = node.text("reduction", "mean");
  Connection target = node[1], counted;
  std::optional<Connection> weight;
  const bool ignores = node.attribute("ignore_index") != nullptr;
  if (ignores) {
    counted = target.ne(node.integer("ignore_index"));
    target = selected(counted, target, apply("zeros_like", {target}));
  }
  if (node.has(2)) weight = apply("gather", {node[2], target, 0});
  if (ignores) {
    const Connection ones = converted(counted, node.type());
    weight = weight ? *weight * ones : ones;
  }
  Connection loss = -apply("pick_class", {log_probabilities, target});
  if (ignores) loss = selected(counted, loss, apply("zeros_like", {loss}));
  if (weight) loss = loss * *weight;
  if (reduction == "none") return loss;
  if (reduction == "sum") return loss.sum();
  if (reduction != "mean") refuse("its reduction is " + reduction);
  return weight ? loss.sum() / weight->sum() : loss.mean();
}

Outputs negative_log_likelihood(const NodeContext& node) {
  return {likelihood_loss(node, node[0])};
}

Outputs softmax_cross_entropy(const NodeContext& node) {
  const Connection logs = apply("log_softmax", {node[0], 1});
  return {likelihood_loss(node, logs), logs};
}

}  // namespace

std::vector<OpRow> loss_rows() {
  return {
      of_floats({"NegativeLogLikelihoodLoss", 12, negative_log_likelihood, "PickClass, Gather"}),
      of_floats(
          {"SoftmaxCrossEntropyLoss", 12, softmax_cross_entropy, "LogSoftmax, PickClass, Gather"}),
  };
}

}  // namespace mithril::onnx
