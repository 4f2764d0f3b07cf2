// The version of the library that a program runs with.
#pragma once

#include <string_view>

namespace mithril {

// "major.minor.patch", as CMakeLists.txt has it.
std::string_view version();

}  // namespace mithril
