#include "backends/cpu/conv/small_planes.hpp"

#include <algorithm>

#include "backends/cpu/conv/implicit_gemm.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"

namespace mithril::cpu_backend {
namespace {

// Most k in a block: the weights of a panel then stay in the L1 cache.
constexpr int64_t most_depth_of_panels = 256;

Convolution of_one_channel(Convolution convolution) {
  convolution.inputs = 1;
  return convolution;
}

}  // namespace

bool suits_small_planes(const Convolution& c) {
  const GemmKernels<float>& products = gemm_kernels<float>();
  const ImplicitGemmForm form = output_form(of_one_channel(c), products.nr);
  const int64_t columns = up(form.columns(form.products.front()), products.nr) * products.nr;
  // Packing the rows costs as much as a few columns.
  return c.width.output <= products.mr && c.outputs >= products.nr &&
         8 * columns >= 9 * form.made_plane();
}

SmallPlaneForm::SmallPlaneForm(const Convolution& convolution, Instructions instructions)
    : c_(convolution),
      products_(&gemm_kernels<float>(instructions)),
      nr_(products_->nr),
      taps_(c_.height.kernel * c_.width.kernel),
      depth_(c_.inputs * taps_),
      band_rows_(std::min(products_->mr / c_.width.output, c_.height.output)),
      bands_(up(c_.height.output, band_rows_)),
      mr_(band_rows_ * c_.width.output),
      panels_(up(c_.outputs, nr_)),
      planes_(output_form(of_one_channel(c_), nr_)) {}

double SmallPlaneForm::work() const {
  return static_cast<double>(bands_ * mr_) * static_cast<double>(depth_) *
         static_cast<double>(c_.outputs);
}

int64_t SmallPlaneForm::band_step() const {
  constexpr int64_t line = 16;
  return (up(depth_ * mr_, line) | 1) * line;
}

int64_t SmallPlaneForm::part_count() const {
  constexpr int64_t margin = ImplicitGemmKernels<float>::most_nr;
  return std::max(planes_.channel_step() + margin, bands_ * mr_ * nr_);
}

void SmallPlaneForm::transform_weight(const float* weight, int64_t panel, float* to) const {
  const int64_t size = depth_ * nr_, outputs = std::min(nr_, c_.outputs - panel * nr_);
  if (outputs < nr_) std::fill_n(to + panel * size, size, 0.0f);
  gemm_kernels<float>().interleave(
      {weight + panel * size, depth_, outputs, depth_, to + panel * size, nr_});
}

void SmallPlaneForm::transform_input(const float* input, int64_t first, int64_t last, float* work,
                                     float* to) const {
  const std::vector<int64_t>& taps = planes_.products.front().offsets;
  for (int64_t channel = first; channel < last; ++channel) {
    const float* planes = input + channel * planes_.source_plane();
    if (!planes_.in_place) {
      pad_planes(planes_, planes, 0, 1, work);
      planes = work;
    }
    for (int64_t tap = 0; tap < taps_; ++tap) {
      const float* from = planes + taps[static_cast<size_t>(tap)];
      float* bands = to + (channel * taps_ + tap) * mr_;
      for (int64_t y = 0; y < band_rows_; ++y) {
        products_->copy({.from = from + y * planes_.width.extent,
                         .from_step = band_rows_ * planes_.width.extent,
                         .count = c_.width.output,
                         .depth = up(c_.height.output - y, band_rows_),
                         .to = bands + y * c_.width.output,
                         .to_step = band_step()});
      }
    }
  }
}

void SmallPlaneForm::multiply(const PanelOperands& operands, const WindowPart& part) const {
  const auto [first, last] = part.rows(panels_);
  const int64_t plane = c_.height.output * c_.width.output;
  for (int64_t panel = first; panel < last; ++panel) {
    multiply_panel(operands, panel);
    store_panel(operands, panel);
    const int64_t channels = std::min(nr_, c_.outputs - panel * nr_);
    operands.epilogue.run({.begin = panel * nr_ * plane, .size = channels * plane});
  }
}

void SmallPlaneForm::multiply_panel(const PanelOperands& operands, int64_t panel) const {
  const int64_t places = c_.height.output * c_.width.output;
  const int64_t pieces = std::max<int64_t>(up(depth_, most_depth_of_panels), 1);
  alignas(64) float bias[GemmKernels<float>::most_nr] = {};
  if (operands.bias) {
    const int64_t first = panel * nr_;
    std::copy_n(operands.bias + first, std::min(nr_, c_.outputs - first), bias);
  }
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const int64_t k = depth_ * piece / pieces, end = depth_ * (piece + 1) / pieces;
    const float* weight = operands.weight + (panel * depth_ + k) * nr_;
    const auto prefetching = Prefetching::of<float>((end - k) * nr_, end - k, bands_);
    for (int64_t band = 0; band < bands_; ++band) {
      products_->tile[std::min(mr_, places - band * mr_)](
          {.a = operands.input + band * band_step() + k * mr_,
           .a_step = mr_,
           .b = weight,
           .b_step = nr_,
           .c = operands.work + band * mr_ * nr_,
           .c_step = nr_,
           .depth = end - k,
           .add = k > 0,
           .bias = k == 0 ? bias : nullptr,
           .next = weight + (end - k) * nr_ + band * prefetching.elements,
           .lines = prefetching.lines});
    }
  }
}

void SmallPlaneForm::store_panel(const PanelOperands& operands, int64_t panel) const {
  const int64_t places = c_.height.output * c_.width.output, first = panel * nr_;
  const int64_t channels = std::min(nr_, c_.outputs - first);
  products_->interleave(
      {operands.work, nr_, places, channels, operands.made + first * places, places});
}

}  // namespace mithril::cpu_backend
