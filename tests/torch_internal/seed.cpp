// Seeds the generator of torch, which has a random seed in each process.
#include <ATen/CPUGeneratorImpl.h>

namespace {

[[maybe_unused]] const bool seeded = [] {
  at::Generator shared = at::detail::getDefaultCPUGenerator();
  shared.set_current_seed(0);
  return true;
}();

}  // namespace
