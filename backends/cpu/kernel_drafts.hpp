// From a node to the kernel that its record spells for this backend.
#pragma once

#include <optional>

#include "backends/cpu/context.hpp"
#include "backends/cpu/draft.hpp"

namespace mithril::cpu_backend {

// Nothing where the record spells none, or the kernel is not for these dtypes.
std::optional<Draft> draft_kernel(const Context& context, size_t node);

}  // namespace mithril::cpu_backend
