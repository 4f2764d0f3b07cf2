// The step of all convolutions and their input gradients.
#pragma once

#include <memory>
#include <optional>

#include "backends/cpu/conv/convolution_form.hpp"

namespace mithril::cpu_backend {

struct ConvolutionValues {
  ValueId source, weight, made;
  std::optional<ValueId> bias;
  std::optional<TypedValue> zero = {};  // the zero point of an int8 or uint8 source
};

// A step that computes the convolution in this form. A bound weight is packed now, any other in
// each run. An input gradient packs its weight in each run and takes no epilogue.
StepDescriptor convolution_descriptor(const LoweringContext& context,
                                      std::shared_ptr<const ConvolutionForm> form,
                                      const ConvolutionValues& values,
                                      bool is_input_gradient = false);

// A convolution of 8-bit integers in a form of int16 pairs. The weight is a constant of int16.
StepDescriptor integer_convolution_descriptor(const LoweringContext& context,
                                              std::shared_ptr<const ConvolutionForm> form,
                                              const ConvolutionValues& values,
                                              const Int16Operand& source);

}  // namespace mithril::cpu_backend
