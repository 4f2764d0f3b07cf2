#include "backends/cpu/elementwise/program_step.hpp"

#include <memory>
#include <utility>

#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"

namespace mithril::cpu_backend {
namespace {

// An output may overwrite an input if each block of the input is read before that of the output is
// written.
std::vector<InPlacePair> in_place_pairs(const ShapedGraph& shaped,
                                        const ElementwiseProgram& program) {
  const int count = static_cast<int>(program.instructions.size());
  std::vector<int> last_read(static_cast<size_t>(program.slots), -1);
  std::vector<int> written(static_cast<size_t>(program.slots), -1);
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = program.instructions[static_cast<size_t>(i)];
    for (const Slot slot : instruction.from) {
      if (slot != no_slot) last_read[static_cast<size_t>(slot)] = i;
    }
    written[static_cast<size_t>(instruction.to)] = i;
  }
  std::vector<InPlacePair> possible;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ValueId input = program.inputs[i];
    const DType given = shaped.dtype(input);
    if ((given != program.dtype && !is_half(given)) ||
        !BroadcastIteration(program.input_dims[i], program.dims).is_dense()) {
      continue;
    }
    for (const ElementwiseProgram::Made& made : program.outputs) {
      // 16-bit inputs are widened before a block runs, and 16-bit outputs are rounded after it.
      const bool after = is_half(given) || last_read[i] <= written[static_cast<size_t>(made.slot)];
      if (after && shaped.dtype(made.value) == given) possible.push_back({made.value, input});
    }
  }
  return possible;
}

std::vector<RowPartition> row_partitions(const ShapedGraph& shaped,
                                         const ElementwiseProgram& program) {
  const int64_t count = element_count(program.dims);
  std::vector<RowPartition> found;
  if (count == 0) return found;
  for (const ElementwiseProgram::Made& made : program.outputs) {
    if (shaped.buffer_bytes(made.value) != shaped.bytes(made.value)) return {};
    found.push_back({made.value, count});
  }
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ValueId id = program.inputs[i];
    const bool is_cut =
        shaped.is_in_blocks(id) || element_count(program.input_dims[i]) == shaped.count(id);
    const BroadcastIteration iteration(program.input_dims[i], program.dims);
    found.push_back({id, is_cut ? iteration.parts() : 1});  // a padded vector is read whole
  }
  return found;
}

}  // namespace

StepDescriptor lower_elementwise(const LoweringContext& context, ElementwiseProgram program) {
  StepDescriptor descriptor{.reads = program.inputs};
  for (const ElementwiseProgram::Made& made : program.outputs)
    descriptor.writes.push_back(made.value);
  descriptor.in_place_pairs = in_place_pairs(context.shaped, program);
  descriptor.row_partitions = row_partitions(context.shaped, program);
  descriptor.useful_threads =
      static_cast<double>(element_count(program.dims) * program.cost()) / elementwise_grain_size;
  if (context.native) context.native->add(context.shaped, program);
  descriptor.program = std::make_shared<const ElementwiseProgram>(std::move(program));
  descriptor.make = [&context, program = descriptor.program](const BufferRefs& refs,
                                                             BufferRef) -> std::unique_ptr<Step> {
    return make_elementwise_step(context, *program, context.config.threads, refs);
  };
  return descriptor;
}

}  // namespace mithril::cpu_backend
