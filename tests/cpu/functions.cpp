// The vectorised functions are within 3 units in the last place for every kind of number, for each
// instruction set.
#include <doctest/doctest.h>

#include "tests/cpu/function_errors.hpp"

namespace mithril::cpu_backend {
namespace {

template <typename T>
void check_functions() {
  const std::vector<T> numbers = sampled_numbers<T>();
  for (const Instructions instructions : present_instructions()) {
    const ElementwiseKernels<T>& kernels = elementwise_kernels<T>(instructions);
    for (const Function& function : functions) {
      if (!kernels.operations[static_cast<size_t>(function.operation)].one) continue;
      const Worst<T> worst = worst_of(function, numbers, kernels);
      CHECK_MESSAGE(worst.error <= 3, function.name, " of ", worst.at, " with ", name(instructions),
                    " is off by ", worst.error);
    }
  }
}

}  // namespace

TEST_CASE("functions of float32 are within 3 units in the last place") { check_functions<float>(); }

TEST_CASE("functions of float64 are within 3 units in the last place") {
  check_functions<double>();
}

}  // namespace mithril::cpu_backend
