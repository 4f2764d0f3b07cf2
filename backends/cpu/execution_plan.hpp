// An execution plan: the steps that run a graph for inputs of given sizes, and their memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/elementwise/native/compiler.hpp"
#include "backends/cpu/fusion/row_cuts.hpp"
#include "backends/cpu/lowering/instantiate.hpp"
#include "backends/cpu/memory/memory_planner.hpp"
#include "backends/cpu/traced_plan.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

struct ExecutionPlan {
  Plan shapes;                                  // steps refer to its nodes
  std::shared_ptr<const NativeLibrary> native;  // that steps call; null: none
  std::string native_note;                      // for the summary, if native code was asked for
  PlannedMemory memory;
  std::vector<PlannedStep> steps;
  RowCuts row_cuts;
  std::vector<Result> results;
  std::vector<HeldConstant> constants;
  std::unique_ptr<const TracedPlan> traced;  // not null

  // `exchanges`: see BufferTable.
  void run_step(size_t step, std::span<std::byte* const> bases, Direction direction,
                Exchanges* exchanges = nullptr) const {
    std::byte* const scratch = bases.front() + memory.scratch[step];
    steps[step].step->run(BufferTable(memory.refs, bases, scratch, direction, exchanges));
  }
  // Prepares the steps of a loop before its first run.
  void begin_loop(std::span<std::byte* const> bases) const;
  // Runs all steps as those of a graph that a node contains. `direction`: of the steps that
  // alternate in loops.
  void run_nested(std::span<std::byte* const> bases, Direction direction) const;
  // The same for some parts of all values, in the calling thread. `kept`: the arena with the memory
  // that begin_loop has prepared.
  void run_parts(std::span<std::byte* const> bases, Direction direction, const PartRange& parts,
                 std::byte* kept) const;
  // The steps for traces.
  std::shared_ptr<const TracedSteps> traced_steps() const { return traced->steps(shapes, steps); }

 private:
  template <typename RunStep>
  void run_all(const RunStep& run) const;
};

// Compiles the graph for the sizes of `shapes`. `observed`, per node: the observer wants its
// outputs; empty: none. The graph, the configuration and the packed weights outlive the plan.
// OutOfMemoryError E1101 if a run needs more than the limit, E1102 if it needs more than the
// machine has; both before anything is allocated.
ExecutionPlan make_execution_plan(const Graph& graph, Plan shapes, const Config& config,
                                  PackedWeights& packed, const std::vector<bool>& observed = {});

}  // namespace mithril::cpu_backend
