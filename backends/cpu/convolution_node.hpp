// What nodes say of convolutions.
#pragma once

#include <optional>
#include <string>

#include "backends/cpu/context.hpp"
#include "backends/cpu/windows.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Of tensors with these roles, one of which the node makes.
struct ConvolutionValues {
  ValueId input, weight, output;
};

// The tensor at a port; nothing where there is none.
std::optional<ValueId> tensor_at(const Sized& sized, size_t node, const std::string& port);

// The last four of the call's arguments are stride, padding, dilation and groups. Nothing where the
// window cannot move so, which `eval` refuses, or has no taps.
std::optional<Convolution> convolution_of(const Sized& sized, size_t node,
                                          const SpelledExpression& call,
                                          const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
