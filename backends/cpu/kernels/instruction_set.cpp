#include "backends/cpu/kernels/instruction_set.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <string>

#include "backends/cpu/kernels/processor.hpp"
#include "backends/cpu/kernels/targets.hpp"
#include "mithril/base/error.hpp"

namespace mithril::cpu_backend {
namespace {

// In the order of `enum class Instructions`.
constexpr std::array<std::string_view, 4> names = {"portable", "avx2", "avx512", "amx"};

// The sets that kernels were compiled for, in ascending order.
constexpr Instructions compiled[] = {
#if !(HWY_STATIC_TARGET & (HWY_AVX2 | HWY_AVX3))
    Instructions::portable,
#endif
#if HWY_TARGETS & HWY_AVX2
    Instructions::avx2,
#endif
#if HWY_TARGETS & HWY_AVX3
    Instructions::avx512,
#endif
#ifdef MITHRIL_HAS_AMX_KERNELS
    Instructions::amx,
#endif
};

bool processor_has(Instructions instructions) {
  switch (instructions) {
    case Instructions::portable:
      return true;
    case Instructions::avx2:
      return processor_has_avx2();
    case Instructions::avx512:
      return processor_has_avx512();
    case Instructions::amx:
      return processor_has_amx();
  }
  return false;
}

[[noreturn]] void refuse(const std::string& reason) {
  raise(
      {.kind = ErrorKind::backend,
       .code = "E0447",
       .message = "the kernels of this build need " + std::string(name(compiled[0])) + reason,
       .help = "configure the build with -DMITHRIL_CPU_TARGETS=all: kernels for every processor"});
}

Instructions best_of(Instructions most) {
  const std::vector<Instructions>& present = present_instructions();
  if (present.empty()) refuse(", which this processor does not have");
  if (most < present.front()) {
    refuse(", and MITHRIL_INSTRUCTIONS limits them to " + std::string(name(most)));
  }
  return *std::prev(std::upper_bound(present.begin(), present.end(), most));
}

Instructions wanted_instructions() {
  const char* wanted = std::getenv("MITHRIL_INSTRUCTIONS");
  if (!wanted || !*wanted) return Instructions::amx;
  for (size_t i = 0; i < names.size(); ++i) {
    if (wanted == names[i]) return static_cast<Instructions>(i);
  }
  raise(
      {.kind = ErrorKind::value,
       .code = "E0435",
       .message = "MITHRIL_INSTRUCTIONS is '" + std::string(wanted) +
                  "', expected portable, avx2, avx512 or amx",
       .help = "it says which vector instructions are used at most; unset, the processor's best"});
}

std::atomic<Instructions>& chosen_instructions() {
  static std::atomic<Instructions> chosen = best_of(wanted_instructions());
  return chosen;
}

}  // namespace

std::string_view name(Instructions instructions) {
  return names[static_cast<size_t>(instructions)];
}

const std::vector<Instructions>& present_instructions() {
  static const std::vector<Instructions> present = [] {
    std::vector<Instructions> found;
    std::copy_if(std::begin(compiled), std::end(compiled), std::back_inserter(found),
                 processor_has);
    return found;
  }();
  return present;
}

Instructions best_instructions() { return chosen_instructions().load(std::memory_order_relaxed); }

void limit_instructions(Instructions most) { chosen_instructions() = best_of(most); }

}  // namespace mithril::cpu_backend
