// The identity of a build of Mithril.
#pragma once

#include <string>

namespace mithril {

// The linker's build id of the library, or of the program that contains it, with the other facts on
// which its arithmetic depends: the C library and the features of the processor. Empty without a
// build id.
const std::string& build_id();

}  // namespace mithril
