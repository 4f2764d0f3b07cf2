#include "backends/cpu/loop_step.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/planned_graph.hpp"
#include "backends/cpu/runtime/concurrent_tasks.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/base/trace.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/scan_reference.hpp"

namespace mithril::cpu_backend {
namespace {

class LoopStep final : public Loop {
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
    // With a memory limit the threads share one arena.
    if (!context.config.memory_limit) cut_rows(made, context.config.threads);
    plan_memory_of_carries();
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }
  int64_t length() const override { return length_; }
  bool has_large_steps() const override {
    const std::vector<PlannedStep>& steps = body_->plan().steps;
    return std::any_of(steps.begin(), steps.end(),
                       [](const PlannedStep& step) { return step.pays_off_threads; });
  }

  // In a trace each step runs as a whole, so that the work of a step is counted once.
  void run(const BufferTable& buffers) const override {
    if (tasks_ == 1 || current_trace())
      return run_while(buffers, begin(buffers), [] { return true; });
    begin(buffers);
    ConcurrentTasks tasks;
    tasks.run(tasks_, tasks_, [&](int task) {
      const PartRange parts{parts_ * task / tasks_, parts_ * (task + 1) / tasks_, parts_};
      run_while(buffers, {.bases = bases_of(buffers, task), .parts = parts},
                [&] { return !tasks.may_end(task); });
    });
  }
  void run_task(const BufferTable& buffers, const ConcurrentTasks& tasks, int task) const override {
    run_while(buffers, begin(buffers), [&] { return !tasks.may_end(task); });
  }

 private:
  // What one thread computes: some parts of all values, or all of them.
  struct Running {
    std::span<std::byte*> bases;
    PartRange parts = {0, 1, 1};
  };

  // Each thread runs all steps for its own rows if no step reads rows of another thread, and each
  // has at least one whole tile of rows.
  void cut_rows(const std::vector<Dims>& made, int threads) {
    const ExecutionPlan& plan = body_->plan();
    const RowCuts& cuts = plan.row_cuts;
    int64_t parts = cuts.parts;
    for (size_t k = 0; k < carries_; ++k) parts = std::gcd(parts, cuts.inputs[k]);
    for (const Dims& dims : made) parts = std::gcd(parts, element_count(dims));
    const bool can = std::all_of(plan.steps.begin(), plan.steps.end(),
                                 [](const PlannedStep& step) { return step.parts; });
    const bool pays_off =
        length_ > 1 && cuts.useful_threads * static_cast<double>(length_) >= threads;
    if (!can || !pays_off || std::min(parts, cuts.tiles) < threads) return;
    parts_ = parts;
    tasks_ = threads;
  }

  std::span<std::byte*> bases_of(const BufferTable& buffers, int task) const {
    std::byte* const memory = buffers.scratch<std::byte>();
    const ExecutionPlan& plan = body_->plan();
    auto** const table =
        reinterpret_cast<std::byte**>(memory + tables_offset_ + task * table_bytes());
    const std::span<std::byte*> bases(table, plan.memory.buffers);
    bases.front() = memory + task * aligned_bytes(plan.memory.arena_bytes);
    for (const HeldConstant& held : plan.constants)
      bases[held.base] = static_cast<std::byte*>(const_cast<void*>(held.tensor.raw_data()));
    for (size_t i = 0; i < arguments_.size(); ++i)
      bases[1 + i] = buffers.write<std::byte>(arguments_[i]);
    return bases;
  }

  Running begin(const BufferTable& buffers) const {
    const std::span<std::byte*> bases = bases_of(buffers, 0);
    if (length_ > 0) body_->plan().begin_loop(bases);
    return {.bases = bases};
  }

  // Runs the steps until `goes_on` returns false before one of them.
  template <typename GoesOn>
  void run_while(const BufferTable& buffers, const Running& running, const GoesOn& goes_on) const {
    // Steps that run part by part contain no loops, and no one observes them.
    std::optional<StepScope> scope;
    if (running.parts.of == 1) scope.emplace(numbers_);
    for (int64_t n = 0; n < length_ && goes_on(); ++n) {
      if (scope) scope->set(reverse_ ? length_ - 1 - n : n);
      run_step(buffers, running, n);
    }
    for (size_t k = 0; k < carries_ && length_ == 0; ++k)
      copy_output(buffers.write<std::byte>(outputs_[k]), running.bases[1 + k], output_bytes_[k]);
  }

