// The step of all convolutions and their input gradients.
#pragma once

#include <memory>
#include <optional>

#include "backends/cpu/conv/convolution_form.hpp"

namespace mithril::cpu_backend {

struct ConvolutionValues {
  ValueId source, weight, made;
  std::optional<ValueId> bias;
};

// A step that computes the convolution in this form. A bound weight is packed now, any other in
// each run. An input gradient packs its weight in each run and takes no epilogue.
StepDescriptor convolution_descriptor(const LoweringContext& context,
                                      std::shared_ptr<const ConvolutionForm> form,
                                      const ConvolutionValues& values,
                                      bool is_input_gradient = false);

}  // namespace mithril::cpu_backend
