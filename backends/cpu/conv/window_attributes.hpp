// Reads the attributes of convolution and pooling windows.
#pragma once

#include <optional>
#include <string>

#include "backends/cpu/conv/implicit_gemm_geometry.hpp"
#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Each attribute is one number for all axes, or a tuple with one per axis. `padding` may have a
// pair (before, after) for each axis.
struct WindowOptions {
  const Datum &stride, &padding, &dilation;
};
// The window along axis 0 (height) or 1 (width). Returns nullopt if the attributes are invalid,
// which `eval` reports, or if the kernel is empty.
std::optional<WindowAxis> window_axis(const WindowOptions& options, size_t axis, const Dims& input,
                                      int64_t kernel, const Dims& output);
// The number for one axis.
const Datum& per_axis(const Datum& numbers, size_t axis);

// The convolution with these dims. The arguments of the call from `options` on are stride, padding,
// dilation and groups. Returns nullopt if they are invalid.
std::optional<Convolution> convolution_of(const CallReader& reader, size_t options,
                                          const Dims& input, const Dims& weight,
                                          const Dims& output);

}  // namespace mithril::cpu_backend
