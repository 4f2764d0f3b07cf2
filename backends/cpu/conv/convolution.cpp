#include "backends/cpu/conv/convolution.hpp"

#include <memory>

#include "backends/cpu/conv/convolution_form.hpp"
#include "backends/cpu/conv/im2col.hpp"
#include "backends/cpu/conv/implicit_gemm.hpp"
#include "backends/cpu/conv/nchwc_form.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

template <typename T>
StepDescriptor implicit_gemm_descriptor(const LoweringContext& context, const Convolution& c,
                                        const ConvolutionValues& values, bool is_input_gradient) {
  const int64_t nr = gemm_kernels<T>().nr;
  return convolution_descriptor(context,
                                implicit_gemm<T>(is_input_gradient ? input_gradient_geometry(c, nr)
                                                                   : forward_geometry(c, nr)),
                                values, is_input_gradient);
}

bool are_bfloat16(const ShapedGraph& shaped, const ConvolutionValues& values) {
  const bool both = shaped.dtype(values.source) == DType::bfloat16 &&
                    shaped.dtype(values.weight) == DType::bfloat16;
  return both && shaped.dtype(values.made) == DType::float32 &&
         (!values.bias || shaped.dtype(*values.bias) == DType::float32);
}

// In float32, convolutions are faster in the blocked layout even if both sides have to be
// converted, if they have more than one tap, or if panels of implicit GEMM would be filled too
// little.
bool gains_from_blocks(const LoweringContext& context, const NchwcConvolution& in_blocks,
                       const ConvolutionValues& values) {
  const ShapedGraph& shaped = context.shaped;
  const Convolution& c = in_blocks.convolution;
  if (shaped.is_in_blocks(values.source) || shaped.is_in_blocks(values.made)) return true;
  if (in_blocks.kernels->of_pairs()) return false;
  const int64_t plane = c.height.output * c.width.output, nr = gemm_kernels<float>().nr;
  return c.height.kernel * c.width.kernel > 1 || 8 * up(plane, nr) * nr >= 9 * plane;
}

// The form of a node with a blocked layout. It converts a source or result that is planar.
std::shared_ptr<const ConvolutionForm> nchwc_form(const LoweringContext& context,
                                                  const NchwcConvolution& convolution,
                                                  const ConvolutionValues& values) {
  const auto& [c, kernels] = convolution;
  const NchwcLayouts layouts{context.shaped.is_in_blocks(values.source),
                             context.shaped.is_in_blocks(values.made)};
  if (!suits_direct_nchwc(c, *kernels)) return grouped_nchwc(c, layouts, *kernels);
  if (context.config.winograd && !kernels->of_pairs() && suits_winograd_nchwc(c)) {
    return winograd_nchwc(c, layouts, *kernels);
  }
  return direct_nchwc(c, layouts, *kernels);
}

}  // namespace

std::optional<NchwcConvolution> nchwc_convolution_for(const LoweringContext& context, size_t node) {
  const ShapedGraph& shaped = context.shaped;
  const SpelledExpression* call = kernel_of(*shaped.node(node).op);
  if (!call || call->text != "convolution") return std::nullopt;
  const CallReader reader{shaped, node, *call};
  const auto source = reader.tensor(0), weight = reader.tensor(1), bias = reader.tensor(2);
  const ValueId made = reader.made();
  if (!source || !weight || !context.packed.find(*weight)) return std::nullopt;
  const DType dtype = shaped.dtype(*source);
  const bool into_floats =
      shaped.dtype(made) == DType::float32 && (!bias || shaped.dtype(*bias) == DType::float32);
  if (!into_floats || shaped.dtype(*weight) != dtype) return std::nullopt;
  const auto convolution =
      convolution_of(reader, 3, shaped.dims(*source), shaped.dims(*weight), shaped.dims(made));
  if (!convolution) return std::nullopt;
  if (dtype == DType::float32) {
    const NchwcKernels& kernels = nchwc_kernels();
    if (!suits_direct_nchwc(*convolution, kernels) && !suits_grouped_nchwc(*convolution, kernels)) {
      return std::nullopt;
    }
    return NchwcConvolution{*convolution, &kernels};
  }
  const BFloat16Kernels* pairs = context.config.bfloat16_products ? bfloat16_kernels() : nullptr;
  if (dtype != DType::bfloat16 || !pairs || !suits_direct_nchwc(*convolution, pairs->blocks)) {
    return std::nullopt;
  }
  return NchwcConvolution{*convolution, &pairs->blocks};
}

std::optional<StepDescriptor> lower_convolution(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const bool backwards = call.name() == "convolution_input_grad";
  const auto source = call.tensor(0), weight = call.tensor(backwards ? 2 : 1);
  if (!source || !weight) return std::nullopt;
  const ValueId made = call.made();
  const ConvolutionValues values{*source, *weight, made, backwards ? std::nullopt : call.tensor(2)};
  const DType dtype = shaped.dtype(made);
  const auto convolution =
      convolution_of(call, 3, shaped.dims(backwards ? made : *source), shaped.dims(*weight),
                     shaped.dims(backwards ? *source : made));
  if (!convolution) return std::nullopt;
  if (const auto in_blocks = nchwc_convolution_for(call.context, call.at);
      in_blocks && gains_from_blocks(call.context, *in_blocks, values)) {
    return convolution_descriptor(call.context, nchwc_form(call.context, *in_blocks, values),
                                  values);
  }
  const BFloat16Kernels* pairs =
      call.context.config.bfloat16_products ? bfloat16_kernels() : nullptr;
  if (pairs && !backwards && convolution->inputs > 0 && are_bfloat16(shaped, values)) {
    const int64_t taps = convolution->height.kernel * convolution->width.kernel;
    if (suits_im2col(convolution->outputs, convolution->inputs * taps)) {
      return convolution_descriptor(call.context, im2col(*convolution), values);
    }
    const auto form =
        implicit_gemm<float>(forward_geometry(in_pairs(*convolution), pairs->windows.nr),
                             pairs->windows, planes_of_source(*convolution));
    return convolution_descriptor(call.context, form, values);
  }
  for (const ValueId read : {*source, *weight, values.bias.value_or(*weight)}) {
    if (shaped.dtype(read) != dtype) return std::nullopt;
  }
  return lower_floats(dtype, [&]<typename T>(T) {
    return implicit_gemm_descriptor<T>(call.context, *convolution, values, backwards);
  });
}

}  // namespace mithril::cpu_backend
