// What a node is in C++: its formula with the names of elements.
#pragma once
#include <functional>
#include <optional>

#include "codegen/formula_text.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

// The formula of a node whose record spells one that C++ can say; `element` names the element of a
// value. Nothing: it has none.
std::optional<FormulaText> node_formula(const Graph& graph, size_t node, const PlannedNode& planned,
                                        const std::function<std::string(ValueId)>& element);

}  // namespace mithril::codegen
