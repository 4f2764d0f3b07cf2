// Convolutions and their input gradients as implicit GEMMs, tile by tile; convolutions of bfloat16
// as GEMMs with AMX.
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

// The form of a geometry. T is float, which also stands for VNNI pairs, or double. `source_pairs`:
// the source, if the geometry and the kernels are of VNNI pairs.
template <typename T>
std::shared_ptr<const ConvolutionForm> implicit_gemm(
    ImplicitGemmGeometry geometry, const GemmKernels<T>& kernels = gemm_kernels<T>(),
    PairedPlanes source_pairs = {});

// Whether the processor has AMX and one group fills its registers. `outputs` are the output
// channels of a group, `depth` its input channels times the taps.
bool suits_im2col(int64_t outputs, int64_t depth);
// Needs a processor with AMX.
std::shared_ptr<const ConvolutionForm> im2col(const Convolution& convolution);

}  // namespace mithril::cpu_backend
