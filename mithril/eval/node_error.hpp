// Says of an error where in a graph it happened.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Raises the error with the name of the value that was being made as its path, and the op in front
// of the message. What it says already stays.
[[noreturn]] void raise_at(const Graph& graph, const OpDef& op, ValueId made, const Error& error);

}  // namespace mithril
