// Inlines functions that an ONNX file defines.
#pragma once
#include "mithril/onnx/file.hpp"

namespace mithril::onnx {

// The body of the function with the attributes of the call. The nodes omit the inputs that the call
// omits.
GraphRecord body_of_call(const FunctionRecord& function, const NodeRecord& call);

}  // namespace mithril::onnx
