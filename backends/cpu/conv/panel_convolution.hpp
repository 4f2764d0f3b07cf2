// Steps that convolve by products whose columns are the channels that are made.
#pragma once

#include <optional>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

struct ConvolutionValues {
  ValueId source, weight, made;
  std::optional<ValueId> bias;
};

// Nothing where neither Winograd's algorithm nor products of small planes are for this convolution.
// Of floats, with a weight that is a constant, for it is transformed once for all.
std::optional<StepDescriptor> lower_panel_convolution(const LoweringContext& context,
                                                      const Convolution& convolution,
                                                      const ConvolutionValues& values);

// Of bfloat16, into floats, with a bias of floats, for a convolution that suits patches.
StepDescriptor lower_im2col(const LoweringContext& context, const Convolution& convolution,
                            const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
