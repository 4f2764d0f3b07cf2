// C++ as a language of programs.
#pragma once

#include "codegen/common/language.hpp"

namespace mithril::codegen {

const Language& cpp_language();

}  // namespace mithril::codegen
