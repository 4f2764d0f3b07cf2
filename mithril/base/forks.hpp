// Tells a forked child from its parent: it has none of the parent's other threads.
#pragma once

#include <cstdint>

namespace mithril {

// The number of forks between the process that loaded the library and this one.
std::uint32_t fork_count();

}  // namespace mithril
