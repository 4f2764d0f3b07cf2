// The vector instructions of the processor.
#pragma once

namespace mithril::cpu_backend {

// Whether this process may use them. The configuration of a build asks, too
// (cmake/MithrilCpuTargets.cmake), so the source needs no library.
bool processor_has_avx2();
bool processor_has_avx512();
// Linux must permit it; the call requests the permission.
bool processor_has_amx();

}  // namespace mithril::cpu_backend
