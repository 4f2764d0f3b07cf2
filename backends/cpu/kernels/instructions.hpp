// Which of the processor's vector instructions kernels use: chosen when the program runs.
#pragma once

#include <string_view>
#include <vector>

namespace mithril::cpu_backend {

enum class Instructions { portable, avx2, avx512 };

std::string_view name(Instructions instructions);
// Those that kernels were compiled for and the processor has, the best of them last.
const std::vector<Instructions>& present_instructions();
inline Instructions best_instructions() { return present_instructions().back(); }

}  // namespace mithril::cpu_backend
