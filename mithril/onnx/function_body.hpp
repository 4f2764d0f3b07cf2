// The nodes that a call of a function stands for.
#pragma once
#include "mithril/onnx/file.hpp"

namespace mithril::onnx {

// The nodes of the function with the attributes of the call. Inputs that the call leaves out are
// left out by the nodes, too.
GraphRecord body_of_call(const FunctionRecord& function, const NodeRecord& call);

}  // namespace mithril::onnx
