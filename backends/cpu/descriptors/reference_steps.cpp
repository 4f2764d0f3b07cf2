#include "backends/cpu/descriptors/step_descriptor.hpp"

#include <cstring>

#include "backends/cpu/kernels/half_kernels.hpp"
#include "mithril/eval/node_error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

// A tensor of the graph and its buffer.
struct PlacedTensor {
  DType dtype;
  Dims dims;
  BufferRef place;

  Tensor read(const BufferTable& buffers) const {
    return Tensor::over(dtype, dims, const_cast<void*>(buffers.read<void>(place)), nullptr);
  }
};

std::vector<PlacedTensor> placed(const ShapedGraph& shaped, const std::vector<ValueId>& ids,
                                 const BufferRefs& refs) {
  std::vector<PlacedTensor> all;
  for (const ValueId id : ids) all.push_back({shaped.dtype(id), shaped.dims(id), refs[index(id)]});
  return all;
}

class Evaluate final : public Step {
 public:
  Evaluate(const Graph& graph, const PlannedNode& node, std::vector<PlacedTensor> inputs,
           std::vector<PlacedTensor> outputs)
      : graph_(graph), node_(node), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  void run(const BufferTable& buffers) const override {
    const std::vector<Tensor> inputs = read(buffers);
    auto next = inputs.begin();
    std::vector<const Tensor*> arguments;
    arguments.reserve(node_.tensors.size());
    for (const int32_t at : node_.tensors) {
      arguments.push_back(at == absent ? nullptr
                          : at < 0     ? &node_.scalars[static_cast<size_t>(~at)]
                                       : &*next++);
    }
    std::vector<Tensor> outputs;
    outputs.reserve(outputs_.size());
    for (const PlacedTensor& output : outputs_) outputs.push_back(zeros(output, buffers));
    EvalContext context(*node_.op, arguments, node_.values, outputs);
    try {
      node_.op->eval(context);
    } catch (const Error& error) {
      raise_at(graph_, *node_.op, node_.outputs.front(), error);
    }
    for (size_t i = 0; i < outputs.size(); ++i) keep(outputs[i], outputs_[i], buffers);
  }

 private:
  // Converts 16-bit floats to float32: half precision is storage, and ops compute in float32.
  std::vector<Tensor> read(const BufferTable& buffers) const {
    std::vector<Tensor> tensors;
    tensors.reserve(inputs_.size());
    for (const PlacedTensor& input : inputs_) {
      Tensor tensor = input.read(buffers);
      tensors.push_back(is_half(input.dtype) ? tensor.to(DType::float32) : std::move(tensor));
    }
    return tensors;
  }

  static Tensor zeros(const PlacedTensor& output, const BufferTable& buffers) {
    if (is_half(output.dtype)) return Tensor(DType::float32, output.dims);
    void* place = buffers.write<void>(output.place);
    Tensor tensor = Tensor::over(output.dtype, output.dims, place, nullptr);
    if (tensor.bytes() > 0) std::memset(place, 0, tensor.bytes());
    return tensor;
  }

  static void keep(const Tensor& made, const PlacedTensor& output, const BufferTable& buffers) {
    if (!is_half(output.dtype) || made.size() == 0) return;
    const Tensor narrow = made.to(output.dtype);
    std::memcpy(buffers.write<void>(output.place), narrow.raw_data(), narrow.bytes());
  }

  const Graph& graph_;
  const PlannedNode& node_;
  std::vector<PlacedTensor> inputs_, outputs_;
};

}  // namespace

StepDescriptor evaluated(const ShapedGraph& shaped, size_t node) {
  const PlannedNode& planned = shaped.planned(node);
  const std::vector<ValueId>& reads = shaped.tensors(node);
  return {.reads = reads,
          .writes = planned.outputs,
          .make = [&shaped, &planned, &reads](const BufferRefs& refs, BufferRef) {
            return std::make_unique<Evaluate>(shaped.graph(), planned, placed(shaped, reads, refs),
                                              placed(shaped, planned.outputs, refs));
          }};
}

StepDescriptor copied(const ShapedGraph& shaped, size_t node) {
  const ValueId from = shaped.tensors(node).front();
  const ValueId to = shaped.planned(node).outputs.front();
  return {.reads = {from},
          .writes = {to},
          .make = [from, to, bytes = static_cast<size_t>(shaped.bytes(to))](const BufferRefs& refs,
                                                                            BufferRef) {
            return make_step([bytes, from = refs[index(from)],
                              to = refs[index(to)]](const BufferTable& buffers) {
              if (bytes == 0) return;
              std::memcpy(buffers.write<void>(to), buffers.read<void>(from), bytes);
            });
          }};
}

StepDescriptor observed(const ShapedGraph& shaped, size_t node, const Observer& observer) {
  const Graph& graph = shaped.graph();
  const Node& at = shaped.node(node);
  return {.reads = at.outputs,
          .make = [&shaped, &graph, &at, &observer](const BufferRefs& refs, BufferRef) {
            return make_step([&graph, &at, &observer,
                              made = placed(shaped, at.outputs, refs)](const BufferTable& buffers) {
              for (size_t i = 0; i < made.size(); ++i) {
                // The observer gets a copy because it may keep the tensor.
                const Tensor tensor = made[i].read(buffers).copy();
                const Tensor given = observer.made(graph, at, at.outputs[i], tensor).host();
                if (given.size() == 0) continue;
                std::memcpy(buffers.write<void>(made[i].place), given.raw_data(), given.bytes());
              }
            });
          }};
}

}  // namespace mithril::cpu_backend
