// A model as the text of tools that draw graphs.
#pragma once

#include <string>

#include "mithril/model/model.hpp"

namespace mithril {

// The inputs, the parts of the first `levels` levels and the outputs, with an edge where one reads
// another: in the language of Graphviz, and in that of Mermaid. Parts with parts on a further level
// are clusters (subgraphs in Mermaid). All names are escaped.
std::string to_dot(const Model& model, int levels = 1);
std::string to_mermaid(const Model& model, int levels = 1);

}  // namespace mithril
