// A process of torch begins with a random seed; that of these tests draws the same numbers always.
#include <ATen/CPUGeneratorImpl.h>

namespace {

[[maybe_unused]] const bool seeded = [] {
  at::Generator shared = at::detail::getDefaultCPUGenerator();
  shared.set_current_seed(0);
  return true;
}();

}  // namespace
