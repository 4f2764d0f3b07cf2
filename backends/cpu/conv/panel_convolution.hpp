// Lowering of bfloat16 convolutions to im2col GEMMs.
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

// Lowers a bfloat16 convolution with float32 result and bias. suits_im2col must hold.
StepDescriptor lower_im2col(const LoweringContext& context, const Convolution& convolution,
                            const ConvolutionValues& values);

}  // namespace mithril::cpu_backend
