#include "mithril/eval/interpreter.hpp"

#include <map>
#include <mutex>

#include "mithril/eval/plan.hpp"
#include "mithril/op/eval_context.hpp"

namespace mithril {
namespace {

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

void run_node(const PlannedNode& node, const Graph& graph, std::vector<Tensor>& values) {
  std::vector<Tensor> widened;  // half precision is storage: an op computes in float32
  widened.reserve(node.tensors.size());
  std::vector<const Tensor*> tensors;
  for (const int32_t at : node.tensors) {
    const Tensor* tensor = at == absent ? nullptr : at < 0 ? &node.scalars[static_cast<size_t>(~at)] : &values[static_cast<size_t>(at)];
    if (tensor && is_half(tensor->dtype())) tensor = &widened.emplace_back(tensor->to(DType::float32));
    tensors.push_back(tensor);
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const DType dtype = graph.value(node.outputs[i]).dtype;
    outputs.emplace_back(is_half(dtype) ? DType::float32 : dtype, node.output_dims[i]);
  }
  EvalContext context(*node.op, tensors, node.values, outputs);
  node.op->eval(context);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const DType dtype = graph.value(node.outputs[i]).dtype;
    values[index(node.outputs[i])] = is_half(dtype) ? outputs[i].to(dtype) : std::move(outputs[i]);
  }
  for (const ValueId id : node.released) values[index(id)] = Tensor();
}

}  // namespace

struct Interpreter::State {
  Graph graph;
  std::mutex mutex;                                              // guards plans
  std::map<std::vector<Dims>, std::shared_ptr<const Plan>> plans;  // shared: a run keeps its plan while others add theirs

  std::shared_ptr<const Plan> plan_for(std::span<const Tensor> inputs) {
    std::vector<Dims> key;
    for (const Tensor& input : inputs) key.push_back(input.dims());
    const std::lock_guard lock(mutex);
    auto& plan = plans[key];
    if (!plan) {
      try {
        plan = std::make_shared<const Plan>(make_plan(graph, inputs));
      } catch (...) {
        plans.erase(key);
        throw;
      }
    }
    return plan;
  }
};

Interpreter::Interpreter(Graph graph) : state_(std::make_unique<State>()) { state_->graph = std::move(graph); }
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
const Graph& Interpreter::graph() const { return state_->graph; }

std::vector<Tensor> Interpreter::run(std::span<const Tensor> inputs) const {
  const Graph& graph = state_->graph;
  MITHRIL_CHECK(inputs.size() == graph.inputs().size(), "the graph takes another number of inputs");
  std::vector<Tensor> values(graph.values().size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    if (value.dtype != inputs[i].dtype()) {
      raise({.kind = ErrorKind::input,
             .code = "E0805",
             .path = value.name,
             .message = "'" + value.name + "' is " + std::string(name(inputs[i].dtype())) + ", expected " + std::string(name(value.dtype))});
    }
    values[index(graph.inputs()[i])] = inputs[i];
  }
  for (const Constant& constant : graph.constants()) values[index(constant.value)] = constant.tensor;
  const std::shared_ptr<const Plan> plan = state_->plan_for(inputs);
  for (const PlannedNode& node : plan->nodes) run_node(node, graph, values);
  std::vector<Tensor> outputs;
  for (const Output& output : graph.outputs()) outputs.push_back(values[index(output.value)]);
  return outputs;
}

std::vector<Tensor> interpret(const Graph& graph, std::span<const Tensor> inputs) { return Interpreter(graph).run(inputs); }

}  // namespace mithril
