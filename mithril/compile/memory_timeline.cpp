// The memory of an evaluation, step by step.
#include "mithril/backend/plans_memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/check_examples.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/eval/plan.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

const Program& program_of(Impl& compiled, bool gradients) {
  if (!gradients) return compiled.forward();
  compiled.require_gradients();
  return compiled.with_gradients(requested(compiled, of_cost), compiled.trained_inputs());
}

}  // namespace

MemoryTimeline CompiledModel::memory_timeline(const TensorMap& data,
                                              const TimelineOptions& options) const {
  Impl& compiled = *in_use(impl_);
  compiled.require_graph("memory_timeline");
  check_examples(compiled, data);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < compiled.inputs.size(); ++i) {
    const NamedIndex key{compiled.inputs[i].key, i};
    const DType dtype = compiled.graph.value(compiled.graph.inputs()[i]).dtype;
    inputs.push_back(placeholder(dtype, compiled.dims_of_input(key, data)));
  }
  const Program& program = program_of(compiled, options.gradients);
  // The incoming gradient of the cost, a scalar.
  while (inputs.size() < program.signature.size())
    inputs.push_back(placeholder(program.signature.dtype(inputs.size()), {}));
  if (const auto* plans = dynamic_cast<const PlansMemory*>(program.executable.get()))
    return plans->memory_timeline(inputs);
  raise({.kind = ErrorKind::backend,
         .code = "E1056",
         .message = "backend " + in_quotes(compiled.backend->name()) +
                    " does not plan the memory of a run in advance",
         .help = "compile for CpuBackend; memory_info of a backend shows its peak"});
}

}  // namespace mithril
