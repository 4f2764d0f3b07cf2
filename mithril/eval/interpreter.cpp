#include "mithril/eval/interpreter.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "mithril/eval/node_error.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/op/eval_context.hpp"

namespace mithril {
namespace {

constexpr size_t most_plans = 64;  // remembered; the oldest is forgotten first

using Values = std::vector<std::optional<Tensor>>;

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// Half precision is storage: an op computes in float32.
std::vector<Tensor> widened(const PlannedNode& node, const Values& values) {
  std::vector<Tensor> wide;
  for (const int32_t at : node.tensors) {
    if (at >= 0 && is_half(values[static_cast<size_t>(at)]->dtype())) {
      wide.push_back(values[static_cast<size_t>(at)]->to(DType::float32));
    }
  }
  return wide;
}

void run_node(const PlannedNode& node, const Graph& graph, Values& values) {
  const std::vector<Tensor> wide = widened(node, values);
  auto next_wide = wide.begin();
  std::vector<const Tensor*> tensors;
  tensors.reserve(node.tensors.size());
  for (const int32_t at : node.tensors) {
    if (at == absent) {
      tensors.push_back(nullptr);
    } else if (at < 0) {
      tensors.push_back(&node.scalars[static_cast<size_t>(~at)]);
    } else {
      const Tensor& tensor = *values[static_cast<size_t>(at)];
      tensors.push_back(is_half(tensor.dtype()) ? &*next_wide++ : &tensor);
    }
  }
  std::vector<Tensor> outputs;
  outputs.reserve(node.outputs.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const DType dtype = graph.value(node.outputs[i]).dtype;
    outputs.emplace_back(is_half(dtype) ? DType::float32 : dtype, node.output_dims[i]);
  }
  EvalContext context(*node.op, tensors, node.values, outputs);
  try {
    node.op->eval(context);
  } catch (const Error& error) {
    raise_at(graph, *node.op, node.outputs.front(), error);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const DType dtype = graph.value(node.outputs[i]).dtype;
    values[index(node.outputs[i])] = is_half(dtype) ? outputs[i].to(dtype) : std::move(outputs[i]);
  }
  for (const ValueId id : node.released) values[index(id)].reset();
}

bool is_for(const Plan& plan, std::span<const Tensor> inputs) {
  const auto same = [](const Dims& dims, const Tensor& input) { return dims == input.dims(); };
  return std::equal(plan.inputs.begin(), plan.inputs.end(), inputs.begin(), inputs.end(), same);
}

}  // namespace

struct Interpreter::State {
  explicit State(Graph of) : graph(std::move(of)), sizes(graph) {}

  const Graph graph;
  const SizedGraph sizes;
  std::mutex mutex;  // guards plans
  // Oldest first. Shared: a run keeps its plan while others add theirs.
  std::vector<std::shared_ptr<const Plan>> plans;

  std::shared_ptr<const Plan> find_plan(std::span<const Tensor> inputs) {
    const std::lock_guard lock(mutex);
    const auto at = std::find_if(plans.rbegin(), plans.rend(),
                                 [&](const auto& plan) { return is_for(*plan, inputs); });
    return at == plans.rend() ? nullptr : *at;
  }

  std::shared_ptr<const Plan> plan_for(std::span<const Tensor> inputs) {
    if (auto plan = find_plan(inputs)) return plan;
    auto plan = std::make_shared<const Plan>(make_plan(graph, sizes, inputs));
    const std::lock_guard lock(mutex);
    if (plans.size() == most_plans) plans.erase(plans.begin());
    plans.push_back(plan);
    return plan;
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
