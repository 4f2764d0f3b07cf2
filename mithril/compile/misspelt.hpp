// Names with a typing error, which became new inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mithril/compile/options.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

// Whether one of the names may be the other with a typing error: one letter more, less, replaced or
// swapped with its neighbour in a word of at least four, or other capitals or underscores. Numbers
// tell names apart: h1 is not h2.
bool looks_like(std::string_view a, std::string_view b);

// A warning for each input that nothing drives, that looks like another name of the model, and of
// which neither the model nor the options say anything.
std::vector<std::string> misspelt_inputs(Composite& model, const CompileOptions& options);

}  // namespace mithril
