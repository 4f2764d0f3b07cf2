#include "backends/cpu/fusion/strided_inputs.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/elementwise/program.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

// Shorter rows are not worth the start of a row in each block.
constexpr int64_t fewest_columns = 16;

class StridedReading {
 public:
  StridedReading(const LoweringContext& context, LoweredGraph& lowered)
      : shaped_(context.shaped), lowered_(lowered) {}

  void run() {
    for (StepDescriptor& step : lowered_.steps) {
      if (step.copies && is_long(*step.copies)) replace(step);
    }
    std::erase_if(lowered_.steps, [](const StepDescriptor& step) { return step.nodes.empty(); });
  }

 private:
  static bool is_long(const StridedView& view) {
    return !view.axes.empty() && view.axes.back().step == 1 &&
           view.axes.back().size >= fewest_columns;
  }

  // The steps that read the copy, in any view of it.
  std::vector<StepDescriptor*> readers(ValueId copy) const {
    std::vector<StepDescriptor*> all;
    for (StepDescriptor& step : lowered_.steps) {
      const bool reads = std::any_of(step.reads.begin(), step.reads.end(), [&](ValueId id) {
        return lowered_.storage_of[index(id)] == lowered_.storage_of[index(copy)];
      });
      if (reads) all.push_back(&step);
    }
    return all;
  }

  bool may_read_in_place(const StepDescriptor& step, ValueId copy) const {
    if (!step.program || step.program->dtype != shaped_.dtype(copy)) return false;
    const std::vector<ValueId>& inputs = step.program->inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_of_copy =
          lowered_.storage_of[index(inputs[i])] == lowered_.storage_of[index(copy)];
      if (!is_of_copy) continue;
      if (inputs[i] != copy || step.program->input_dims[i] != step.program->dims) return false;
    }
    return shaped_.dims(copy) == step.program->dims;
  }

  // Whether reading the slice in place would keep its source alive across an exchange. With sharded
  // optimizer memory the source is a bucket of gradients.
  bool outlives_exchange(const StepDescriptor& slice, const StepDescriptor& reader) const {
    const auto place = [&](const StepDescriptor& step) { return &step - lowered_.steps.data(); };
    std::ptrdiff_t last = place(slice);
    for (const StepDescriptor* step : readers(slice.copies->source))
      last = std::max(last, place(*step));
    for (std::ptrdiff_t i = last + 1; i < place(reader); ++i) {
      const std::vector<size_t>& nodes = lowered_.steps[static_cast<size_t>(i)].nodes;
      if (std::any_of(nodes.begin(), nodes.end(),
                      [&](size_t node) { return shaped_.node(node).op->collective; }))
        return true;
    }
    return false;
  }

  void replace(StepDescriptor& slice) {
    const ValueId copy = slice.writes.front();
    Storage& storage = lowered_.storage(copy);
    if (storage.kept || storage.made != copy) return;
    const std::vector<StepDescriptor*> all = readers(copy);
    const bool possible = std::all_of(all.begin(), all.end(), [&](const StepDescriptor* step) {
      return may_read_in_place(*step, copy);
    });
    if (all.empty() || !possible || outlives_exchange(slice, *all.back())) return;
    for (StepDescriptor* step : all) read_in_place(*step, copy, *slice.copies);
    all.front()->nodes.insert(all.front()->nodes.begin(), slice.nodes.begin(), slice.nodes.end());
    storage.bytes = 0;
    slice = {};
  }

  void read_in_place(StepDescriptor& step, ValueId copy, const StridedView& view) {
    ElementwiseProgram program = *step.program;
    program.strided.resize(program.inputs.size());
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      if (program.inputs[i] != copy) continue;
      program.inputs[i] = view.source;
      program.strided[i] = view;
    }
    step.program = std::make_shared<const ElementwiseProgram>(std::move(program));
    std::erase(step.reads, copy);
    if (std::find(step.reads.begin(), step.reads.end(), view.source) == step.reads.end())
      step.reads.push_back(view.source);
    // The source is read out of order, so no output may take its place.
    const auto is_in_source = [&](ValueId id) {
      return id == copy ||
             lowered_.storage_of[index(id)] == lowered_.storage_of[index(view.source)];
    };
    std::erase_if(step.in_place_pairs,
                  [&](const InPlacePair& at) { return is_in_source(at.read); });
    std::erase_if(step.row_partitions,
                  [&](const RowPartition& at) { return is_in_source(at.value); });
  }

  const ShapedGraph& shaped_;
  LoweredGraph& lowered_;
};

}  // namespace

void read_strided_inputs(const LoweringContext& context, LoweredGraph& lowered) {
  if (!context.native) StridedReading(context, lowered).run();
}

}  // namespace mithril::cpu_backend
