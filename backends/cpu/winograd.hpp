// Convolutions with windows of 3 x 3 by Winograd's algorithm: 36 products of matrices of channels
// in place of 144 sums for each tile of 4 x 4 outputs, at errors of a few units more.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/kernels/window_kernels.hpp"
#include "backends/cpu/kernels/winograd_kernels.hpp"
#include "backends/cpu/step.hpp"
#include "backends/cpu/windows.hpp"

namespace mithril::cpu_backend {

// Whether the algorithm is for this window, and worth what it does beside the products.
bool suits_winograd(const Convolution& convolution);

// One group of one image. Tiles are rows of the products, in bands of as many as a tile of products
// has rows; the channels that are made are its columns, in panels.
class WinogradForm {
 public:
  WinogradForm(const Convolution& convolution, int most_rows, int width);

  const Convolution& convolution() const { return c_; }
  int64_t bands() const { return bands_; }
  int64_t panels() const { return panels_; }
  // Multiplications of one group of one image.
  double work() const;
  // Elements of the weight as products want it, of a group; of the transformed input; and of what
  // each part works in.
  int64_t weight_count() const { return panels_ * 36 * c_.inputs * width_; }
  int64_t input_count() const { return 36 * bands_ * c_.inputs * slot_; }
  int64_t part_count() const;

  // The weight of a group.
  void transform_weight(const float* weight, float* to) const;
  // The channels [first, last) of a group of an image.
  void transform_input(const WinogradKernels& kernels, const float* input, int64_t first,
                       int64_t last, float* work, float* to) const;
  struct Operands {
    const WinogradKernels& transforms;
    const WindowKernels<float>& products;
    const float* input;   // transformed
    const float* weight;  // transformed, of the group
    const float* bias;    // of the group; null: 0
    float* work;
    float* made;
    Finish finish = Finish();  // of what is made, where a part makes whole channels
  };
  // A part: of the panels, or of the bands.
  void multiply(const Operands& operands, const WindowPart& part) const;
  WindowPart cut(int64_t parts) const { return cut_evenly(panels_, bands_, parts); }

 private:
  class Panel;

  Convolution c_;
  int64_t width_;
  int64_t tiles_down_, tiles_across_;
  int64_t tiles_;                  // with those between the ends of rows, that count for nothing
  int64_t bands_, height_, slot_;  // height_: tiles of a band, which have a place for slot_
  int64_t panels_;
  WindowForm planes_;  // of one channel
  std::vector<int64_t> offsets_;
};

}  // namespace mithril::cpu_backend
