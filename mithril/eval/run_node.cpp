#include "mithril/eval/run_node.hpp"

#include <utility>

#include "mithril/eval/node_error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

}  // namespace

void run_node(const PlannedNode& node, const Graph& graph, Values& values) {
  std::vector<Tensor> inputs, outputs;
  for (const int32_t at : node.tensors) {
    if (at >= 0) inputs.push_back(*values[static_cast<size_t>(at)]);
  }
  outputs.reserve(node.outputs.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const DType dtype = graph.value(node.outputs[i]).dtype;
    outputs.emplace_back(is_half(dtype) ? DType::float32 : dtype, node.output_dims[i]);
  }
  evaluate_node(node, graph, std::move(inputs), outputs);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const DType dtype = graph.value(node.outputs[i]).dtype;
    values[index(node.outputs[i])] = is_half(dtype) ? outputs[i].to(dtype) : std::move(outputs[i]);
  }
}

void evaluate_node(const PlannedNode& node, const Graph& graph, std::vector<Tensor> inputs,
                   std::vector<Tensor>& outputs) {
  for (Tensor& input : inputs) {
    if (is_half(input.dtype())) input = input.to(DType::float32);
  }
  auto next = inputs.cbegin();
  std::vector<const Tensor*> tensors;
  tensors.reserve(node.tensors.size());
  for (const int32_t at : node.tensors) {
    tensors.push_back(at == absent ? nullptr
                      : at < 0     ? &node.scalars[static_cast<size_t>(~at)]
                                   : &*next++);
  }
  EvalContext context(*node.op, tensors, node.values, outputs);
  try {
    node.op->eval(context);
  } catch (const Error& error) {
    raise_at(graph, *node.op, node.outputs.front(), error);
  }
}

}  // namespace mithril
