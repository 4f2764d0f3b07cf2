// Convolutions of doubles that are integers, which imported ConvInteger and QLinearConv become.
#pragma once
#include <optional>

#include "mithril/onnx/export/form.hpp"

namespace mithril::onnx {

// The result of conv2d(x, weight, bias, ...) by an op that runtimes have kernels for: ConvInteger,
// or Conv of float32 where its sums are exact. None if neither has these sums.
std::optional<Operand> integer_convolution(const FormContext& c, const FormArguments& a,
                                           const Attributes& attributes);

}  // namespace mithril::onnx