  bool is_sequence(size_t i) const { return i >= carries_ && i < carries_ + sequences_; }

  void check_stack(const ShapedGraph& shaped, size_t k, const Dims& made) const {
    const Dims& stated = shaped.dims(outputs_[k]);
    const Dims expected(stated.begin() + (k < carries_ ? 0 : 1), stated.end());
    check_stated_dims("scan", shaped.graph().value(outputs_[k]).name, expected, made);
  }

  // The arenas of the body, one for each thread, two buffers for each carry, and the buffer tables
  // of the body.
  void plan_memory_of_carries() {
    int64_t end = tasks_ * aligned_bytes(body_->plan().memory.arena_bytes);
    for (size_t k = 0; k < carries_; ++k) {
      carry_offsets_.push_back(end);
      end += 2 * aligned_bytes(output_bytes_[k]);
    }
    tables_offset_ = end;
    scratch_bytes_ = end + tasks_ * table_bytes();
  }
  int64_t table_bytes() const {
    return aligned_bytes(static_cast<int64_t>(body_->plan().memory.buffers * sizeof(std::byte*)));
  }

  // Where a step writes an output. The last one writes the carries in their place.
  std::byte* destination(const BufferTable& buffers, size_t k, int64_t n, int64_t at) const {
    if (k >= carries_) return buffers.write<std::byte>(outputs_[k]) + at * output_bytes_[k];
    if (n + 1 == length_) return buffers.write<std::byte>(outputs_[k]);
    return buffers.scratch<std::byte>() + carry_offsets_[k] +
           (n % 2) * aligned_bytes(output_bytes_[k]);
  }

  void run_step(const BufferTable& buffers, const Running& running, int64_t n) const {
    check_interrupt();
    const std::span<std::byte*> bases = running.bases;
    const ExecutionPlan& plan = body_->plan();
    const int64_t at = reverse_ ? length_ - 1 - n : n;
    for (size_t i = carries_; i < carries_ + sequences_; ++i)
      bases[1 + i] = buffers.write<std::byte>(arguments_[i]) + at * input_bytes_[i];
    for (size_t k = 0; k < outputs_.size(); ++k) {
      const Result& result = plan.results[k];
      if (result.from == Result::From::buffer) bases[result.index] = destination(buffers, k, n, at);
    }
    if (running.parts.of == 1) {
      plan.run_nested(bases, alternating(n));
    } else {
      plan.run_parts(bases, alternating(n), running.parts, buffers.scratch<std::byte>());
    }
    for (size_t k = 0; k < outputs_.size(); ++k) copy_result(buffers, running, k, n, at);
    for (size_t k = 0; k < carries_; ++k) bases[1 + k] = destination(buffers, k, n, at);
  }

  // An output that no step of the body writes.
  void copy_result(const BufferTable& buffers, const Running& running, size_t k, int64_t n,
                   int64_t at) const {
    const Result& result = body_->plan().results[k];
    const auto copy = [&](const std::byte* from) {
      const int64_t begin = running.parts.begin(output_bytes_[k]);
      copy_output(destination(buffers, k, n, at) + begin, from + begin,
                  running.parts.end(output_bytes_[k]) - begin);
    };
    switch (result.from) {
      case Result::From::buffer:
        return;
      case Result::From::input:
        return copy(running.bases[1 + result.index]);
      case Result::From::constant: {
        const Tensor& tensor = body_->plan().constants[result.index].tensor;
        return copy(static_cast<const std::byte*>(tensor.raw_data()));
      }
      case Result::From::result:
        return copy(destination(buffers, result.index, n, at));
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
  int64_t tables_offset_ = 0, scratch_bytes_ = 0;
  int64_t parts_ = 1;  // the rows of all values, of which each task computes some in all steps
  int tasks_ = 1;
};

}  // namespace

StepDescriptor lower_loop(const LoweringContext& context, size_t node) {
  return {.reads = context.shaped.tensors(node),
          .writes = context.shaped.planned(node).outputs,
          .step = std::make_unique<LoopStep>(context, node),
          .kernel = "loop"};
}

}  // namespace mithril::cpu_backend
