#include "backends/cpu/lowering/instantiate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/elementwise/program_step.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::cpu_backend {
namespace {

// A step that touches fewer bytes evicts little from the caches.
constexpr int64_t min_alternating_bytes = 1 << 17;

Traversal traversal(const ShapedGraph& shaped, const StepDescriptor& descriptor, const Step& step) {
  int64_t bytes = 0;
  for (const ValueId id : descriptor.reads) bytes += shaped.bytes(id);
  for (const ValueId id : descriptor.writes) bytes += shaped.bytes(id);
  if (bytes < min_alternating_bytes) return Traversal::small;
  return step.runs_backward() ? Traversal::either : Traversal::forward;
}

// Makes the elementwise steps of the descriptor. They depend on the native code and on the planned
// memory.
std::unique_ptr<Step> complete(StepDescriptor& descriptor, const LoweringContext& context,
                               const BufferRefs& refs) {
  const auto elementwise = [&](const ElementwiseProgram& program, int threads) {
    return make_elementwise_step(context, program, threads, refs);
  };
  if (descriptor.program) return elementwise(*descriptor.program, context.config.threads);
  if (descriptor.epilogue) {
    constexpr int threads = 1;  // of one tile
    static_cast<TiledStep&>(*descriptor.step).epilogue = elementwise(*descriptor.epilogue, threads);
  }
  for (StepDescriptor& member : descriptor.members) {
    // A descriptor with row partitions has a PartitionedStep.
    static_cast<GroupStep&>(*descriptor.step)
        .members.emplace_back(
            static_cast<PartitionedStep*>(complete(member, context, refs).release()));
  }
  return std::move(descriptor.step);
}

// The kernels of a step: "gemm + elementwise", "rows: softmax, elementwise".
std::string kernel_text(const StepDescriptor& descriptor) {
  if (!descriptor.members.empty()) {
    std::vector<std::string> kernels;
    for (const StepDescriptor& member : descriptor.members) kernels.push_back(kernel_text(member));
    return "rows: " + join(kernels, ", ");
  }
  if (descriptor.program) return "elementwise";
  return descriptor.epilogue ? descriptor.kernel + " + elementwise" : descriptor.kernel;
}

}  // namespace

std::vector<PlannedStep> instantiate(const LoweringContext& context, LoweredGraph& lowered,
                                     const BufferRefs& refs) {
  if (context.native) context.native->build();
  std::vector<PlannedStep> steps;
  for (StepDescriptor& descriptor : lowered.steps) {
    std::string kernel = kernel_text(descriptor);
    std::unique_ptr<Step> step = complete(descriptor, context, refs);
    const Traversal traverses = traversal(context.shaped, descriptor, *step);
    const bool alternates = step->alternates_in_loops();
    const bool pays_off_threads = descriptor.useful_threads == 0 || descriptor.useful_threads >= 2;
    const auto* const parts = dynamic_cast<const RunsInParts*>(step.get());
    steps.push_back({std::move(step), parts, traverses, alternates, pays_off_threads,
                     descriptor.nodes, std::move(kernel)});
  }
  return steps;
}

std::vector<HeldConstant> held_constants(const ShapedGraph& shaped, const LoweredGraph& lowered,
                                         const BufferRefs& refs, PackedWeights& packed) {
  const Graph& graph = shaped.graph();
  const size_t first = 1 + graph.inputs().size(), end = first + graph.constants().size();
  std::set<size_t> read;
  const auto add = [&](ValueId id) {
    const auto base = static_cast<size_t>(refs[index(id)].base);
    if (base >= first && base < end) read.insert(base);
  };
  for (const StepDescriptor& step : lowered.steps) {
    std::for_each(step.reads.begin(), step.reads.end(), add);
  }
  for (const Output& output : graph.outputs()) add(output.value);
  std::vector<HeldConstant> held;
  for (const size_t base : read) {
    const ValueId id = graph.constants()[base - first].value;
    held.push_back({base, packed.plain(id, shaped.buffer_bytes(id))});
  }
  return held;
}

std::vector<Result> results_of(const ShapedGraph& shaped, const BufferRefs& refs,
                               const std::vector<HeldConstant>& constants) {
  const Graph& graph = shaped.graph();
  const size_t inputs = graph.inputs().size();
  const size_t first_output = 1 + inputs + graph.constants().size();
  std::vector<Result> results;
  std::map<size_t, size_t> result_of;  // per buffer: the first result that is in it
  for (const Output& output : graph.outputs()) {
    const ValueId id = output.value;
    const auto base = static_cast<size_t>(refs[index(id)].base);
    MITHRIL_CHECK(refs[index(id)].base > 0, "an output of the graph is in the arena");
    const auto [known, is_new] = result_of.emplace(base, results.size());
    if (base <= inputs) {
      results.push_back({Result::From::input, base - 1});
    } else if (base < first_output) {
      const auto at =
          std::find_if(constants.begin(), constants.end(),
                       [&](const HeldConstant& constant) { return constant.base == base; });
      results.push_back({Result::From::constant, static_cast<size_t>(at - constants.begin())});
    } else if (is_new) {
      results.push_back({Result::From::buffer, base, shaped.dtype(id), shaped.dims(id)});
    } else {
      results.push_back({Result::From::result, known->second});
    }
  }
  return results;
}

std::string to_string(const std::vector<PlannedStep>& steps, const std::vector<Result>& results,
                      const ShapedGraph& shaped) {
  constexpr std::array traversals = {"small", "forward", "either"};
  constexpr std::array places = {"input", "constant", "buffer", "result"};
  std::string text;
  for (size_t i = 0; i < steps.size(); ++i) {
    text += fmt::format("step {}: {}: traversal {}\n", i, joined_ops(steps[i].nodes, shaped),
                        traversals[static_cast<size_t>(steps[i].traversal)]);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    text += fmt::format("output {}: {} {}\n", shaped.graph().outputs()[i].name,
                        places[static_cast<size_t>(results[i].from)], results[i].index);
  }
  return text;
}

}  // namespace mithril::cpu_backend
