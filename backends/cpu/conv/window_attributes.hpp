// What nodes say of windows.
#pragma once

#include <optional>
#include <string>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// A number for each axis, or the same for all; padding may be a pair for each axis.
struct WindowOptions {
  const Datum &stride, &padding, &dilation;
};
// The axis 0 or 1 of the last two. Nothing where the window cannot move so, which `eval` refuses,
// or has no taps.
std::optional<WindowAxis> window_axis(const WindowOptions& options, size_t axis, const Dims& input,
                                      int64_t kernel, const Dims& output);
// What numbers for each axis say of one of them.
const Datum& per_axis(const Datum& numbers, size_t axis);

// Of the dims of the three; the call's arguments from `options` on are stride, padding, dilation
// and groups.
std::optional<Convolution> convolution_of(const CallReader& reader, size_t options,
                                          const Dims& input, const Dims& weight,
                                          const Dims& output);

}  // namespace mithril::cpu_backend
