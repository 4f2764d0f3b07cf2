// Drawings of Graphviz as SVG.
#pragma once

#include <string>

namespace mithril::cli {

// The SVG that the program `dot` makes of a text of its language. MissingError if it is not
// installed, or fails.
std::string svg_of(const std::string& dot_text);

}  // namespace mithril::cli
