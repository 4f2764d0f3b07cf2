// A model as HTML for notebooks.
#pragma once
#include <string>

#include "mithril/model/model.hpp"

namespace mithril {

// A drawing of the parts and their connections (inline SVG), and the table of the summary. It is
// self-contained, and all text is escaped. A model of more than 60 parts has no drawing.
std::string to_html(const Model& model);

}  // namespace mithril
