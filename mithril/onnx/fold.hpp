// Nodes whose inputs are known at import.
#pragma once
#include <optional>

#include "mithril/onnx/op_row.hpp"

namespace mithril::onnx {

// Whether the node has a result at import: all inputs are known, and none is a weight, which stays
// a parameter.
bool is_foldable(const NodeContext& node);

// The outputs of the rule as known elements, computed by the reference of each op. Refused if it
// makes more than `room` bytes.
Outputs fold(const OpRow& row, const NodeContext& node, const FileRecord& file, std::int64_t room);

// The outputs of an op that computes sizes from sizes of which some are not known: `Gather` of
// `Shape`, `Concat` and so on. Nothing if this op, or this use of it, is none.
std::optional<Outputs> computed_sizes(const NodeContext& node);

}  // namespace mithril::onnx
