// What tells one build of Mithril from another.
#pragma once

#include <string>

namespace mithril {

// The build id that the linker gave the library, or the program that holds it, with what its
// arithmetic depends on: the C library and what the processor can do. Empty where there is none.
const std::string& build_id();

}  // namespace mithril
