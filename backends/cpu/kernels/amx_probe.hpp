// Whether AMX can be used.
#pragma once

namespace mithril::cpu_backend {

// Whether the processor has AMX, the kernels were compiled for it, and Linux permits this process
// to use it. The first call requests the permission.
bool has_amx();

}  // namespace mithril::cpu_backend
