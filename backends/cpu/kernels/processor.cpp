#include "backends/cpu/kernels/processor.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mithril::cpu_backend {

#ifdef __x86_64__

bool processor_has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul");
}

bool processor_has_avx512() {
  return processor_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}

#else

bool processor_has_avx2() { return false; }
bool processor_has_avx512() { return false; }

#endif

#if defined(__x86_64__) && defined(__linux__)

bool processor_has_amx() {
  if (!processor_has_avx512() || !__builtin_cpu_supports("avx512bf16")) return false;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned products_of_bfloat16 = 1u << 22, tiles = 1u << 24;
  constexpr long request_permission = 0x1023, tile_data = 18;
  return (d & products_of_bfloat16) && (d & tiles) &&
         syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

#else

bool processor_has_amx() { return false; }

#endif

}  // namespace mithril::cpu_backend
