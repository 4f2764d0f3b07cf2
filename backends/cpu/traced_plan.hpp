// The steps of an execution plan as traces show them.
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/lowering/instantiate.hpp"
#include "mithril/eval/describe_step.hpp"

namespace mithril::cpu_backend {

class TracedPlan {
 public:
  // The graph outlives it.
  explicit TracedPlan(const Graph& graph) : graph_(graph) {}
  std::shared_ptr<const TracedSteps> steps(const Plan& shapes,
                                           const std::vector<PlannedStep>& steps) const;

 private:
  const Graph& graph_;
  const LazySteps described_ = {};
};

}  // namespace mithril::cpu_backend
