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

class Appending {
 public:
  Appending(TrainingGraph& training, const Optimizer& optimizer)
      : training_(training),
        graph_(training.graph),
        optimizer_(optimizer),
        prefix_(free_scope(graph_) + ".") {}

  void add(size_t parameter, ValueId gradient) {
    const Value param = graph_.value(graph_.inputs()[parameter]);
    if (!is_floating(param.dtype)) {
      raise({.kind = ErrorKind::type,
             .code = "E0382",
             .message = "an optimizer moves floating-point parameters only",
             .facts = {{param.name, std::string(name(param.dtype))}}});
    }
    const std::string scope = prefix_ + param.name;
    const auto expression = [&](ValueId id) { return Expression{&graph_, id, &scope}; };
    const DType state = state_dtype(param.dtype);
    GraphMove move{.param = cast(expression(graph_.inputs()[parameter]), state),
                   .gradient = cast(expression(gradient), state)};
    const size_t numbers = optimizer_.numbers(1).size();
    for (size_t i = 0; i < numbers; ++i) {
      move.numbers.push_back(expression(
          graph_.add_input({.name = scope + ".number_" + std::to_string(i), .dtype = state})));
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
    for (size_t i = 0; i < made.size(); ++i) {
      training_.donations.push_back({graph_.outputs().size(), moved[i]});
      graph_.add_output(graph_.value(graph_.inputs()[moved[i]]).name + ".next", made[i].id);
    }
  }

 private:
  TrainingGraph& training_;
  Graph& graph_;
  const Optimizer& optimizer_;
  const std::string prefix_;
};

}  // namespace

TrainingGraph training_graph(Graph gradients, const std::vector<size_t>& parameters,
                             const Optimizer& optimizer) {
  TrainingGraph training{.graph = std::move(gradients)};
  Graph& graph = training.graph;
  const size_t kept = graph.outputs().size() - parameters.size();
  std::vector<ValueId> of;
  for (size_t i = 0; i < parameters.size(); ++i) of.push_back(graph.outputs()[kept + i].value);
  graph.keep_outputs(kept);
  Appending appending(training, optimizer);
  for (size_t i = 0; i < parameters.size(); ++i) appending.add(parameters[i], of[i]);
  return training;
}

}  // namespace mithril
