// The page of the viewer around its data.
#pragma once

#include <string>
#include <string_view>

namespace mithril {

// One HTML file: the styles and scripts of mithril/viewer/page, the library of
// mithril/viewer/dagre, and the data, JSON as JsonText writes it. The policy of the page allows no
// network, and no script but these.
std::string page_with(std::string_view title, std::string_view json);

}  // namespace mithril
