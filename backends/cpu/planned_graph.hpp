// A graph that a node contains, planned once: the body of a loop, a branch.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "backends/cpu/execution_plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Rounded up to the alignment of buffers.
inline int64_t aligned_bytes(int64_t bytes) {
  constexpr int64_t alignment = 64;
  return (bytes + alignment - 1) / alignment * alignment;
}

inline void copy_output(std::byte* to, const std::byte* from, int64_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, static_cast<size_t>(bytes));
}

// It does not move, because the plan refers to it.
class PlannedGraph {
 public:
  // `inputs` are placeholders of their dtypes and dims. Input i >= `kept` is the value arguments[i]
  // of the outer graph. The outer graph packs the constants among them, once for all steps and
  // plans. `begins_loop`: the caller calls ExecutionPlan::begin_loop before the first step, and
  // keeps the arena and the other values until the last one.
  PlannedGraph(const Graph& graph, const std::vector<Tensor>& inputs,
               const LoweringContext& context, const std::vector<ValueId>& arguments, size_t kept,
               bool begins_loop = false);

  const ExecutionPlan& plan() const { return plan_; }
  std::vector<Dims> output_dims() const;
  // Of the memory that `run` needs.
  int64_t scratch_bytes() const;

  // Runs the graph once and allocates nothing. `input(i)` and `output(k)` are the addresses of its
  // inputs and outputs. `direction`: see ExecutionPlan::run_nested.
  template <typename Input, typename Output>
  void run(std::byte* memory, Direction direction, Input input, Output output) const {
    auto** const table =
        reinterpret_cast<std::byte**>(memory + aligned_bytes(plan_.memory.arena_bytes));
    const std::span<std::byte*> bases(table, plan_.memory.buffers);
    begin(memory, bases);
    for (size_t i = 0; i < graph_.inputs().size(); ++i) bases[1 + i] = input(i);
    for (size_t k = 0; k < plan_.results.size(); ++k) {
      const Result& result = plan_.results[k];
      if (result.from == Result::From::buffer) bases[result.index] = output(k);
    }
    plan_.run_nested(bases, direction);
    for (size_t k = 0; k < plan_.results.size(); ++k) {
      const Result& result = plan_.results[k];
      if (result.from == Result::From::buffer) continue;
      const std::byte* const from =
          result.from == Result::From::result ? output(result.index) : kept_result(result, bases);
      copy_output(output(k), from, output_bytes_[k]);
    }
  }

 private:
  PackedWeights& with_weights(PackedWeights& outer, const std::vector<ValueId>& arguments,
                              size_t kept, bool begins_loop);
  void begin(std::byte* memory, std::span<std::byte*> bases) const;
  // The address of a result that is an input or a constant.
  const std::byte* kept_result(const Result& result, std::span<std::byte* const> bases) const;

  const Config config_;
  const Graph graph_;
  PackedWeights packed_;
  const ExecutionPlan plan_;
  std::vector<int64_t> output_bytes_;
};

}  // namespace mithril::cpu_backend
