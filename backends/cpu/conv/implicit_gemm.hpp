// Convolutions and their input gradients as implicit GEMMs, tile by tile.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cpu/conv/convolution_form.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

// Pads the channels [first, last) of one group of one image. `source` is the first channel of the
// group.
template <typename T>
void pad_planes(const ImplicitGemmGeometry& geometry, const T* source, int64_t first, int64_t last,
                T* planes);

// The form of a geometry. T is float, double, or int32_t for pairs of int16. VNNI pairs are stored
// as float. `source_pairs`: the source, if the geometry and the kernels are of pairs.
template <typename T>
std::shared_ptr<const ConvolutionForm> implicit_gemm(
    ImplicitGemmGeometry geometry, const GemmKernels<T>& kernels = gemm_kernels<T>(),
    VnniOperand source_pairs = {});

}  // namespace mithril::cpu_backend
