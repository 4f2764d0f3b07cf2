// A model as HTML for notebooks.
#pragma once
#include <string>

#include "mithril/model/model.hpp"

namespace mithril {

// A drawing of the parts and of what flows between them (inline SVG), and the table of the summary.
// It stands alone, and every text in it is escaped. Of more than 60 parts there is no drawing.
std::string to_html(const Model& model);

}  // namespace mithril
