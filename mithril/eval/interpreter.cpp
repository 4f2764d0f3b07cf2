#include "mithril/eval/interpreter.hpp"

#include <algorithm>

#include "mithril/base/interrupt.hpp"
#include "mithril/eval/run_node.hpp"
#include "mithril/eval/size_cache.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/wide_integers.hpp"

namespace mithril {
namespace {

bool is_for(const Plan& plan, std::span<const Tensor> inputs) {
  const auto same = [](const Dims& dims, const Tensor& input) { return dims == input.dims(); };
  return std::equal(plan.inputs.begin(), plan.inputs.end(), inputs.begin(), inputs.end(), same);
}

}  // namespace

struct Interpreter::State {
  State(Graph of, std::shared_ptr<const Observer> by)
      : graph(std::move(of)),
        sizes(graph),
        observer(std::move(by)),
        observed(graph.nodes().size()) {
    for (size_t i = 0; i < observed.size() && observer; ++i) {
      observed[i] = observer->wants(graph.nodes()[i]);
    }
    for (const Constant& constant : graph.constants())
      constants.push_back(constant.tensor.host().as_read_only());
  }

  const Graph graph;
  const SizeSources sizes;
  const std::shared_ptr<const Observer> observer;
  std::vector<bool> observed;     // per node: whether the observer wants its outputs
  std::vector<Tensor> constants;  // per constant of the graph, read-only
  const SizeCache<Plan> plans = {};

  void observe(const Node& node, Values& values) const {
    for (const ValueId id : node.outputs) {
      values[index(id)] = observer->observe(graph, node, id, *values[index(id)]);
    }
  }

  std::shared_ptr<const Plan> plan_for(std::span<const Tensor> inputs) const {
    return plans.find_or_make([&](const Plan& plan) { return is_for(plan, inputs); },
                              [&] { return make_plan(graph, sizes, inputs); });
  }
};

Interpreter::Interpreter(Graph graph, std::shared_ptr<const Observer> observer)
    : state_(std::make_unique<State>(with_wide_integers(graph), std::move(observer))) {}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
const Graph& Interpreter::graph() const { return state_->graph; }

std::vector<Tensor> Interpreter::run(std::span<const Tensor> inputs) const {
  const Graph& graph = state_->graph;
  MITHRIL_CHECK(inputs.size() == graph.inputs().size(), "the graph takes another number of inputs");
  Values values(graph.values().size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    if (value.dtype != inputs[i].dtype()) {
      raise({.kind = ErrorKind::input,
             .code = "E0805",
             .path = value.name,
             .message = "'" + value.name + "' is " + std::string(name(inputs[i].dtype())) +
                        ", expected " + std::string(name(value.dtype))});
    }
    values[index(graph.inputs()[i])] = inputs[i];
  }
  for (size_t i = 0; i < state_->constants.size(); ++i) {
    values[index(graph.constants()[i].value)] = state_->constants[i];
  }
  const std::shared_ptr<const Plan> plan = state_->plan_for(inputs);
  const ObserverScope observing(state_->observer.get());
  for (size_t i = 0; i < plan->nodes.size(); ++i) {
    const PlannedNode& node = plan->nodes[i];
    check_interrupt();
    run_node(node, graph, values);
    if (state_->observed[i]) state_->observe(graph.nodes()[i], values);
    for (const ValueId id : node.released) values[index(id)].reset();
  }
  std::vector<Tensor> outputs;
  outputs.reserve(graph.outputs().size());
  for (const Output& output : graph.outputs()) outputs.push_back(*values[index(output.value)]);
  return outputs;
}

std::vector<Tensor> interpret(const Graph& graph, std::span<const Tensor> inputs) {
  return Interpreter(graph).run(inputs);
}

}  // namespace mithril
