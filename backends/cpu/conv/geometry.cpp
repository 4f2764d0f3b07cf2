#include "backends/cpu/conv/geometry.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

// A tap of the kernel along one axis: the plane that it reads, and its shift in that plane.
struct Tap {
  int64_t tap;
  size_t plane;
  int64_t shift;
};
using Taps = std::vector<Tap>;

// The taps of one axis, and the output coordinates that they contribute to.
struct AxisTaps {
  GridAxis grid;
  Taps taps;
};

int64_t last_shift(const WindowAxis& axis) {
  return (axis.kernel - 1) * axis.dilation / axis.stride;
}

// The GEMM over all source channels and all pairs of taps. k is ordered by channel, height tap,
// width tap.
TapGemm gemm_over(const ImplicitGemmGeometry& geometry, const AxisTaps& height,
                  const AxisTaps& width, int64_t kernel_width, int64_t channel_weights) {
  TapGemm gemm{.offsets = {}, .weights = {}, .height = height.grid, .width = width.grid};
  for (int64_t channel = 0; channel < geometry.channels; ++channel) {
    for (const Tap& y : height.taps) {
      for (const Tap& x : width.taps) {
        const size_t plane = y.plane * geometry.width.planes.size() + x.plane;
        gemm.offsets.push_back(channel * geometry.channel_step() +
                               static_cast<int64_t>(plane) * geometry.plane() +
                               y.shift * geometry.width.extent + x.shift);
        gemm.weights.push_back(channel * channel_weights + y.tap * kernel_width + x.tap);
      }
    }
  }
  return gemm;
}

// Adds a GEMM for each pair of taps along the axes. If there is a single GEMM whose columns
// are the pixels of the source, it reads the source in place.
ImplicitGemmGeometry with_gemms(ImplicitGemmGeometry geometry, const std::vector<AxisTaps>& heights,
                                const std::vector<AxisTaps>& widths, int64_t kernel_width,
                                int64_t channel_weights, int64_t nr) {
  if (heights.size() == 1 && widths.size() == 1) {
    const int64_t rows = heights.front().grid.count, columns = widths.front().grid.count;
    geometry.in_place = geometry.height.is_source() && geometry.width.is_source() &&
                        columns == geometry.width.extent && rows * columns >= nr;
  }
  for (const AxisTaps& height : heights) {
    for (const AxisTaps& width : widths) {
      geometry.gemms.push_back(gemm_over(geometry, height, width, kernel_width, channel_weights));
    }
  }
  return geometry;
}

// In the forward pass, the taps with equal (tap * dilation) % stride read one plane of the input.
PlaneAxis planes_of_input(const WindowAxis& axis) {
  PlaneAxis planes{.source = axis.input,
                   .step = axis.stride,
                   .before = axis.before,
                   .extent = axis.output + last_shift(axis),
                   .planes = {}};
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    planes.planes.push_back(tap * axis.dilation % axis.stride);
  }
  std::sort(planes.planes.begin(), planes.planes.end());
  planes.planes.erase(std::unique(planes.planes.begin(), planes.planes.end()), planes.planes.end());
  return planes;
}

AxisTaps whole_output(const WindowAxis& axis, const PlaneAxis& planes) {
  AxisTaps made{.grid = {.first = 0, .step = 1, .count = axis.output}, .taps = {}};
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t at = tap * axis.dilation;
    const auto plane =
        std::lower_bound(planes.planes.begin(), planes.planes.end(), at % axis.stride);
    made.taps.push_back(
        {tap, static_cast<size_t>(plane - planes.planes.begin()), at / axis.stride});
  }
  return made;
}

// In the input gradient, one GEMM computes the inputs whose coordinates have the same remainder by
// the stride.
PlaneAxis planes_of_gradient(const WindowAxis& axis) {
  const int64_t first = axis.before / axis.stride;
  const int64_t last = (axis.input - 1 + axis.before) / axis.stride;
  return {.source = axis.output,
          .step = 1,
          .before = last_shift(axis) - first,
          .extent = last - first + last_shift(axis) + 1};
}

