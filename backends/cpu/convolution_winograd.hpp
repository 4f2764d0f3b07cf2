// Steps that convolve by Winograd's algorithm.
#pragma once

#include "backends/cpu/context.hpp"
#include "backends/cpu/draft.hpp"
#include "backends/cpu/windows.hpp"

namespace mithril::cpu_backend {

struct ConvolutionValues {
  ValueId source, weight, made;
  std::optional<ValueId> bias;
};

// Of floats, with a window that suits it and a weight that is a constant, for it is transformed
// once for all.
Draft draft_winograd(const Context& context, const Convolution& convolution,
                     const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
