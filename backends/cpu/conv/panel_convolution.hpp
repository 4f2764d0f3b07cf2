// Lowering of convolutions to GEMMs that pack the weight in panels.
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

// Lowers a float32 convolution with a bound weight, which is transformed once, to Winograd or small
// planes. Returns nullopt if neither suits it.
std::optional<StepDescriptor> lower_panel_convolution(const LoweringContext& context,
                                                      const Convolution& convolution,
                                                      const ConvolutionValues& values);

// Lowers a bfloat16 convolution with float32 result and bias. suits_im2col must hold.
StepDescriptor lower_im2col(const LoweringContext& context, const Convolution& convolution,
                            const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
