#include "backends/cpu/conv/weight_gradient.hpp"

#include <algorithm>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

// Pixels that are transposed at once, so that source and destination stay in the L1 cache.
constexpr int64_t moved_block = 32;

int64_t extent_of(const WindowAxis& axis) {
  return (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
}

}  // namespace

WeightGradientForm::WeightGradientForm(const Convolution& convolution, int most_rows, int nr)
    : c_(convolution),
      nr_(nr),
      tiles_(up(c_.outputs, most_rows)),
      mr_(tiles_ > 0 ? up(c_.outputs, tiles_) : 1),
      runs_(c_.width.dilation == 1 ? 1 : c_.width.kernel),
      run_columns_(c_.width.kernel / runs_ * c_.inputs),
      run_panels_(up(run_columns_, nr)),
      height_extent_(extent_of(c_.height)),
      width_extent_(extent_of(c_.width)) {
  for (int64_t y = 0; y < c_.height.output; ++y) {
    for (int64_t x = 0; x < c_.width.output; ++x) {
      offsets_.push_back((y * c_.height.stride * width_extent_ + x * c_.width.stride) * c_.inputs);
    }
  }
}

int64_t WeightGradientForm::padded_count() const {
  // The last panel reads beyond the last channel of the last pixel.
  return height_extent_ * width_extent_ * c_.inputs + ImplicitGemmKernels<float>::most_nr;
}

int64_t WeightGradientForm::panel_offset(int64_t panel) const {
  const int64_t run = panel / run_panels_, within = panel % run_panels_ * nr_;
  const int64_t y = run / runs_ * c_.height.dilation, x = run % runs_ * c_.width.dilation;
  return (y * width_extent_ + x) * c_.inputs + within;
}

template <typename T>
void WeightGradientForm::pad(const T* input, int64_t first, int64_t last, T* padded) const {
  const WindowAxis &height = c_.height, &width = c_.width;
  const int64_t channels = c_.inputs, pitch = width_extent_ * channels;
  const int64_t left = std::clamp<int64_t>(width.before, 0, width_extent_);
  const int64_t right = std::clamp(width.before + width.input, left, width_extent_);
  for (int64_t row = first; row < last; ++row) {
    T* to = padded + row * pitch;
    const int64_t y = row - height.before;
    if (y < 0 || y >= height.input) {
      std::fill(to, to + pitch, T{});
      continue;
    }
    std::fill(to, to + left * channels, T{});
    std::fill(to + right * channels, to + pitch, T{});
    for (int64_t begin = left; begin < right; begin += moved_block) {
      const int64_t end = std::min(begin + moved_block, right);
      for (int64_t channel = 0; channel < channels; ++channel) {
        const T* from = input + (channel * height.input + y) * width.input - width.before;
        for (int64_t x = begin; x < end; ++x) to[x * channels + channel] = from[x];
      }
    }
  }
  if (last == height_extent_) {
    std::fill_n(padded + height_extent_ * pitch, ImplicitGemmKernels<float>::most_nr, T{});
  }
}

template <typename T>
void WeightGradientForm::pack(const T* gradient, int64_t first, int64_t last, T* packed) const {
  const int64_t count = places();
  for (int64_t tile = first; tile < last; ++tile) {
    const int64_t rows = std::min(mr_, c_.outputs - tile * mr_);
    const T* from = gradient + tile * mr_ * count;
    T* to = packed + tile * mr_ * count;
    for (int64_t begin = 0; begin < count; begin += moved_block) {
      const int64_t end = std::min(begin + moved_block, count);
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t at = begin; at < end; ++at) to[at * mr_ + row] = from[row * count + at];
      }
    }
  }
}

template <typename T>
void WeightGradientForm::multiply(const ImplicitGemmKernels<T>& kernels, const T* packed,
                                  const T* padded, bool add, const GemmPart& part, T* sums) const {
  const auto [first, last] = part.columns(panels());
  const auto [first_tile, last_tile] = part.rows(tiles_);
  const int64_t pieces = up(places(), depth_block);
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const int64_t begin = places() * piece / pieces, end = places() * (piece + 1) / pieces;
    for (int64_t tile = first_tile; tile < last_tile; ++tile) {
      const int64_t rows = std::min(mr_, c_.outputs - tile * mr_);
      for (int64_t panel = first; panel < last; ++panel) {
        kernels.tile[rows]({.a = packed + (tile * places() + begin) * mr_,
                            .a_step = mr_,
                            .b = padded + panel_offset(panel),
                            .offsets = offsets_.data() + begin,
                            .c = sums + tile * mr_ * columns() + panel * nr_,
                            .c_step = columns(),
                            .depth = end - begin,
                            .add = add || begin > 0,
                            .start = nullptr});
      }
    }
  }
}

template <typename T>
void WeightGradientForm::finish(const T* sums, T* weight) const {
  const int64_t width = c_.width.kernel, taps = c_.height.kernel * width;
  for (int64_t row = 0; row < c_.outputs; ++row) {
    const T* from = sums + row * columns();
    T* to = weight + row * c_.inputs * taps;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t run = runs_ == 1 ? tap / width : tap;
      const int64_t within = runs_ == 1 ? tap % width * c_.inputs : 0;
      const T* next = from + run * run_panels_ * nr_ + within;
      for (int64_t channel = 0; channel < c_.inputs; ++channel) {
        to[channel * taps + tap] = next[channel];
      }
    }
  }
}

template void WeightGradientForm::pad(const float*, int64_t, int64_t, float*) const;
template void WeightGradientForm::pad(const double*, int64_t, int64_t, double*) const;
template void WeightGradientForm::pack(const float*, int64_t, int64_t, float*) const;
template void WeightGradientForm::pack(const double*, int64_t, int64_t, double*) const;
template void WeightGradientForm::multiply(const ImplicitGemmKernels<float>&, const float*,
                                           const float*, bool, const GemmPart&, float*) const;
template void WeightGradientForm::multiply(const ImplicitGemmKernels<double>&, const double*,
                                           const double*, bool, const GemmPart&, double*) const;
template void WeightGradientForm::finish(const float*, float*) const;
template void WeightGradientForm::finish(const double*, double*) const;

}  // namespace mithril::cpu_backend
