#include "backends/cpu/conv/window_attributes.hpp"

namespace mithril::cpu_backend {

const Datum& per_axis(const Datum& numbers, size_t axis) {
  return numbers.kind() == kind::tuple ? numbers.tuple()[axis] : numbers;
}

std::optional<WindowAxis> window_axis(const WindowOptions& options, size_t axis, const Dims& input,
                                      int64_t kernel, const Dims& output) {
  const WindowAxis window{.input = input[input.size() - 2 + axis],
                          .kernel = kernel,
                          .output = output[output.size() - 2 + axis],
                          .stride = per_axis(options.stride, axis).integer(),
                          .before = per_axis(per_axis(options.padding, axis), 0).integer(),
                          .dilation = per_axis(options.dilation, axis).integer()};
  const bool moves = window.stride >= 1 && window.dilation >= 1 && window.before >= 0;
  return moves && kernel >= 1 ? std::optional(window) : std::nullopt;
}

std::optional<Convolution> convolution_of(const CallReader& reader, size_t options,
                                          const Dims& input, const Dims& weight,
                                          const Dims& output) {
  const WindowOptions moving{reader.value(options), reader.value(options + 1),
                             reader.value(options + 2)};
  const int64_t groups = reader.value(options + 3).integer();
  const auto height = window_axis(moving, 0, input, weight[2], output);
  const auto width = window_axis(moving, 1, input, weight[3], output);
  if (!height || !width || groups < 1) return std::nullopt;
  return Convolution{.height = *height,
                     .width = *width,
                     .images = input[0],
                     .groups = groups,
                     .inputs = weight[1],
                     .outputs = weight[0] / groups};
}

}  // namespace mithril::cpu_backend
