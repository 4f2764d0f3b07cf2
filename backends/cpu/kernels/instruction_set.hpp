// The vector instruction set that the kernels use, chosen at run time.
#pragma once

#include <string_view>
#include <vector>

namespace mithril::cpu_backend {

// Each set includes the previous ones. `amx` is avx512 with AMX for bfloat16 GEMMs.
enum class Instructions { portable, avx2, avx512, amx };

std::string_view name(Instructions instructions);
// The sets that the processor has and kernels were compiled for, in ascending order.
const std::vector<Instructions>& present_instructions();
// The set that kernels are chosen for: the best present set, limited by the environment variable
// MITHRIL_INSTRUCTIONS, which is read once. Throws ValueError E0435 if the variable names no set,
// and BackendError E0447 if no present set is within the limit.
Instructions best_instructions();
// Limits the set from now on. Models that were loaded before must not run afterwards. BackendError
// E0447 if no present set is within the limit. For tests.
void limit_instructions(Instructions most);

}  // namespace mithril::cpu_backend
