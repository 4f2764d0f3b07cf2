#include "mithril/compile/training_graph.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace mithril {
namespace {

// No value's name begins with it.
std::string free_scope(const Graph& graph) {
  std::string scope = "optimizer";
  const auto taken = [&](const Value& value) { return value.name.starts_with(scope + "."); };
  while (std::any_of(graph.values().begin(), graph.values().end(), taken)) scope += "_";
  return scope;
}

Expression cast(const Expression& value, DType dtype) {
  return value.dtype() == dtype ? value : call("cast", {value, Datum(dtype)});
}

// The 2-norm of all gradients together, in the widest of their dtypes.
Expression norm_of(const std::vector<Expression>& gradients) {
  const auto is_wide = [](const Expression& each) { return each.dtype() == DType::float64; };
  const bool wide = std::any_of(gradients.begin(), gradients.end(), is_wide);
  const DType dtype = wide ? DType::float64 : DType::float32;
  const auto sum_of_squares = [&](const Expression& gradient) {
    return cast(call("sum", {gradient * gradient}), dtype);
  };
  Expression total = sum_of_squares(gradients.front());
  for (size_t i = 1; i < gradients.size(); ++i) total = total + sum_of_squares(gradients[i]);
  return call("sqrt", {total});
}

class Appending {
 public:
  Appending(TrainingGraph& training, const Optimizer& optimizer)
      : training_(training),
        graph_(training.graph),
        optimizer_(optimizer),
        prefix_(free_scope(graph_) + "."),
        gradients_scope_(prefix_ + "gradients") {}

  // Adds a parameter and its gradient, in the state_dtype of the parameter.
  void add(size_t parameter, ValueId gradient) {
    const Value& param = graph_.value(graph_.inputs()[parameter]);
    if (!is_floating(param.dtype)) {
      raise({.kind = ErrorKind::type,
             .code = "E0382",
             .message = "an optimizer moves floating-point parameters only",
             .facts = {{param.name, std::string(name(param.dtype))}}});
    }
    parameters_.push_back(parameter);
    const DType state = state_dtype(param.dtype);
    gradients_.push_back(cast({&graph_, gradient, &gradients_scope_}, state));
  }

  void clip(const TrainingOptions& options) {
    if (options.max_value) {
      for (Expression& gradient : gradients_) {
        gradient = call("clamp", {gradient, -*options.max_value, *options.max_value});
      }
    }
    if (!options.max_norm || gradients_.empty()) return;
    const Expression norm = norm_of(gradients_);
    const Expression ratio = call("divide", {*options.max_norm, norm + 1e-6});
    const Expression factor = call("clamp", {ratio, Datum(), 1.0});
    for (Expression& gradient : gradients_) gradient = gradient * cast(factor, gradient.dtype());
  }

  void update() {
    for (size_t i = 0; i < parameters_.size(); ++i) update(i);
  }

 private:
  void update(size_t i) {
    const size_t parameter = parameters_[i];
    const Value param = graph_.value(graph_.inputs()[parameter]);
    const std::string scope = prefix_ + param.name;
    const auto expression = [&](ValueId id) { return Expression{&graph_, id, &scope}; };
    const DType state = state_dtype(param.dtype);
    GraphMove move{.param = cast(expression(graph_.inputs()[parameter]), state),
                   .gradient = gradients_[i]};
    const size_t numbers = optimizer_.numbers(1).size();
    for (size_t n = 0; n < numbers; ++n) {
      move.numbers.push_back(expression(
          graph_.add_input({.name = scope + ".number_" + std::to_string(n), .dtype = state})));
    }
    std::vector<size_t> moved{parameter};
    for (const std::string& slot : optimizer_.slot_names()) {
      Value value = param;
      value.name = scope + "." + slot;
      value.dtype = state;
      moved.push_back(graph_.inputs().size());
      move.slots.push_back(expression(graph_.add_input(std::move(value))));
    }
    optimizer_.add_to_graph(move);
    std::vector<Expression> made{cast(move.param, param.dtype)};
    made.insert(made.end(), move.slots.begin(), move.slots.end());
    for (size_t n = 0; n < made.size(); ++n) {
      training_.donations.push_back({graph_.outputs().size(), moved[n]});
      graph_.add_output(graph_.value(graph_.inputs()[moved[n]]).name + ".next", made[n].id);
    }
  }

  TrainingGraph& training_;
  Graph& graph_;
  const Optimizer& optimizer_;
  const std::string prefix_;
  const std::string gradients_scope_;
  std::vector<size_t> parameters_;
  std::vector<Expression> gradients_;
};

}  // namespace

TrainingGraph training_graph(Graph gradients, const std::vector<size_t>& parameters,
                             const Optimizer& optimizer, const TrainingOptions& options) {
  TrainingGraph training{.graph = std::move(gradients)};
  Graph& graph = training.graph;
  const size_t kept = graph.outputs().size() - parameters.size();
  std::vector<ValueId> of;
  for (size_t i = 0; i < parameters.size(); ++i) of.push_back(graph.outputs()[kept + i].value);
  graph.keep_outputs(kept);
  Appending appending(training, optimizer);
  for (size_t i = 0; i < parameters.size(); ++i) appending.add(parameters[i], of[i]);
  appending.clip(options);
  appending.update();
  return training;
}

}  // namespace mithril
