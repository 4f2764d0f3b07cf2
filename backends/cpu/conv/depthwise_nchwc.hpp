// Depthwise convolutions in the NCHW16c layout.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/grouped_nchwc.hpp"

namespace mithril::cpu_backend {

inline bool is_depthwise(const Convolution& c) { return c.inputs == 1 && c.outputs == 1; }

// Reads the source in place: taps beyond its borders are left out.
class DepthwiseNchwc final : public GroupedNchwc {
 public:
  // Each group has one input and one output channel.
  DepthwiseNchwc(const Convolution& convolution, NchwcLayouts layouts,
                 const NchwcKernels& kernels = nchwc_kernels());

  // Each multiplication loads an element.
  double work() const override { return 4 * GroupedNchwc::work(); }
  int64_t work_bytes(int64_t /*parts*/) const override { return 0; }
  // Computes some of the rows.
  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override;

 private:
  using Range = GemmPart::Range;
  // A column of the result for which taps are beyond the left or the right border.
  struct BorderColumn {
    int64_t x;
    Range taps;    // of a row of the kernel
    size_t first;  // in border_taps_: the taps of all rows of the kernel
  };

  bool shares_rows() const;
  void add_border(int64_t x);
  void run_rows(const ConvolutionOperands& operands, int64_t plane, Range rows) const;
  void run_row(const LaneTile& row, const float* first_tap, int64_t y) const;

  std::vector<int32_t> offsets_;  // of each tap in the source
  std::vector<Range> row_taps_;   // of each row of the result: the rows of the kernel that count
  Range inner_columns_;           // columns of the result without taps beyond a border
  std::vector<BorderColumn> border_;
  std::vector<int32_t> border_taps_;
};

}  // namespace mithril::cpu_backend
