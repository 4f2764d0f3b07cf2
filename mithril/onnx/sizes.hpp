// Nodes on sizes, of which some are not known at import.
#pragma once
#include <optional>

#include "mithril/onnx/fold_room.hpp"
#include "mithril/onnx/op_row.hpp"

namespace mithril::onnx {

// The outputs of an op on sizes: `Gather` of `Shape`, `Concat` and so on. Nothing if the node is no
// such op.
std::optional<Outputs> computed_sizes(const NodeContext& node);

// The outputs of an op that moves elements, where these are sizes: `fold` moves their places. Takes
// the work from `room`. Nothing if the node is no such op.
std::optional<Outputs> moved_sizes(const OpRow& row, const NodeContext& node,
                                   const FileRecord& file, FoldRoom& room);

}  // namespace mithril::onnx
