// A node in the language of a program: its formula with the names of elements.
#pragma once
#include <functional>
#include <optional>

#include "codegen/common/language.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

// The formula of the node, if its record spells one that the language can express; otherwise none.
// `element` gives the name of a value's element. `wide`: it makes BigInts (wide_ints.hpp).
std::optional<FormulaText> node_formula(const Graph& graph, size_t node, const PlannedNode& planned,
                                        const Language& language,
                                        const std::function<std::string(ValueId)>& element,
                                        bool wide = false);

}  // namespace mithril::codegen
