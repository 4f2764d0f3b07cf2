#include "backends/cpu/kernels/instruction_set.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "backends/cpu/kernels/targets.hpp"
#include "mithril/base/error.hpp"

// The AMX kernels are compiled.
#if defined(__x86_64__) && defined(__linux__) && (defined(__GNUC__) || defined(__clang__))
#define MITHRIL_HAS_AMX_KERNELS
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mithril::cpu_backend {
namespace {

// In the order of `enum class Instructions`.
constexpr std::array<std::string_view, 4> names = {"portable", "avx2", "avx512", "amx"};

// Whether the processor has AMX, the kernels were compiled for it, and Linux permits this process
// to use it. The call requests the permission.
bool has_amx() {
#ifdef MITHRIL_HAS_AMX_KERNELS
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned products_of_bfloat16 = 1u << 22, tiles = 1u << 24;
  constexpr long request_permission = 0x1023, tile_data = 18;
  return (d & products_of_bfloat16) && (d & tiles) &&
         syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

Instructions best_of(Instructions most) {
  Instructions best = Instructions::portable;
  for (const Instructions present : present_instructions()) {
    if (present <= most) best = present;
  }
  return best;
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
      if (__builtin_cpu_supports("avx512bf16") && has_amx()) found.push_back(Instructions::amx);
    }
#endif
#endif
    return found;
  }();
  return present;
}

Instructions best_instructions() { return chosen_instructions().load(std::memory_order_relaxed); }

void limit_instructions(Instructions most) { chosen_instructions() = best_of(most); }

}  // namespace mithril::cpu_backend
