#include "backends/cpu/conv/convolution.hpp"

#include <memory>

#include "backends/cpu/conv/convolution_step.hpp"
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

// A convolution or an input gradient, and what it reads and makes.
struct ReadConvolution {
  Convolution convolution;
  ConvolutionValues values;
  bool is_input_gradient;
};

std::optional<ReadConvolution> read_convolution(const CallReader& call) {
  const ShapedGraph& shaped = call.shaped;
  const bool backwards = call.name() == "convolution_input_grad";
  const auto source = call.tensor(0), weight = call.tensor(backwards ? 2 : 1);
  if (!source || !weight) return std::nullopt;
  const ConvolutionValues values{*source, *weight, call.made(),
                                 backwards ? std::nullopt : call.tensor(2)};
  const auto convolution =
      convolution_of(call, 3, shaped.dims(backwards ? values.made : *source), shaped.dims(*weight),
                     shaped.dims(backwards ? *source : values.made));
  if (!convolution) return std::nullopt;
  return ReadConvolution{*convolution, values, backwards};
}

// Whether the source and the weight have this dtype, and the result and the bias are float32.
bool makes_floats(const ShapedGraph& shaped, const ConvolutionValues& values, DType from) {
  return shaped.dtype(values.source) == from && shaped.dtype(values.weight) == from &&
         shaped.dtype(values.made) == DType::float32 &&
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
  const auto read = read_convolution({shaped, node, *call});
  if (!read || !context.packed.find(read->values.weight)) return std::nullopt;
  const Convolution& c = read->convolution;
  if (makes_floats(shaped, read->values, DType::float32)) {
    const NchwcKernels& kernels = nchwc_kernels();
    if (!suits_direct_nchwc(c, kernels) && !suits_grouped_nchwc(c, kernels)) return std::nullopt;
    return NchwcConvolution{c, &kernels};
  }
  const BFloat16Kernels* pairs = context.config.bfloat16_products ? bfloat16_kernels() : nullptr;
  if (!pairs || !makes_floats(shaped, read->values, DType::bfloat16) ||
      !suits_direct_nchwc(c, pairs->blocks)) {
    return std::nullopt;
  }
  return NchwcConvolution{c, &pairs->blocks};
}

std::optional<StepDescriptor> lower_integer_convolution(const KernelCall& call) {
  auto read = read_convolution(call);
  if (!read) return std::nullopt;
  auto& [c, values, backwards] = *read;
  if (const auto zero = call.tensor(7)) values.zero = TypedValue{*zero, call.shaped.dtype(*zero)};
  const GemmKernels<int32_t>& kernels = gemm_kernels<int32_t>();
  const auto form = implicit_gemm<int32_t>(forward_geometry(in_pairs(c), kernels.nr), kernels);
  return integer_convolution_descriptor(call.context, form, values,
                                        int16_source(c, call.shaped.dtype(values.source)));
}

std::optional<StepDescriptor> lower_convolution(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const LoweringContext& context = call.context;
  const auto read = read_convolution(call);
  if (!read) return std::nullopt;
  const auto& [c, values, backwards] = *read;
  if (const auto in_blocks = nchwc_convolution_for(context, call.at);
      in_blocks && gains_from_blocks(context, *in_blocks, values)) {
    return convolution_descriptor(context, nchwc_form(context, *in_blocks, values), values);
  }
  const BFloat16Kernels* pairs = context.config.bfloat16_products ? bfloat16_kernels() : nullptr;
  if (pairs && !backwards && c.inputs > 0 && makes_floats(shaped, values, DType::bfloat16)) {
    if (suits_im2col(c.outputs, c.inputs * c.height.kernel * c.width.kernel)) {
      return convolution_descriptor(context, im2col(c), values);
    }
    const auto form = implicit_gemm<float>(forward_geometry(in_pairs(c), pairs->windows.nr),
                                           pairs->windows, vnni_source(c));
    return convolution_descriptor(context, form, values);
  }
  const DType dtype = shaped.dtype(values.made);
  for (const ValueId id : {values.source, values.weight, values.bias.value_or(values.weight)}) {
    if (shaped.dtype(id) != dtype) return std::nullopt;
  }
  return lower_floats(dtype, [&]<typename T>(T) {
    return implicit_gemm_descriptor<T>(context, read->convolution, read->values,
                                       read->is_input_gradient);
  });
}

}  // namespace mithril::cpu_backend
