// Models in the languages of tools that draw graphs.
#pragma once

#include <string>

#include "mithril/model/model.hpp"

namespace mithril {

// The diagram of the first `levels` levels (diagram.hpp) for Graphviz, and for Mermaid. Groups are
// clusters, or subgraphs in Mermaid. Names are escaped.
std::string to_dot(const Model& model, int levels = 1);
std::string to_mermaid(const Model& model, int levels = 1);

}  // namespace mithril
