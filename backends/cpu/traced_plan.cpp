#include "backends/cpu/traced_plan.hpp"

#include <set>

namespace mithril::cpu_backend {

std::shared_ptr<const TracedSteps> TracedPlan::steps(const Plan& shapes,
                                                     const std::vector<PlannedStep>& steps) const {
  return described_.get([&] {
    const StepDescriber describer(graph_, shapes);
    TracedSteps described(steps.size());
    // Steps that prepare another one compute the same nodes, and run before it.
    std::set<size_t> counted;
    for (size_t i = steps.size(); i-- > 0;) {
      bool counts = steps[i].kernel != "observer";
      for (const size_t node : steps[i].nodes) {
        if (counts && !counted.insert(node).second) counts = false;
      }
      described[i] = describer.describe(steps[i].nodes, steps[i].kernel, counts);
    }
    return described;
  });
}

}  // namespace mithril::cpu_backend
