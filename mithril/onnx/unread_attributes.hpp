// Attributes that the rule of an op did not read.
#pragma once
#include "mithril/onnx/node_context.hpp"

namespace mithril::onnx {

// Refuses an attribute that the rule of the node did not read, unless it cannot change the results.
void refuse_unread(const NodeContext& node);

}  // namespace mithril::onnx
