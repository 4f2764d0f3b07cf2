// The identity of a build of Mithril.
#pragma once

#include <string>

namespace mithril {

// The build id that the linker gave the library, or the program that holds it, with what its
// arithmetic depends on: the C library and what the processor can do. Empty without a build id.
const std::string& build_id();

}  // namespace mithril
