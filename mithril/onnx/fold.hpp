// Nodes whose inputs are known at import.
#pragma once
#include <optional>

#include "mithril/onnx/fold_room.hpp"
#include "mithril/onnx/op_row.hpp"

namespace mithril::onnx {

// Whether the outputs are computed at import: all inputs are known, and none is a weight, because
// weights stay parameters.
bool is_foldable(const NodeContext& node);

// Computes the outputs with the reference implementation of the ops that the rule composes, and
// takes the work from `room`. Returns nothing if the room is too small: the model computes them.
std::optional<Outputs> fold(const OpRow& row, const NodeContext& node, const FileRecord& file,
                            FoldRoom& room);

// The same for weights that `DequantizeLinear` makes: some rows at a time, so that little memory is
// needed beside the weights.
std::optional<Outputs> fold_weights(const OpRow& row, const NodeContext& node,
                                    const FileRecord& file, FoldRoom& room);

}  // namespace mithril::onnx
