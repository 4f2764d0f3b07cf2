#include "mithril/eval/interpreter.hpp"

#include <algorithm>

#include "mithril/eval/run_node.hpp"
#include "mithril/eval/size_cache.hpp"

namespace mithril {
namespace {

bool is_for(const Plan& plan, std::span<const Tensor> inputs) {
  const auto same = [](const Dims& dims, const Tensor& input) { return dims == input.dims(); };
  return std::equal(plan.inputs.begin(), plan.inputs.end(), inputs.begin(), inputs.end(), same);
}

}  // namespace

struct Interpreter::State {
  explicit State(Graph of) : graph(std::move(of)), sizes(graph) {}

  const Graph graph;
  const SizedGraph sizes;
  const SizeCache<Plan> plans = {};

  std::shared_ptr<const Plan> plan_for(std::span<const Tensor> inputs) const {
    return plans.find_or_make([&](const Plan& plan) { return is_for(plan, inputs); },
                              [&] { return make_plan(graph, sizes, inputs); });
  }
};

Interpreter::Interpreter(Graph graph) : state_(std::make_unique<State>(std::move(graph))) {}
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
  for (const Constant& constant : graph.constants()) {
    values[index(constant.value)] = constant.tensor;
  }
  const std::shared_ptr<const Plan> plan = state_->plan_for(inputs);
  for (const PlannedNode& node : plan->nodes) run_node(node, graph, values);
  std::vector<Tensor> outputs;
  outputs.reserve(graph.outputs().size());
  for (const Output& output : graph.outputs()) outputs.push_back(*values[index(output.value)]);
  return outputs;
}

std::vector<Tensor> interpret(const Graph& graph, std::span<const Tensor> inputs) {
  return Interpreter(graph).run(inputs);
}

}  // namespace mithril
