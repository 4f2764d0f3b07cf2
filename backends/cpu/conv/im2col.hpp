// Convolutions of bfloat16 with AMX as a GEMM. B is the im2col matrix, which is packed panel by
// panel.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cpu/conv/convolution_form.hpp"

namespace mithril::cpu_backend {

// Whether the processor has AMX and one group fills its registers. `outputs` are the output
// channels of a group, `depth` its input channels times the taps.
bool suits_im2col(int64_t outputs, int64_t depth);
// Needs a processor with AMX.
std::shared_ptr<const ConvolutionForm> im2col(const Convolution& convolution);

}  // namespace mithril::cpu_backend
