// Which of the processor's vector instructions kernels use: chosen when the program runs.
#pragma once

#include <string_view>
#include <vector>

namespace mithril::cpu_backend {

// Each has what the one before has. With amx, bfloat16 is multiplied by the processor's unit for
// products of matrices, and the rest is done as with avx512.
enum class Instructions { portable, avx2, avx512, amx };

std::string_view name(Instructions instructions);
// Those that kernels were compiled for and the processor has, the best of them last.
const std::vector<Instructions>& present_instructions();
// That kernels are chosen for: the best of those that are present, no better than the variable
// MITHRIL_INSTRUCTIONS of the environment says, which is read once. ValueError E0435 where that
// names none.
Instructions best_instructions();
// None better than these from now on; what was loaded before must not be run then. For tests.
void limit_instructions(Instructions most);

}  // namespace mithril::cpu_backend
