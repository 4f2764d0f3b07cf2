// Steps of optimizers: the domain ai.onnx.preview.training.
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

// The tensors of one variable: its value, its gradient and its slots.
using VariableTensors = std::vector<Connection>;

// Inputs 0 and 1 are the learning rate and the number of steps before this one. The others are the
// values of all variables, their gradients, and each slot of all variables. The step returns the
// next value of a variable and its next slots, which the outputs have in the same order.
template <typename Step>
Outputs stepped(const NodeContext& node, std::size_t slots, const Step& step) {
  const std::size_t inputs = slots + 2, outputs = slots + 1;
  if (node.count() < 2 + inputs || (node.count() - 2) % inputs != 0) {
    refuse("it has " + std::to_string(node.count()) + " inputs, expected 2 and " +
           std::to_string(inputs) + " for each variable");
  }
  const std::size_t count = (node.count() - 2) / inputs;
  Outputs made(outputs * count);
  for (std::size_t i = 0; i < count; ++i) {
    const ElementType type = node.type(2 + i);
    VariableTensors variable;
    for (std::size_t k = 0; k < inputs; ++k) variable.push_back(node[2 + k * count + i]);
    const VariableTensors next = step(variable, converted(node[0], type), converted(node[1], type));
    for (std::size_t k = 0; k < outputs; ++k) made[k * count + i] = Value(next[k], type);
  }
  return made;
}

// The gradient of the loss and of half the squared norm of the variable.
Connection regularized(const NodeContext& node, const VariableTensors& variable) {
  const double norm = node.real("norm_coefficient", 0.0);
  return norm == 0.0 ? variable[1] : variable[0] * norm + variable[1];
}

Outputs momentum(const NodeContext& node) {
  const std::string mode = node.text("mode");
  if (mode != "standard" && mode != "nesterov") refuse("its mode is " + mode);
  const double alpha = node.real("alpha"), beta = node.real("beta");
  return stepped(node, 1,
                 [&](const VariableTensors& v, const Connection& rate, const Connection& steps) {
                   const Connection gradient = regularized(node, v);
                   // 1 in the first step.
                   const Connection scale = apply("minimum", {steps, 1.0}) * (beta - 1.0) + 1.0;
                   const Connection next = v[2] * alpha + scale * gradient;
                   const Connection direction = mode == "standard" ? next : gradient + next * alpha;
                   return VariableTensors{v[0] - rate * direction, next};
                 });
}

Outputs adagrad(const NodeContext& node) {
  const double decay = node.real("decay_factor", 0.0), epsilon = node.real("epsilon", 1e-6);
  return stepped(node, 1,
                 [&](const VariableTensors& v, const Connection& rate, const Connection& steps) {
                   const Connection gradient = regularized(node, v);
                   const Connection squares = v[2] + squared(gradient);
                   const Connection own_rate = rate / (steps * decay + 1.0);
                   return VariableTensors{
                       v[0] - own_rate * gradient / (apply("sqrt", {squares}) + epsilon), squares};
                 });
}

Outputs adam(const NodeContext& node) {
  const double alpha = node.real("alpha", 0.9), beta = node.real("beta", 0.999);
  const double epsilon = node.real("epsilon", 1e-6);
  const double kept = 1.0 - node.real("norm_coefficient_post", 0.0);
  return stepped(
      node, 2, [&](const VariableTensors& v, const Connection& rate, const Connection& steps) {
        const Connection gradient = regularized(node, v);
        const Connection mean = v[2] * alpha + gradient * (1.0 - alpha);
        const Connection squares = v[3] * beta + squared(gradient) * (1.0 - beta);
        const Connection corrected = rate * apply("sqrt", {1.0 - apply("power", {beta, steps})}) /
                                     (1.0 - apply("power", {alpha, steps}));
        const Connection own_rate = selected(steps > 0.0, corrected, rate);
        const Connection next = v[0] - own_rate * mean / (apply("sqrt", {squares}) + epsilon);
        return VariableTensors{kept == 1.0 ? next : next * kept, mean, squares};
      });
}

OpRow of_training(OpRow row) {
  row.domain = "ai.onnx.preview.training";
  return row;
}

}  // namespace

std::vector<OpRow> training_rows() {
  return {
      of_training({"Adagrad", 1, adagrad, "Multiply, Sqrt, Divide"}),
      of_training({"Adam", 1, adam, "Multiply, Sqrt, Power, Divide"}),
      of_training({"Momentum", 1, momentum, "Multiply, Where"}),
  };
}

}  // namespace mithril::onnx