std::vector<AxisTaps> taps_of_input(const WindowAxis& axis) {
  std::vector<AxisTaps> all;
  for (int64_t first = 0; first < std::min(axis.stride, axis.input); ++first) {
    const int64_t at = first + axis.before;
    AxisTaps made{
        .grid = {.first = first, .step = axis.stride, .count = up(axis.input - first, axis.stride)},
        .taps = {}};
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      if (tap * axis.dilation % axis.stride != at % axis.stride) continue;
      const int64_t shift = at / axis.stride - axis.before / axis.stride;
      made.taps.push_back({tap, 0, shift + last_shift(axis) - tap * axis.dilation / axis.stride});
    }
    all.push_back(std::move(made));
  }
  return all;
}

// Work of the largest part, relative to an exactly equal share.
double waste(int64_t count, int64_t parts) {
  const int64_t largest = up(count, parts);
  return count == 0 ? 1 : static_cast<double>(largest * parts) / static_cast<double>(count);
}

}  // namespace

GemmPart cut_evenly(int64_t rows, int64_t columns, int64_t parts) {
  return {.part = 0, .parts = parts, .of_rows = waste(rows, parts) < waste(columns, parts)};
}

int64_t ImplicitGemmGeometry::channel_step() const {
  if (in_place) return source_plane();
  // Round up to an odd number of cache lines, so that channels do not map to the same cache sets.
  constexpr int64_t line = 16;
  const auto size = static_cast<int64_t>(height.planes.size() * width.planes.size()) *
                    height.extent * width.extent;
  return (up(size, line) | 1) * line;
}

int64_t ImplicitGemmGeometry::columns(const TapGemm& gemm) const {
  if (gemm.height.count == 0 || gemm.width.count == 0) return 0;
  return (gemm.height.count - 1) * width.extent + gemm.width.count;
}

bool ImplicitGemmGeometry::is_dense(const TapGemm& gemm) const {
  // The step along an axis of one element does not matter.
  return (gemm.height.step == 1 || output_height == 1) &&
         (gemm.width.step == 1 || output_width == 1) && gemm.width.count == width.extent;
}

double ImplicitGemmGeometry::work() const {
  double sum = 0;
  for (const TapGemm& gemm : gemms) {
    sum += static_cast<double>(gemm.depth()) * static_cast<double>(columns(gemm));
  }
  return sum * static_cast<double>(rows) * static_cast<double>(images * groups);
}

ImplicitGemmGeometry forward_geometry(const Convolution& c, int64_t nr) {
  const int64_t taps = c.height.kernel * c.width.kernel;
  ImplicitGemmGeometry geometry{.images = c.images,
                                .groups = c.groups,
                                .channels = c.inputs,
                                .rows = c.outputs,
                                .height = planes_of_input(c.height),
                                .width = planes_of_input(c.width),
                                .output_height = c.height.output,
                                .output_width = c.width.output,
                                .row_step = c.inputs * taps,
                                .group_step = c.outputs * c.inputs * taps,
                                .gemms = {}};
  const AxisTaps height = whole_output(c.height, geometry.height),
                 width = whole_output(c.width, geometry.width);
  return with_gemms(std::move(geometry), {height}, {width}, c.width.kernel, taps, nr);
}

ImplicitGemmGeometry input_gradient_geometry(const Convolution& c, int64_t nr) {
  const int64_t taps = c.height.kernel * c.width.kernel;
  ImplicitGemmGeometry geometry{.images = c.images,
                                .groups = c.groups,
                                .channels = c.outputs,
                                .rows = c.inputs,
                                .height = planes_of_gradient(c.height),
                                .width = planes_of_gradient(c.width),
                                .output_height = c.height.input,
                                .output_width = c.width.input,
                                .row_step = taps,
                                .group_step = c.outputs * c.inputs * taps,
                                .gemms = {}};
  return with_gemms(std::move(geometry), taps_of_input(c.height), taps_of_input(c.width),
                    c.width.kernel, c.inputs * taps, nr);
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
