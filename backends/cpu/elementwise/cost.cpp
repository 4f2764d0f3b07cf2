#include "backends/cpu/elementwise/cost.hpp"

namespace mithril::cpu_backend {
namespace {

// The cost of a function such as exp, in additions.
constexpr int64_t cost_of_function = 8;

}  // namespace

int64_t cost_of(const ElementwiseProgram& program) {
  int64_t cost = 0;
  for (const Instruction& at : program.instructions) {
    const bool function = at.operation >= Operation::exp && at.operation <= Operation::erf;
    cost += function ? cost_of_function : 1;
  }
  return cost;
}

}  // namespace mithril::cpu_backend
