#include "backends/cpu/kernels/winograd_kernels.hpp"

#include "backends/cpu/kernels/nchwc_kernels.hpp"
#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/winograd_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int64_t lanes = HWY_LANES(float);

// x * factor + y
HWY_ATTR V plus(V y, V x, float factor) { return hn::MulAdd(x, hn::Set(D(), factor), y); }

// One axis of the input transform, for 6 elements of x that are `step` apart.
HWY_ATTR void transform_input(const V* x, int step, V* to, int to_step) {
  const V x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step], x4 = x[4 * step],
          x5 = x[5 * step];
  const V even = plus(x4, x2, -4), odd = plus(x3, x1, -4);
  const V outer = hn::Sub(x4, x2), inner = hn::Sub(x3, x1);
  to[0] = plus(plus(x4, x2, -5), x0, 4);
  to[to_step] = hn::Add(even, odd);
  to[2 * to_step] = hn::Sub(even, odd);
  to[3 * to_step] = plus(outer, inner, 2);
  to[4 * to_step] = plus(outer, inner, -2);
  to[5 * to_step] = plus(plus(x5, x3, -5), x1, 4);
}

HWY_ATTR void transform_output(const V* x, int step, V* to, int to_step) {
  const V sum = hn::Add(x[step], x[2 * step]), apart = hn::Sub(x[step], x[2 * step]);
  const V twice = hn::Add(x[3 * step], x[4 * step]), opposed = hn::Sub(x[3 * step], x[4 * step]);
  to[0] = hn::Add(hn::Add(x[0], sum), twice);
  to[to_step] = plus(apart, opposed, 2);
  to[2 * to_step] = plus(sum, twice, 4);
  to[3 * to_step] = hn::Add(plus(apart, opposed, 8), x[5 * step]);
}

// Weights are transformed once, so this uses doubles.
using Wide = hn::ScalableTag<double>;

HWY_ATTR void transform_weight(const hn::Vec<Wide>* x, int step, hn::Vec<Wide>* to, int to_step) {
  const Wide d;
  const auto sum = hn::Mul(hn::Add(x[0], x[2 * step]), hn::Set(d, -1.0 / 6)),
             middle = hn::Mul(x[step], hn::Set(d, 1.0 / 6)),
             outer =
                 hn::MulAdd(x[2 * step], hn::Set(d, 1.0 / 6), hn::Mul(x[0], hn::Set(d, 1.0 / 24))),
             half = hn::Mul(x[step], hn::Set(d, 1.0 / 12));
  to[0] = hn::Mul(x[0], hn::Set(d, 1.0 / 4));
  to[to_step] = hn::Sub(sum, middle);
  to[2 * to_step] = hn::Add(sum, middle);
  to[3 * to_step] = hn::Add(outer, half);
  to[4 * to_step] = hn::Sub(outer, half);
  to[5 * to_step] = x[2 * step];
}

HWY_ATTR void weight(const WinogradWeight& w) {
  const Wide d;
  const hn::Rebind<float, Wide> narrow;
  float windows[9][32] = {};
  for (int64_t channel = 0; channel < w.channels; ++channel) {
    for (int k = 0; k < 9; ++k) windows[k][channel] = w.from[channel * w.from_step + k];
  }
  for (int64_t i = 0; i < w.nr; i += HWY_LANES(double)) {
    hn::Vec<Wide> x[9], half[18], made[6];
    for (int k = 0; k < 9; ++k) x[k] = hn::PromoteTo(d, hn::LoadU(narrow, windows[k] + i));
    for (int at = 0; at < 3; ++at) transform_weight(x + at, 3, half + at, 3);
    for (int y = 0; y < 6; ++y) {
      transform_weight(half + y * 3, 1, made, 1);
      for (int at = 0; at < 6; ++at) {
        hn::StoreU(hn::DemoteTo(narrow, made[at]), narrow, w.to + (y * 6 + at) * w.to_step + i);
      }
    }
  }
}

constexpr int64_t block = channel_block;

HWY_ATTR void transform_and_store(V* x, const WinogradInputBlock& w, int64_t i) {
  V half[36];
  for (int at = 0; at < 6; ++at) transform_input(x + at, 6, half + at, 6);
  for (int y = 0; y < 6; ++y) transform_input(half + y * 6, 1, x + y * 6, 1);
  for (int k = 0; k < 36; ++k) hn::StoreU(x[k], D(), w.to + k * w.to_step + i);
}

HWY_ATTR void input_block(const WinogradInputBlock& w) {
  const D d;
  const bool whole =
      w.first_row == 0 && w.last_row == 6 && w.first_column == 0 && w.last_column == 6;
  for (int64_t i = 0; i < block; i += lanes) {
    V x[36];
    if (whole) {
      for (int k = 0; k < 36; ++k)
        x[k] = hn::LoadU(d, w.from + k / 6 * w.row_step + k % 6 * block + i);
    } else {
      for (int k = 0; k < 36; ++k) {
        const int y = k / 6, at = k % 6;
        const bool inside =
            y >= w.first_row && y < w.last_row && at >= w.first_column && at < w.last_column;
        x[k] = inside ? hn::LoadU(d, w.from + y * w.row_step + at * block + i) : hn::Zero(d);
      }
    }
    transform_and_store(x, w, i);
  }
}

HWY_ATTR void output_block(const WinogradOutputBlock& w) {
  const D d;
  for (int64_t i = 0; i < block; i += lanes) {
    V x[36], half[24], y[16];
    for (int k = 0; k < 36; ++k) x[k] = hn::LoadU(d, w.sums + k * w.sum_step + i);
    for (int at = 0; at < 6; ++at) transform_output(x + at, 6, half + at, 6);
    for (int row = 0; row < 4; ++row) transform_output(half + row * 6, 1, y + row * 4, 1);
    const V bias = w.bias ? hn::LoadU(d, w.bias + i) : hn::Zero(d);
    for (int64_t row = 0; row < w.rows; ++row) {
      float* to = w.to + row * w.row_step + i;
      for (int64_t at = 0; at < w.columns; ++at) {
        hn::StoreU(hn::Add(y[row * 4 + at], bias), d, to + at * block);
      }
    }
  }
}

constexpr WinogradKernels kernels{weight, input_block, output_block};

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const WinogradKernels& winograd_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, kernels);
}

}  // namespace mithril::cpu_backend
#endif
