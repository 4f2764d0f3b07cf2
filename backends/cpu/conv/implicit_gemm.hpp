// Convolutions and their input gradients as implicit GEMMs, tile by tile.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/conv/convolution_form.hpp"
#include "backends/cpu/kernels/implicit_gemm_kernels.hpp"

namespace mithril::cpu_backend {

// The tiles of a form. They depend only on the sizes, so that results do not depend on the number
// of threads.
struct ImplicitGemmTiles {
  int64_t mr = 1, nr = 1, count = 0;  // count: tiles that cover all rows

  ImplicitGemmTiles(const ImplicitGemmForm& form, int most_rows, int columns);
  int64_t panels(const ImplicitGemmForm& form, const TapGemm& product) const;
  // Elements of the packed weight of one group, and of all groups.
  int64_t packed_group(const ImplicitGemmForm& form) const;
  int64_t packed_count(const ImplicitGemmForm& form) const {
    return packed_group(form) * form.groups;
  }
  // Elements of the padded planes of one group of one image; 0 if the source is read in place.
  int64_t planes_count(const ImplicitGemmForm& form) const;
};

// Pads the channels [first, last) of one group of one image. `source` is the first channel of the
// group.
template <typename T>
void pad_planes(const ImplicitGemmForm& form, const T* source, int64_t first, int64_t last,
                T* planes);

// Each group of each image is a unit. T is float, which also stands for VNNI pairs, or double.
template <typename T>
class ImplicitGemm final : public ConvolutionForm {
 public:
  // `first_row`: the output channel that row 0 of the form computes.
  explicit ImplicitGemm(ImplicitGemmForm form,
                        const ImplicitGemmKernels<T>& kernels = implicit_gemm_kernels<T>(),
                        int64_t first_row = 0);

  int64_t units() const override { return form_.images * form_.groups; }
  double work() const override { return form_.work(); }
  PackedFormat format() const override { return {PackedLayout::implicit_gemm, form_.groups}; }
  int64_t panels() const override { return form_.groups * tiles_.count; }
  int64_t weight_bytes() const override { return tiles_.packed_count(form_) * int64_t{sizeof(T)}; }
  void pack_weight(const void* weight, int64_t panel, void* packed) const override;
  // All channels are one round if there are several images, groups or GEMMs, or if the packed
  // weight is small.
  std::vector<std::shared_ptr<const ConvolutionForm>> rounds(int threads) const override;
  int64_t source_bytes() const override { return tiles_.planes_count(form_) * int64_t{sizeof(T)}; }
  int64_t source_rows() const override { return form_.channels; }
  void pad(const void* source, int64_t unit, WindowPart::Range channels,
           void* padded) const override;
  // Splits the rows of tiles or the panels, whichever gives parts of more equal size.
  WindowPart cut(int64_t parts) const override;
  void multiply(const ConvolutionOperands& operands, const WindowPart& part) const override;

 private:
  const T* source_of(const void* source, int64_t unit) const {
    return static_cast<const T*>(source) + unit * form_.channels * form_.source_plane();
  }

  ImplicitGemmForm form_;
  const ImplicitGemmKernels<T>* kernels_;
  ImplicitGemmTiles tiles_;
  int64_t first_row_;
};

}  // namespace mithril::cpu_backend
