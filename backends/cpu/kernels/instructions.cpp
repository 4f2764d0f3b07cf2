#include "backends/cpu/kernels/instructions.hpp"

#include "backends/cpu/kernels/targets.hpp"

namespace mithril::cpu_backend {

std::string_view name(Instructions instructions) {
  switch (instructions) {
    case Instructions::portable:
      return "portable";
    case Instructions::avx2:
      return "avx2";
    case Instructions::avx512:
      return "avx512";
  }
  return "";
}

const std::vector<Instructions>& present_instructions() {
  static const std::vector<Instructions> present = [] {
    std::vector<Instructions> found{Instructions::portable};
#if HWY_ARCH_X86
    __builtin_cpu_init();
    [[maybe_unused]] const bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul");
#if HWY_TARGETS & HWY_AVX2
    if (avx2) found.push_back(Instructions::avx2);
#endif
#if HWY_TARGETS & HWY_AVX3
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
      found.push_back(Instructions::avx512);
    }
#endif
#endif
    return found;
  }();
  return present;
}

}  // namespace mithril::cpu_backend
