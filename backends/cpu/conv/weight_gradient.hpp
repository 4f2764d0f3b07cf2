// The gradient of a convolution in its weight: a product over all places of the output, whose right
// side is never made either.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/kernels/implicit_gemm_kernels.hpp"

namespace mithril::cpu_backend {

// The weights of one group: a row for each channel of the output, a column for each tap and channel
// of the input. The input is padded out with the channels of each place side by side, so that the
// columns of neighbouring taps are neighbours.
class WeightGradientForm {
 public:
  WeightGradientForm(const Convolution& convolution, int most_rows, int nr);

  const Convolution& convolution() const { return c_; }
  int64_t tiles() const { return tiles_; }
  int64_t mr() const { return mr_; }  // of a tile
  int64_t panels() const { return c_.height.kernel * runs_ * run_panels_; }
  int64_t columns() const { return panels() * nr_; }
  int64_t places() const { return c_.height.output * c_.width.output; }  // of an output
  int64_t rows() const { return height_extent_; }  // of the input with its border
  // Elements of what is worked in: the input padded out, the gradient packed, and the sums.
  int64_t padded_count() const;
  int64_t packed_count() const { return tiles_ * mr_ * places(); }
  int64_t sum_count() const { return tiles_ * mr_ * columns(); }

  // Rows [first, last) of a group of an image.
  template <typename T>
  void pad(const T* input, int64_t first, int64_t last, T* padded) const;
  // Rows of tiles [first, last) of the gradient of a group of an image.
  template <typename T>
  void pack(const T* gradient, int64_t first, int64_t last, T* packed) const;
  // Adds one image to a part of the sums, or begins them.
  template <typename T>
  void multiply(const ImplicitGemmKernels<T>& kernels, const T* packed, const T* padded, bool add,
                const WindowPart& part, T* sums) const;
  template <typename T>
  void finish(const T* sums, T* weight) const;
  WindowPart cut(int64_t parts) const { return cut_evenly(tiles_, panels(), parts); }

 private:
  int64_t panel_offset(int64_t panel) const;

  Convolution c_;
  int64_t nr_, tiles_, mr_;
  // Columns that are neighbours, in each row of taps: of all its taps, or of each.
  int64_t runs_, run_columns_, run_panels_;
  int64_t height_extent_, width_extent_;
  std::vector<int64_t> offsets_;  // of each place of the output
};

}  // namespace mithril::cpu_backend
