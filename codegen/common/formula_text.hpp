// A record's formula as an expression of C++, for one node.
#pragma once
#include <optional>

#include "codegen/common/formula_writer.hpp"

namespace mithril::codegen {

// None if the node is in a branch without an expression, or calls a function that C++ lacks.
std::optional<FormulaText> formula_text(const Formula& formula, const FormulaNode& node);

}  // namespace mithril::codegen
