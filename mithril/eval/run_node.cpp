#include "mithril/eval/run_node.hpp"

#include "mithril/eval/node_error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

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

}  // namespace

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
}

}  // namespace mithril
