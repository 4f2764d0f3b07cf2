#include "backends/cpu/kernels/amx_probe.hpp"

#if defined(__x86_64__) && defined(__linux__) && (defined(__GNUC__) || defined(__clang__))

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mithril::cpu_backend {
namespace {

bool has_matrix_unit() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned products_of_bfloat16 = 1u << 22, tiles = 1u << 24;
  return (d & products_of_bfloat16) && (d & tiles);
}

bool may_use_its_registers() {
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

bool has_amx() {
  static const bool has = has_matrix_unit() && may_use_its_registers();
  return has;
}

}  // namespace mithril::cpu_backend

#else

namespace mithril::cpu_backend {

bool has_amx() { return false; }

}  // namespace mithril::cpu_backend

#endif
