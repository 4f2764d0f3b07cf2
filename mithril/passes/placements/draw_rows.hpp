// Random numbers of the rows of a process, which are those that the rows have in the whole batch.
#pragma once
#include <map>
#include <optional>
#include <set>

#include "mithril/graph/expression.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/found_placements.hpp"

namespace mithril {

// Scalars of int64 of one graph.
struct RowNumber {
  Expression first;  // the first row of the process
  Expression count;  // the rows of the whole batch
};
using RowNumbers = std::map<size_t, RowNumber>;  // by batch

// Whether the op draws each element by its index, from a random key.
bool draws_elements(const OpDef& op);
// How to draw for the rows of a value that is placed like this; none: they are not consecutive
// indices of the axis.
std::optional<RowDraw> row_draw(const Value& value, const Placement& of, const BatchRows& rows);
// The batches for whose rows the node draws, or nodes of its graphs do.
std::set<size_t> batches_drawn(const NodeChange& change);
// `numbers` holds the batches that are drawn for, and is of the graph of the node.
void draw_rows(Node& node, const RowDraw& draw, const RowNumbers& numbers);
// The graphs of the node get the numbers as their last inputs, and their nodes draw in this way.
void draw_rows(Node& node, const NestedChanges& changes, const RowNumbers& numbers);

}  // namespace mithril
