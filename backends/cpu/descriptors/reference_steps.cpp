#include "backends/cpu/descriptors/reference_steps.hpp"

#include <cstring>
#include <utility>

#include "backends/cpu/kernels/half_kernels.hpp"
#include "mithril/eval/run_node.hpp"

namespace mithril::cpu_backend {
namespace {

// A value, and its type.
struct TensorValue {
  ValueId id;
  DType dtype;
  Dims dims;

  Tensor read(const BufferTable& buffers) const {
    return Tensor::over(dtype, dims, buffers.write<void>(id), nullptr);
  }
};

std::vector<TensorValue> tensor_values(const ShapedGraph& shaped, const std::vector<ValueId>& ids) {
  std::vector<TensorValue> all;
  for (const ValueId id : ids) all.push_back({id, shaped.dtype(id), shaped.dims(id)});
  return all;
}

class Evaluate final : public Step {
 public:
  Evaluate(const ShapedGraph& shaped, size_t node)
      : graph_(shaped.graph()),
        node_(shaped.planned(node)),
        inputs_(tensor_values(shaped, shaped.tensors(node))),
        outputs_(tensor_values(shaped, node_.outputs)) {}

  void run(const BufferTable& buffers) const override {
    std::vector<Tensor> inputs, outputs;
    for (const TensorValue& input : inputs_) inputs.push_back(input.read(buffers));
    for (const TensorValue& output : outputs_) outputs.push_back(zeros(output, buffers));
    evaluate_node(node_, graph_, std::move(inputs), outputs);
    for (size_t i = 0; i < outputs.size(); ++i) keep(outputs[i], outputs_[i], buffers);
  }

 private:
  static Tensor zeros(const TensorValue& output, const BufferTable& buffers) {
    if (is_half(output.dtype)) return Tensor(DType::float32, output.dims);
    void* place = buffers.write<void>(output.id);
    Tensor tensor = Tensor::over(output.dtype, output.dims, place, nullptr);
    if (tensor.bytes() > 0) std::memset(place, 0, tensor.bytes());
    return tensor;
  }

  static void keep(const Tensor& made, const TensorValue& output, const BufferTable& buffers) {
    if (!is_half(output.dtype) || made.size() == 0) return;
    const Tensor narrow = made.to(output.dtype);
    std::memcpy(buffers.write<void>(output.id), narrow.raw_data(), narrow.bytes());
  }

  const Graph& graph_;
  const PlannedNode& node_;
  std::vector<TensorValue> inputs_, outputs_;
};

}  // namespace

StepDescriptor evaluated(const ShapedGraph& shaped, size_t node) {
  return {.reads = shaped.tensors(node),
          .writes = shaped.planned(node).outputs,
          .step = std::make_unique<Evaluate>(shaped, node),
          .kernel = "reference"};
}

StepDescriptor copied(const ShapedGraph& shaped, size_t node) {
  const ValueId from = shaped.tensors(node).front();
  const ValueId to = shaped.planned(node).outputs.front();
  const auto bytes = static_cast<size_t>(shaped.bytes(to));
  return {.reads = {from},
          .writes = {to},
          .step = make_step([=](const BufferTable& buffers) {
            if (bytes > 0) std::memcpy(buffers.write<void>(to), buffers.read<void>(from), bytes);
          }),
          .kernel = "copy"};
}

StepDescriptor observed(const ShapedGraph& shaped, size_t node, const Observer& observer) {
  const Graph& graph = shaped.graph();
  const Node& at = shaped.node(node);
  return {.reads = at.outputs,
          .step = make_step([&graph, &at, &observer, outputs = tensor_values(shaped, at.outputs)](
                                const BufferTable& buffers) {
            for (const TensorValue& output : outputs) {
              // The observer gets a copy because it may keep the tensor.
              const Tensor tensor = output.read(buffers).copy();
              const Tensor given = observer.observe(graph, at, output.id, tensor).host();
              if (given.size() == 0) continue;
              std::memcpy(buffers.write<void>(output.id), given.raw_data(), given.bytes());
            }
          }),
          .kernel = "observer"};
}

}  // namespace mithril::cpu_backend
