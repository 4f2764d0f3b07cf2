// Convolutions and their input gradients as implicit GEMMs, tile by tile.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/conv/convolution_form.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

// Pads the channels [first, last) of one group of one image. `source` is the first channel of the
// group.
template <typename T>
void pad_planes(const ImplicitGemmGeometry& geometry, const T* source, int64_t first, int64_t last,
                T* planes);

// Each group of each image is a unit. T is float, which also stands for VNNI pairs, or double.
template <typename T>
class ImplicitGemm final : public ConvolutionForm {
 public:
  // `source_pairs`: the source, if the geometry and the kernels are of VNNI pairs. `first_row`: the
  // output channel of row 0.
  explicit ImplicitGemm(ImplicitGemmGeometry geometry,
                        const GemmKernels<T>& kernels = gemm_kernels<T>(),
                        PairedPlanes source_pairs = {}, int64_t first_row = 0);

  int64_t units() const override { return geometry_.images * geometry_.groups; }
  double work() const override { return geometry_.work(); }
  PairedPlanes source_pairs() const override { return source_pairs_; }
  PackedFormat format() const override { return {PackedLayout::implicit_gemm, geometry_.groups}; }
  int64_t panels() const override { return geometry_.groups * tiles_; }
  int64_t weight_bytes() const override {
    return geometry_.groups * weight_count() * int64_t{sizeof(T)};
  }
  void pack_weight(const void* weight, int64_t panel, void* packed) const override;
  // All channels are one round if there are several images, groups or GEMMs, or if the packed
  // weight is small.
  std::vector<std::shared_ptr<const ConvolutionForm>> rounds(int threads) const override;
  int64_t source_bytes() const override;
  int64_t source_rows() const override { return geometry_.channels; }
  void pad(const void* source, int64_t unit, GemmPart::Range channels, void* padded) const override;
  // Splits the rows of tiles or the panels, whichever gives parts of more equal size.
  GemmPart cut(int64_t parts) const override;
  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override;

 private:
  class GroupMultiplication;

  int64_t weight_count() const;  // elements of the packed weight of a group
  const T* source_of(const void* source, int64_t unit) const {
    return static_cast<const T*>(source) + unit * geometry_.channels * geometry_.source_plane();
  }

  ImplicitGemmGeometry geometry_;
  const GemmKernels<T>* kernels_;
  PairedPlanes source_pairs_;
  // Rows of tiles, and the rows of each. They depend only on the sizes, so that results do not
  // depend on the number of threads.
  int64_t tiles_, mr_;
  int64_t first_row_;
};

}  // namespace mithril::cpu_backend
