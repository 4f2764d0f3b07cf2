// Convolutions as products of matrices, the right one of which is never made: where each of its
// elements stands follows from the window alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mithril::cpu_backend {

// One axis of a window: tap k of output o meets the input at o * stride - before + k * dilation.
struct WindowAxis {
  int64_t input = 1, kernel = 1, output = 1, stride = 1, before = 0, dilation = 1;
};

struct Convolution {
  WindowAxis height, width;
  int64_t images = 1, groups = 1;
  int64_t inputs = 1, outputs = 1;  // channels of each group
};

// How what the window moves over is padded out along an axis, with its border of zeros: as planes,
// one for each of `planes`, so that what neighbouring columns of the product meet are neighbours.
// The element q of the plane r is the source's q * step + r - before, or 0 where there is none.
struct PlaneAxis {
  int64_t source = 1, step = 1, before = 0, extent = 1;
  std::vector<int64_t> planes{0};

  bool is_source() const { return step == 1 && before == 0 && extent == source; }
};

// Where columns of a product stand in what it makes, along an axis: first + i * step.
struct GridAxis {
  int64_t first = 0, step = 1, count = 0;
};

// One product: a row for each channel that is made, a column for each place (y, x) of the grid,
// which is y * width.extent + x, so that columns between the ends of rows count for nothing.
struct TapGemm {
  std::vector<int64_t> offsets;  // per k: in the planes, from where the column counts
  std::vector<int64_t> weights;  // per k: in the weight, from where the row counts
  GridAxis height, width;

  int64_t depth() const { return static_cast<int64_t>(offsets.size()); }
};

// The products that make all of an output, each of them a part of it.
struct ImplicitGemmForm {
  int64_t images = 0, groups = 0;
  int64_t channels = 0, rows = 0;  // of each group: of the source, and of what is made
  PlaneAxis height, width;
  int64_t output_height = 0, output_width = 0;  // the sizes of what is made
  int64_t row_step = 0, group_step = 0;         // of the weight
  bool in_place = false;                        // the planes are the source as it stands
  std::vector<TapGemm> products;

  int64_t plane() const { return height.extent * width.extent; }
  int64_t channel_step() const;  // between planes of one channel and the next
  int64_t columns(const TapGemm& product) const;
  int64_t made_plane() const { return output_height * output_width; }
  int64_t source_plane() const { return height.source * width.source; }
  // All columns of the product stand side by side in what is made.
  bool is_dense(const TapGemm& product) const;
  double work() const;  // multiplications
};

// A part of a product: of the rows of its tiles, or of their columns.
struct WindowPart {
  int64_t part = 0, parts = 1;
  bool of_rows = false;

  struct Range {
    int64_t first, last;
  };
  Range rows(int64_t count) const { return of_rows ? share(count) : Range{0, count}; }
  Range columns(int64_t count) const { return of_rows ? Range{0, count} : share(count); }
  Range share(int64_t count) const { return {count * part / parts, count * (part + 1) / parts}; }
};
// The first of so many parts, cut along what can be cut the most evenly.
WindowPart cut_evenly(int64_t rows, int64_t columns, int64_t parts);

// For tiles of so many columns, which may lie beyond the last one where planes are padded out.
ImplicitGemmForm output_form(const Convolution& convolution, int64_t nr);
// Of the gradient in the input: the window moves over the gradient of the output.
ImplicitGemmForm input_gradient_form(const Convolution& convolution, int64_t nr);

}  // namespace mithril::cpu_backend
