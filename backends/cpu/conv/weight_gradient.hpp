// The weight gradient of a convolution: a GEMM over the output pixels. B is implicit, as in
// conv/implicit_gemm.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/geometry.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

// The weight gradient of one group. It has a row for each output channel, and a column for each tap
// and input channel. The padded input is channels-last, so that the columns of neighbouring taps
// are contiguous.
template <typename T>
class WeightGradientForm {
 public:
  explicit WeightGradientForm(const Convolution& convolution,
                              const GemmKernels<T>& kernels = gemm_kernels<T>());

  const Convolution& convolution() const { return c_; }
  int64_t tiles() const { return tiles_; }
  int64_t mr() const { return mr_; }  // rows of a tile
  int64_t panels() const { return c_.height.kernel * runs_ * run_panels_; }
  int64_t columns() const { return panels() * nr_; }
  int64_t places() const { return c_.height.output * c_.width.output; }  // output pixels
  int64_t rows() const { return height_extent_; }                        // of the padded input
  double work() const;  // multiplications of all groups
  // Elements of the workspaces: the padded input, the packed gradient, and the sums.
  int64_t padded_count() const;
  int64_t packed_count() const { return tiles_ * mr_ * places(); }
  int64_t sum_count() const { return tiles_ * mr_ * columns(); }

  // Pads the rows [first, last) of one group of one image, and converts them to channels-last.
  void pad(const T* input, int64_t first, int64_t last, T* padded) const;
  // Packs the rows of tiles [first, last) of the output gradient of one group of one image.
  void pack(const T* gradient, int64_t first, int64_t last, T* packed) const;
  // Computes a part of the sums for one image, and accumulates it if `add` is set.
  void multiply(const T* packed, const T* padded, bool add, const GemmPart& part, T* sums) const;
  void finish(const T* sums, T* weight) const;
  GemmPart cut(int64_t parts) const { return cut_evenly(tiles_, panels(), parts); }

 private:
  int64_t panel_offset(int64_t panel) const;

  Convolution c_;
  const GemmKernels<T>* kernels_;
  int64_t nr_, tiles_, mr_;
  // Runs of contiguous columns in a kernel row (one, or one per tap if dilated), and the columns
  // and panels of a run.
  int64_t runs_, run_columns_, run_panels_;
  int64_t height_extent_, width_extent_;
  std::vector<int64_t> offsets_;  // of each output pixel in the padded input
};

}  // namespace mithril::cpu_backend
