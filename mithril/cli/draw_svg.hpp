// Drawings of Graphviz as SVG.
#pragma once

#include <string>

namespace mithril::cli {

// The SVG that the program `dot` makes of a text of its language, for the file `asked`.
// MissingError if it is not installed, or fails; InputError E0831 for full temporary folders.
std::string svg_of(const std::string& dot_text, const std::string& asked);

}  // namespace mithril::cli
