#include "backends/cpu/executable.hpp"

#include <new>
#include <utility>

#include "backends/cpu/branch_step.hpp"
#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/execution_plan.hpp"
#include "backends/cpu/memory/run_memory.hpp"
#include "backends/cpu/memory_timeline.hpp"
#include "backends/cpu/rewrite/legalize.hpp"
#include "backends/cpu/runtime/elements.hpp"
#include "backends/cpu/runtime/exchanges.hpp"
#include "mithril/backend/plans_memory.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/eval/size_cache.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

class CpuExecutable final : public Executable, public PlansMemory {
 public:
  CpuExecutable(const Graph& graph, Config config)
      : graph_(legalize(graph, config)),
        sizes_(graph_),
        config_(with_loops(std::move(config))),
        packed_(graph_) {
    for (const Node& node : graph_.nodes()) {
      if (config_.observer) observed_.push_back(config_.observer->wants(node));
    }
    if (config_.native) compile_loops();
  }

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    MITHRIL_CHECK(inputs.size() == graph_.inputs().size(),
                  "the graph takes another number of inputs");
    const std::shared_ptr<const ExecutionPlan> plan = plan_for(inputs);
    const Arenas::Loan loan = arenas_.lend(plan->memory.arena_bytes, plan->memory.buffers);
    const std::span<std::byte*> bases = loan->bases();
    // Steps write to an input only if it is donated.
    const auto base = [](const Tensor& tensor) {
      return static_cast<std::byte*>(const_cast<void*>(tensor.raw_data()));
    };
    std::vector<Tensor> moved;
    if (std::any_of(inputs.begin(), inputs.end(), begins_between_floats)) {
      moved.assign(inputs.begin(), inputs.end());
      for (Tensor& tensor : moved) tensor = where_floats_begin(tensor);
      inputs = moved;
    }
    for (size_t i = 0; i < inputs.size(); ++i) place(bases[1 + i], base(inputs[i]));
    for (const HeldConstant& held : plan->constants) place(bases[held.base], base(held.tensor));
    std::vector<Tensor> results;
    results.reserve(plan->results.size());
    for (const Result& result : plan->results) {
      results.push_back(begin(*plan, result, inputs, results));
      if (result.from == Result::From::buffer) place(bases[result.index], base(results.back()));
    }
    run_steps(*plan, bases, loan->traversal_order());
    return results;
  }

  std::vector<std::string> notes() const override {
    std::shared_ptr<const ExecutionPlan> plan;
    try {
      plan = static_plan();
    } catch (const Error& error) {
      return {"evaluating is refused: " + error.details().message};
    }
    std::vector<std::string> notes;
    if (!config_.native_note.empty()) notes.push_back(config_.native_note);
    if (config_.native) notes.push_back(plan ? plan->native_note : native_note_before_sizes());
    return notes;
  }

  std::optional<int64_t> run_bytes() const override {
    try {
      const auto plan = static_plan();
      return plan ? std::optional(plan->memory.arena_bytes + plan->memory.output_bytes)
                  : std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  MemoryTimeline memory_timeline(std::span<const Tensor> inputs) const override {
    return timeline_of(graph_, *plan_for(inputs));
  }

 private:
  static Config with_loops(Config config) {
    config.lower_nested = lower_nested;
    return config;
  }

  // Writes a base only if it changes, because a write evicts it from the caches of other threads.
  static void place(std::byte*& base, std::byte* at) {
    if (base != at) base = at;
  }

  void run_steps(const ExecutionPlan& plan, std::span<std::byte* const> bases,
                 AlternatingTraversal& traversal_order) const {
    const TracedRun traced;
    StepTrace* const trace = traced.trace();
    std::vector<TraceTicks> ticks(trace ? plan.steps.size() + 1 : 0);
    if (trace) ticks.front() = trace_ticks();
    Exchanges exchanges;  // those that have not ended when a step throws end here
    size_t next = 0;
    try {
      for (; next < plan.steps.size(); ++next) {
        if (next < plan.memory.untouched_steps) check_interrupt();
        plan.run_step(next, bases, traversal_order.next(plan.steps[next].traversal), &exchanges);
        if (trace) ticks[next + 1] = trace_ticks();
      }
      if (trace) trace->add_steps(plan.traced_steps(), std::move(ticks));
    } catch (const Error& error) {
      if (next < plan.memory.untouched_steps) throw;
      ErrorDetails details = error.details();
      details.wrote_inputs = true;
      raise(std::move(details));
    } catch (const std::bad_alloc&) {  // not `after_writing`: the first steps write nothing
      if (next < plan.memory.untouched_steps) throw;
      raise_out_of_memory_after_writing();
    }
  }

  std::shared_ptr<const ExecutionPlan> plan_for(std::span<const Tensor> inputs) const {
    const auto fits = [&](const ExecutionPlan& plan) {
      return std::equal(inputs.begin(), inputs.end(), plan.shapes.inputs.begin(),
                        [](const Tensor& input, const Dims& dims) { return input.dims() == dims; });
    };
    return plans_.find_or_make(fits, [&] {
      return make_execution_plan(graph_, make_plan(graph_, sizes_, inputs), config_, packed_,
                                 observed_);
    });
  }

  // The tensor of a result. Steps write it if it is new.
  Tensor begin(const ExecutionPlan& plan, const Result& result, std::span<const Tensor> inputs,
               std::span<const Tensor> results) const {
    if (result.from == Result::From::input) return inputs[result.index];
    if (result.from == Result::From::constant) return plan.constants[result.index].tensor;
    if (result.from == Result::From::result) return results[result.index];
    return results_.take(result.dtype, result.dims);
  }

  // Compiles native code before the first evaluation if all sizes are static, because it takes most
  // of the time of a plan. The evaluation raises the errors that are ignored here.
  void compile_loops() const {
    try {
      static_plan();
    } catch (const Error&) {
    }
  }

  // The plan if the sizes of all inputs are static, otherwise null.
  std::shared_ptr<const ExecutionPlan> static_plan() const {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph_.inputs()) {
      const Value& value = graph_.value(id);
      if (!value.ranked) return nullptr;
      Dims dims;
      for (const Dim& dim : value.dims) {
        if (!resolve(dim).is_constant()) return nullptr;
        dims.push_back(resolve(dim).constant());
      }
      inputs.push_back(placeholder(value.dtype, std::move(dims)));
    }
    return plan_for(inputs);
  }

  const Graph graph_;
  const SizeSources sizes_;
  const Config config_;
  std::vector<bool> observed_;  // per node: the observer wants its outputs; empty: no observer
  mutable PackedWeights packed_;
  const SizeCache<ExecutionPlan> plans_ = {};
  mutable Arenas arenas_;
  const ResultMemory results_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const Graph& graph, Config config) {
  return std::make_unique<CpuExecutable>(graph, std::move(config));
}

}  // namespace mithril::cpu_backend
