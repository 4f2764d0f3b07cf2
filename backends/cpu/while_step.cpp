// Loops that a condition ends.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/branch_step.hpp"
#include "backends/cpu/planned_graph.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_reference.hpp"
#include "mithril/graph/while_node.hpp"

namespace mithril::cpu_backend {
namespace {

class WhileStep final : public Step {
 public:
  WhileStep(const LoweringContext& context, size_t node)
      : outputs_(context.shaped.planned(node).outputs) {
    const ShapedGraph& shaped = context.shaped;
    const WhileNode loop = while_of(shaped.node(node));
    arguments_ = loop.arguments;
    std::vector<Tensor> inputs;
    std::vector<Dims> given;
    for (const ValueId id : arguments_) {
      given.push_back(shaped.dims(id));
      inputs.push_back(placeholder(shaped.dtype(id), shaped.dims(id)));
    }
    const size_t kept = outputs_.size();
    condition_ = std::make_unique<PlannedGraph>(loop.condition, inputs, context, arguments_, kept);
    body_ = std::make_unique<PlannedGraph>(loop.body, inputs, context, arguments_, kept);
    check_carries(loop.body, outputs_.size(), given, body_->output_dims());
    scratch_bytes_ = aligned_bytes(std::max(condition_->scratch_bytes(), body_->scratch_bytes()));
    goes_on_offset_ = scratch_bytes_;
    scratch_bytes_ += aligned_bytes(1);
    for (const ValueId id : outputs_) {
      carry_bytes_.push_back(shaped.bytes(id));
      carry_offsets_.push_back(scratch_bytes_);
      scratch_bytes_ += 2 * aligned_bytes(carry_bytes_.back());
    }
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }

  void run(const BufferTable& buffers) const override {
    std::byte* const memory = buffers.scratch<std::byte>();
    std::byte* const goes_on = memory + goes_on_offset_;
    // The carries before a step are in the buffers of the step before it.
    const auto carry = [&](size_t k, int64_t step) {
      if (step == 0) return buffers.write<std::byte>(arguments_[k]);
      return memory + carry_offsets_[k] + (step % 2) * aligned_bytes(carry_bytes_[k]);
    };
    int64_t step = 0;
    const auto input = [&](size_t i) {
      return i < outputs_.size() ? carry(i, step) : buffers.write<std::byte>(arguments_[i]);
    };
    StepScope running;
    for (;; ++step) {
      check_interrupt();
      running.set(step);
      condition_->run(memory, alternating(step), input, [&](size_t) { return goes_on; });
      if (!*reinterpret_cast<const bool*>(goes_on)) break;
      body_->run(memory, alternating(step), input, [&](size_t k) { return carry(k, step + 1); });
    }
    for (size_t k = 0; k < outputs_.size(); ++k)
      copy_output(buffers.write<std::byte>(outputs_[k]), carry(k, step), carry_bytes_[k]);
  }

 private:
  const std::vector<ValueId> outputs_;
  std::vector<ValueId> arguments_;
  std::unique_ptr<const PlannedGraph> condition_, body_;
  int64_t scratch_bytes_ = 0, goes_on_offset_ = 0;
  std::vector<int64_t> carry_bytes_, carry_offsets_;
};

}  // namespace

StepDescriptor lower_while(const LoweringContext& context, size_t node) {
  return {.reads = context.shaped.tensors(node),
          .writes = context.shaped.planned(node).outputs,
          .step = std::make_unique<WhileStep>(context, node),
          .kernel = "loop"};
}

}  // namespace mithril::cpu_backend
