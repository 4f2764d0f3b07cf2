// Lines of generated code.
#pragma once
#include <string>
#include <string_view>

#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

// A line of code with this indent, broken at spaces if it is longer than 100 columns. A comment is
// not broken.
std::string code_line(size_t indent, std::string_view text);

// "[N=4, 3]": the sizes, with the names that they have in the model.
std::string dims_comment(const Value& value, const Dims& dims);

}  // namespace mithril::codegen
