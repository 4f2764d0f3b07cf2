#include "backends/cpu/loop_step.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/planned_graph.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/scan_reference.hpp"

namespace mithril::cpu_backend {
namespace {

class LoopStep final : public Step {
 public:
  LoopStep(const LoweringContext& context, size_t node)
      : shaped_node_(context.shaped.planned(node)) {
    const ShapedGraph& shaped = context.shaped;
    const ScanLoop scan = scan_of(shaped.node(node));
    carries_ = scan.carries;
    sequences_ = scan.sequences;
    reverse_ = scan.reverse;
    arguments_ = scan.arguments;
    outputs_ = shaped_node_.outputs;
    length_ = shaped_node_.values[shaped.node(node).argument_index("length")].integer();
    numbers_ = shaped_node_.values[shaped.node(node).argument_index("numbers")];
    std::vector<Tensor> inputs;
    std::vector<Dims> given;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const Dims& dims = shaped.dims(arguments_[i]);
      if (is_sequence(i)) check_steps(scan, i, dims.front(), length_);
      given.emplace_back(dims.begin() + (is_sequence(i) ? 1 : 0), dims.end());
      const DType dtype = shaped.dtype(arguments_[i]);
      input_bytes_.push_back(element_count(given.back()) * static_cast<int64_t>(size_of(dtype)));
      inputs.push_back(placeholder(dtype, given.back()));
    }
    body_ = std::make_unique<PlannedGraph>(scan.body, inputs, context, arguments_,
                                           carries_ + sequences_, true);
    const std::vector<Dims> made = body_->output_dims();
    check_carries(scan, given, made);
    for (size_t k = 0; k < made.size(); ++k) {
      check_stack(shaped, k, made[k]);
      const DType dtype = shaped.dtype(outputs_[k]);
      output_bytes_.push_back(element_count(made[k]) * static_cast<int64_t>(size_of(dtype)));
    }
    plan_memory_of_carries();
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }

  void run(const BufferTable& buffers) const override {
    std::byte* const memory = buffers.scratch<std::byte>();
    auto** const table = reinterpret_cast<std::byte**>(memory + table_offset_);
    const ExecutionPlan& plan = body_->plan();
    const std::span<std::byte*> bases(table, plan.memory.buffers);
    bases.front() = memory;
    for (const HeldConstant& held : plan.constants)
      bases[held.base] = static_cast<std::byte*>(const_cast<void*>(held.tensor.raw_data()));
    for (size_t i = 0; i < arguments_.size(); ++i)
      bases[1 + i] = buffers.write<std::byte>(arguments_[i]);
    if (length_ > 0) plan.begin_loop(bases);
    StepScope running(numbers_);
    for (int64_t n = 0; n < length_; ++n) {
      running.set(reverse_ ? length_ - 1 - n : n);
      run_step(buffers, bases, memory, n);
    }
    for (size_t k = 0; k < carries_ && length_ == 0; ++k)
      copy_output(buffers.write<std::byte>(outputs_[k]), bases[1 + k], output_bytes_[k]);
  }

 private:
  bool is_sequence(size_t i) const { return i >= carries_ && i < carries_ + sequences_; }

  void check_stack(const ShapedGraph& shaped, size_t k, const Dims& made) const {
    const Dims& stated = shaped.dims(outputs_[k]);
    const Dims expected(stated.begin() + (k < carries_ ? 0 : 1), stated.end());
    check_stated_dims("scan", shaped.graph().value(outputs_[k]).name, expected, made);
  }

  // The arena of the body, two buffers for each carry, and the buffer table of the body.
  void plan_memory_of_carries() {
    int64_t end = aligned_bytes(body_->plan().memory.arena_bytes);
    for (size_t k = 0; k < carries_; ++k) {
      carry_offsets_.push_back(end);
      end += 2 * aligned_bytes(output_bytes_[k]);
    }
    table_offset_ = end;
    scratch_bytes_ =
        end +
        aligned_bytes(static_cast<int64_t>(body_->plan().memory.buffers * sizeof(std::byte*)));
  }

  // Where a step writes an output. The last one writes the carries in their place.
  std::byte* destination(const BufferTable& buffers, std::byte* memory, size_t k, int64_t n,
                         int64_t at) const {
    if (k >= carries_) return buffers.write<std::byte>(outputs_[k]) + at * output_bytes_[k];
    if (n + 1 == length_) return buffers.write<std::byte>(outputs_[k]);
    return memory + carry_offsets_[k] + (n % 2) * aligned_bytes(output_bytes_[k]);
  }

  void run_step(const BufferTable& buffers, std::span<std::byte*> bases, std::byte* memory,
                int64_t n) const {
    check_interrupt();
    const ExecutionPlan& plan = body_->plan();
    const int64_t at = reverse_ ? length_ - 1 - n : n;
    for (size_t i = carries_; i < carries_ + sequences_; ++i)
      bases[1 + i] = buffers.write<std::byte>(arguments_[i]) + at * input_bytes_[i];
    for (size_t k = 0; k < outputs_.size(); ++k) {
      const Result& result = plan.results[k];
      if (result.from == Result::From::buffer)
        bases[result.index] = destination(buffers, memory, k, n, at);
    }
    plan.run_nested(bases, alternating(n));
    for (size_t k = 0; k < outputs_.size(); ++k) copy_result(buffers, bases, memory, k, n, at);
    for (size_t k = 0; k < carries_; ++k) bases[1 + k] = destination(buffers, memory, k, n, at);
  }

  // An output that no step of the body writes.
  void copy_result(const BufferTable& buffers, std::span<std::byte*> bases, std::byte* memory,
                   size_t k, int64_t n, int64_t at) const {
    const Result& result = body_->plan().results[k];
    std::byte* const to = destination(buffers, memory, k, n, at);
    switch (result.from) {
      case Result::From::buffer:
        return;
      case Result::From::input:
        return copy_output(to, bases[1 + result.index], output_bytes_[k]);
      case Result::From::constant: {
        const Tensor& tensor = body_->plan().constants[result.index].tensor;
        return copy_output(to, static_cast<const std::byte*>(tensor.raw_data()), output_bytes_[k]);
      }
      case Result::From::result:
        return copy_output(to, destination(buffers, memory, result.index, n, at), output_bytes_[k]);
    }
  }

  const PlannedNode& shaped_node_;
  size_t carries_ = 0, sequences_ = 0;
  bool reverse_ = false;
  Datum numbers_;  // of the steps
  int64_t length_ = 0;
  std::vector<ValueId> arguments_, outputs_;
  std::vector<int64_t> input_bytes_, output_bytes_;  // of one step
  std::unique_ptr<const PlannedGraph> body_;
  std::vector<int64_t> carry_offsets_;
  int64_t table_offset_ = 0, scratch_bytes_ = 0;
};

}  // namespace

StepDescriptor lower_loop(const LoweringContext& context, size_t node) {
  return {.reads = context.shaped.tensors(node),
          .writes = context.shaped.planned(node).outputs,
          .step = std::make_unique<LoopStep>(context, node),
          .kernel = "loop"};
}

}  // namespace mithril::cpu_backend
