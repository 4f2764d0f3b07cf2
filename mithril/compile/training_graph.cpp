#include "mithril/compile/training_graph.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace mithril {
namespace {

// A prefix that no value's name has.
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

class GraphAppender {
 public:
  GraphAppender(TrainingGraph& training, const Optimizer& optimizer)
      : training_(training),
        graph_(training.graph),
        optimizer_(optimizer),
        prefix_(free_scope(graph_) + "."),
        gradients_scope_(prefix_ + "gradients") {}

  // Adds a parameter and its gradient, in the opmath_dtype of the parameter.
  void add(const TrainedParameter& parameter, ValueId gradient) {
    const Value& param = graph_.value(graph_.inputs()[parameter.input]);
    if (!is_floating(param.dtype)) {
      raise({.kind = ErrorKind::type,
             .code = "E0382",
             .message = "an optimizer moves floating-point parameters only",
             .facts = {{param.name, std::string(name(param.dtype))}}});
    }
    parameters_.push_back(parameter);
    const DType state = opmath_dtype(param.dtype);
    gradients_.push_back(cast({&graph_, gradient, &gradients_scope_}, state));
  }

  // Makes the sums of gradients the gradients.
  void accumulate() {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      training_.gradient_sums.push_back({graph_.inputs().size(), parameters_[i].input});
      const std::string scope = prefix_ + graph_.value(graph_.inputs()[parameters_[i].input]).name;
      gradients_[i] = add_slot(i, scope + ".gradient_sum", gradients_scope_) + gradients_[i];
    }
  }

  void keep_sums() {
    for (size_t i = 0; i < gradients_.size(); ++i)
      give(training_.gradient_sums[i].input, gradients_[i]);
  }

  void take_mean(std::int64_t count) {
    for (Expression& gradient : gradients_) gradient = gradient * (1 / static_cast<double>(count));
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

  void update(bool average) {
    for (size_t i = 0; i < parameters_.size(); ++i) update(i, average);
  }

 private:
  // An input with the dims of a parameter, in its opmath_dtype.
  Expression add_slot(size_t i, const std::string& name, const std::string& scope) {
    Value value = graph_.value(graph_.inputs()[parameters_[i].input]);
    value.dtype = opmath_dtype(value.dtype);
    value.name = name;
    return {&graph_, graph_.add_input(std::move(value)), &scope};
  }

  // The next value of an input, as an output.
  void give(size_t input, const Expression& next) {
    training_.donations.push_back({graph_.outputs().size(), input});
    graph_.add_output(graph_.value(graph_.inputs()[input]).name + ".next", next.id);
  }

  void update(size_t i, bool average) {
    const size_t parameter = parameters_[i].input;
    const Value param = graph_.value(graph_.inputs()[parameter]);
    const std::string scope = prefix_ + param.name;
    const auto expression = [&](ValueId id) { return Expression{&graph_, id, &scope}; };
    const DType state = opmath_dtype(param.dtype);
    const auto number = [&](const std::string& name) {
      return expression(graph_.add_input({.name = scope + "." + name, .dtype = state}));
    };
    ParameterUpdate<Expression> next{.param = cast(expression(graph_.inputs()[parameter]), state),
                                     .gradient = gradients_[i],
                                     .slots = {},
                                     .step_scalars = {},
                                     .weight_decay = parameters_[i].rates.weight_decay};
    const size_t scalars = optimizer_.step_scalars(1, parameters_[i].rates).size();
    for (size_t n = 0; n < scalars; ++n) {
      next.step_scalars.push_back(number("number_" + std::to_string(n)));
    }
    Expression weight;
    if (average) weight = number("average_weight");
    const size_t first_slot = graph_.inputs().size();
    for (const OptimizerSlot& slot : optimizer_.slots()) {
      training_.memory.push_back({graph_.inputs().size(), parameter});
      next.slots.push_back(add_slot(i, scope + "." + slot.name, scope));
    }
    optimizer_.add_to_graph(next);
    const Expression rounded = cast(next.param, param.dtype);
    give(parameter, rounded);
    for (size_t n = 0; n < next.slots.size(); ++n) give(first_slot + n, next.slots[n]);
    if (!average) return;
    const size_t at = graph_.inputs().size();
    training_.memory.push_back({at, parameter});
    const Expression mean = add_slot(i, scope + ".average", scope);
    give(at, mean + (cast(rounded, state) - mean) * weight);
  }

  TrainingGraph& training_;
  Graph& graph_;
  const Optimizer& optimizer_;
  const std::string prefix_;
  const std::string gradients_scope_;
  std::vector<TrainedParameter> parameters_;
  std::vector<Expression> gradients_;
};

}  // namespace

TrainingGraph training_graph(Graph gradients, const std::vector<TrainedParameter>& parameters,
                             const Optimizer& optimizer, const TrainingOptions& options,
                             StepPart part) {
  TrainingGraph training{.graph = std::move(gradients)};
  Graph& graph = training.graph;
  const size_t kept = graph.outputs().size() - parameters.size();
  std::vector<ValueId> parameter_gradients;
  for (size_t i = 0; i < parameters.size(); ++i)
    parameter_gradients.push_back(graph.outputs()[kept + i].value);
  graph.keep_outputs(kept);
  GraphAppender appending(training, optimizer);
  for (size_t i = 0; i < parameters.size(); ++i)
    appending.add(parameters[i], parameter_gradients[i]);
  if (part != StepPart::whole) appending.accumulate();
  if (part == StepPart::accumulate) {
    appending.keep_sums();
    return training;
  }
  if (part == StepPart::finish) appending.take_mean(options.accumulate);
  appending.clip(options);
  appending.update(options.averages());
  return training;
}

}  // namespace mithril
