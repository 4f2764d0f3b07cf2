#include "backends/cpu/conv/nchwc_convolution.hpp"

#include "backends/cpu/conv/direct_nchwc.hpp"
#include "backends/cpu/conv/grouped_nchwc.hpp"
#include "backends/cpu/conv/window_attributes.hpp"
#include "backends/cpu/conv/winograd_nchwc.hpp"
#include "backends/cpu/descriptors/op_spellings.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"

namespace mithril::cpu_backend {

std::optional<NchwcConvolution> nchwc_convolution_for(const LoweringContext& context, size_t node) {
  const ShapedGraph& shaped = context.shaped;
  const SpelledExpression* call = kernel_of(*shaped.node(node).op);
  if (!call || call->text != "convolution") return std::nullopt;
  const CallReader reader(shaped, node, *call);
  const auto source = reader.tensor(0), weight = reader.tensor(1), bias = reader.tensor(2);
  const ValueId made = shaped.node(node).outputs.front();
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

std::shared_ptr<const ConvolutionForm> nchwc_form(const LoweringContext& context,
                                                  const NchwcConvolution& convolution,
                                                  const ConvolutionValues& values) {
  const auto& [c, kernels] = convolution;
  const NchwcLayouts layouts{context.shaped.is_in_blocks(values.source),
                             context.shaped.is_in_blocks(values.made)};
  if (!suits_direct_nchwc(c, *kernels)) return std::make_shared<GroupedNchwc>(c, layouts, *kernels);
  if (context.config.winograd && !kernels->of_pairs() && suits_winograd_nchwc(c)) {
    return std::make_shared<WinogradNchwc>(c, layouts);
  }
  return std::make_shared<DirectNchwc>(c, layouts, *kernels);
}

}  // namespace mithril::cpu_backend
