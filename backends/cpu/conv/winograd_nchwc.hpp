// Winograd's algorithm (conv/winograd_planar.hpp) where channels stand in blocks: what is
// transformed are vectors of channels, of each place.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"
#include "backends/cpu/kernels/winograd_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the algorithm is for this window, and worth what it does beside the products.
bool suits_winograd_nchwc(const Convolution& convolution);

// All images. Tiles of 4 x 4 outputs are rows of the products; some rows of such tiles are done at
// a time, so that what is worked in stays in the second-level cache.
class WinogradNchwc {
 public:
  WinogradNchwc(const Convolution& convolution, bool from_blocks,
                Instructions instructions = best_instructions());

  const Convolution& convolution() const { return c_; }
  double work() const;  // multiplications
  int64_t panels() const { return c_.outputs / products_->nr; }
  int64_t weight_count() const { return 36 * c_.inputs * c_.outputs; }
  // Elements of what is read in blocks, where it does not stand so.
  int64_t padded_count() const { return from_blocks_ ? 0 : c_.images * image_count(); }
  int64_t padded_rows() const { return from_blocks_ ? 0 : c_.images * blocks_; }
  // That each of so many parts works in.
  int64_t part_count(int64_t parts) const;

  // A panel of the weight, to where it stands among them.
  void transform_weight(const float* weight, int64_t panel, float* to) const;
  // Blocks of channels [first, last) of all images.
  void pad(const float* source, int64_t first, int64_t last, float* padded) const;
  // A part: of the panels, or of the rows of tiles.
  void multiply(const PanelOperands& operands, const WindowPart& part) const;
  WindowPart cut(int64_t parts) const;

 private:
  // Rows of tiles that are done at a time.
  struct Group {
    int64_t first, last;  // of the rows of all images
    int64_t tiles;
    int64_t input_step, sum_step;  // from one of the 36 products to the next
    float *inputs = {}, *sums = {};
  };

  int64_t image_count() const { return c_.inputs * c_.height.input * c_.width.input; }
  int64_t rows() const { return c_.images * tile_rows_; }
  int64_t group_rows(bool of_panels) const;
  Group group(int64_t first, int64_t last) const;
  void transform_input(const float* input, const Group& group) const;
  void multiply_panel(const PanelOperands& operands, int64_t panel, const Group& group) const;
  void transform_sums(const PanelOperands& operands, int64_t panel, const Group& group) const;

  Convolution c_;
  bool from_blocks_;
  const NchwcKernels* products_;
  const WinogradKernels* transforms_;
  const GemmKernels<float>* rearranging_;
  int64_t blocks_;  // of channels that are read
  int64_t tile_rows_, tile_columns_;
};

}  // namespace mithril::cpu_backend
