// Convolutions: their attributes, and their geometry as implicit GEMMs. B (the im2col matrix) is
// not stored: the offset of each of its elements follows from the attributes of the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/ops/support/window_axis.hpp"

namespace mithril::cpu_backend {

struct Convolution {
  WindowAxis height, width;
  int64_t images = 1, groups = 1;
  int64_t inputs = 1, outputs = 1;  // channels of each group

  int64_t input_channels() const { return groups * inputs; }
  int64_t output_channels() const { return groups * outputs; }
};

// How an axis of the source is padded. The source is split into planes, one for each remainder in
// `planes`, so that neighbouring columns of B are neighbours in memory. Element q of the plane r is
// the source element q * step + r - before, or 0 if there is none.
struct PlaneAxis {
  int64_t source = 1, step = 1, before = 0, extent = 1;
  std::vector<int64_t> planes{0};

  bool is_source() const { return step == 1 && before == 0 && extent == source; }
};

// Output coordinates of the columns of a GEMM along one axis: first + i * step, for i below count.
struct GridAxis {
  int64_t first = 0, step = 1, count = 0;
};

// One GEMM. It has a row for each output channel. The pixel (y, x) of the grid is column y *
// width.extent + x. Columns between the ends of two rows are computed but not stored.
struct TapGemm {
  std::vector<int64_t> offsets;  // per k: offset into the planes, relative to the column
  std::vector<int64_t> weights;  // per k: offset into the weight, relative to the row
  GridAxis height, width;

  int64_t depth() const { return static_cast<int64_t>(offsets.size()); }
};

// The GEMMs that together compute all of the result; each computes some of its pixels.
struct ImplicitGemmGeometry {
  int64_t images = 0, groups = 0;
  int64_t channels = 0, rows = 0;  // of each group: of the source, and of the result
  PlaneAxis height, width;
  int64_t output_height = 0, output_width = 0;  // of the result
  int64_t row_step = 0, group_step = 0;         // strides of the weight
  bool in_place = false;                        // the source is read without a padded copy
  std::vector<TapGemm> gemms;

  int64_t plane() const { return height.extent * width.extent; }
  int64_t channel_step() const;  // elements between two channels of the planes
  int64_t columns(const TapGemm& gemm) const;
  int64_t made_plane() const { return output_height * output_width; }
  int64_t source_plane() const { return height.source * width.source; }
  // Whether the columns of the GEMM are contiguous in the result.
  bool is_dense(const TapGemm& gemm) const;
  double work() const;  // multiplications
};

// A part of a GEMM: some of its rows of tiles, or some of its panels of columns.
struct GemmPart {
  int64_t part = 0, parts = 1;
  bool of_rows = false;

  Range rows(int64_t count) const { return of_rows ? share(count) : Range{0, count}; }
  Range columns(int64_t count) const { return of_rows ? Range{0, count} : share(count); }
  Range share(int64_t count) const { return Range{0, count}.part(part, parts); }
};
// The first of `parts` parts, of the rows or the columns, whichever gives parts of more equal size.
GemmPart cut_evenly(int64_t rows, int64_t columns, int64_t parts);

// The geometry of the forward pass for panels of `nr` columns. Panels may pass the last column if
// the planes are padded copies.
ImplicitGemmGeometry forward_geometry(const Convolution& convolution, int64_t nr);
// The geometry of the input gradient. Its source is the gradient of the output.
ImplicitGemmGeometry input_gradient_geometry(const Convolution& convolution, int64_t nr);

// Each attribute is one number for all axes, or a tuple with one per axis. `padding` may have a
// pair (before, after) for each axis.
struct WindowOptions {
  const Datum &stride, &padding, &dilation;
};
// The window along axis 0 (height) or 1 (width). Returns nullopt if the attributes are invalid,
// which `eval` reports, or if the kernel is empty.
std::optional<WindowAxis> window_axis(const WindowOptions& options, size_t axis, const Dims& input,
                                      int64_t kernel, const Dims& output);

// The convolution with these dims. The arguments of the call from `options` on are stride, padding,
// dilation and groups. Returns nullopt if they are invalid.
std::optional<Convolution> convolution_of(const CallReader& reader, size_t options,
                                          const Dims& input, const Dims& weight,
                                          const Dims& output);

}  // namespace mithril::cpu_backend
