// Finds misspelt names, which have become new inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mithril/compile/options.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

// Whether one name may be a misspelling of the other: one letter inserted, deleted, replaced or
// swapped with its neighbour in a word of at least four letters, or other capitals or underscores.
// Names with different numbers are different names: h1 is not h2.
bool looks_like(std::string_view a, std::string_view b);

// A warning for each input that looks like another name of the model, and that neither the model
// nor the options mention elsewhere.
std::vector<std::string> spelling_warnings(Composite& model, const CompileOptions& options);

}  // namespace mithril
