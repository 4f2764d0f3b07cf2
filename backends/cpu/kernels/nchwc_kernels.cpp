#include "backends/cpu/kernels/nchwc_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/nchwc_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/micro_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Vectors of a block, and of a panel: at least two, and at least a block.
constexpr int block = static_cast<int>(channel_block);
constexpr int block_vectors = lanes<float> < block ? block / lanes<float> : 1;
constexpr int panel_vectors = std::max(block_vectors, 2);
constexpr int panel = panel_vectors * lanes<float>;

// Pixels of a tile: rows of the micro-kernel.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_AVX2 && HWY_TARGET != HWY_AVX3
constexpr int pixels = 3;
#else
constexpr int pixels = mr;
#endif
// Neighbouring pixels, `step` elements apart.
template <int step>
struct PixelsA {
  const float* at;

  HWY_INLINE float operator[](int pixel) const { return at[pixel * step]; }
  HWY_INLINE void advance() {
    ++at;
    // Makes the compiler reload elements that neighbouring pixels share. If it kept them, it would
    // run out of registers.
    if constexpr (step < block) __asm__("" : "+r"(at));
  }
};

// Blocks of channels are `step` elements apart.
struct BlocksC : RowMajorC<float> {
  static constexpr bool may_clamp = true;
  const Clamp* clamp;

  HWY_INLINE float* at(int pixel, int vector) const {
    const int64_t j = vector * lanes<float>;
    return c + j / block * step + pixel * block + j % block;
  }
};

// Runs of k at offsets of A. `length` is the number of k in a run; 0: t.run says it.
template <int length>
struct OffsetRuns {
  const BlockTile& t;
  const float* next = t.next;
  int64_t r = 0;

  HWY_INLINE bool more() const { return r < t.runs; }
  template <class A>
  HWY_INLINE int64_t begin(A& a) {
    a.at = t.a + t.offsets[r++];
    for (int64_t i = 0; i < t.lines; ++i, next += 16) __builtin_prefetch(next, 0, 2);
    return length ? length : t.run;
  }
};

// `run` is as in OffsetRuns. `vectors`: those that are stored.
template <int rows, int step, int run, int vectors>
HWY_ATTR void run_tile(const BlockTile& t) {
  run_micro_kernel<PlainFormat<float>, rows, vectors>(
      PixelsA<step>{t.a}, PanelsOfB<PlainFormat<float>>{t.b, panel, nr<float>},
      BlocksC{{t.c, t.c_step, t.add ? nullptr : t.bias}, t.clamp}, OffsetRuns<run>{t}, t.add);
}

// Computes `rows` neighbouring pixels from pixel `first` on. `step`: a_step, if it is known at
// compile time; 0: it is not.
template <int rows, int step, bool of_taps>
HWY_ATTR HWY_INLINE void run_lane_tile(const LaneTile& t, int64_t first) {
  const D d;
  const int64_t a_step = step > 0 ? step : t.a_step;
  for (int64_t j = 0; j < block; j += lanes<float>) {
    V sums[rows];
    const V bias = t.bias ? hn::LoadU(d, t.bias + j) : hn::Zero(d);
    unrolled<rows>([&]<int... i>(Indices<i...>) MITHRIL_FOLD { ((sums[i] = bias), ...); });
    const float* from = t.a + first * a_step + j;
    for (int64_t r = 0; r < t.runs; ++r) {
      const int64_t tap = of_taps ? t.taps[r] : r;
      const float* a = from + t.offsets[tap];
      const V right = hn::LoadU(d, t.b + tap * block + j);
      unrolled<rows>([&]<int... i>(Indices<i...>) MITHRIL_FOLD {
        ((sums[i] = hn::MulAdd(hn::LoadU(d, a + i * a_step), right, sums[i])), ...);
      });
    }
    if (t.clamp) {
      unrolled<rows>([&]<int... i>(Indices<i...>)
                         MITHRIL_FOLD { ((sums[i] = clamped(*t.clamp, sums[i])), ...); });
    }
    float* c = t.c + first * block + j;
    unrolled<rows>([&]<int... i>(Indices<i...>)
                       MITHRIL_FOLD { (hn::StoreU(sums[i], d, c + i * block), ...); });
  }
}

// Computes `count` pixels, at most `rows`.
template <int rows, int step>
HWY_ATTR HWY_INLINE void run_few_lanes(const LaneTile& t, int64_t first, int64_t count) {
  if (count == rows) return run_lane_tile<rows, step, false>(t, first);
  if constexpr (rows > 1) run_few_lanes<rows - 1, step>(t, first, count);
}

// If the step is not known at compile time, each pixel takes an address register, so tiles are
// smaller.
template <int step>
HWY_ATTR void run_lanes(const LaneTile& t) {
  constexpr int most = step > 0 ? pixels : std::min(pixels, 8);
  const int64_t tiles = (t.pixels + most - 1) / most;
  int64_t first = 0;
  for (int64_t left = tiles; left > 0; --left) {
    const int64_t count = (t.pixels - first + left - 1) / left;
    run_few_lanes<most, step>(t, first, count);
    first += count;
  }
}

HWY_ATTR void run_lanes_of_taps(const LaneTile& t) { run_lane_tile<1, 0, true>(t, 0); }

// The lanes of one vector come from one vector of `from`, because groups do not have more input
// than output channels.
HWY_ATTR void select(const LaneSelection& s) {
  const D d;
  for (int64_t i = 0; i < s.inputs; ++i) {
    for (int64_t j = 0; j < block; j += lanes<float>) {
      const int32_t* at = s.lanes + i * block + j;
      const int32_t first = at[0] / lanes<float> * lanes<float>;
      alignas(64) int32_t within[static_cast<size_t>(lanes<float>)];
      for (int k = 0; k < lanes<float>; ++k) within[k] = at[k] - first;
      const auto indices = hn::SetTableIndices(d, within);
      float* to = s.to + i * block + j;
      for (int64_t pixel = 0; pixel < s.pixels; ++pixel, to += s.inputs * block) {
        hn::StoreU(hn::TableLookupLanes(hn::LoadU(d, s.from + pixel * block + first), indices), d,
                   to);
      }
    }
  }
}

template <int rows, int step, int run, int vectors = panel_vectors>
void fill(NchwcKernels::Tiles& tiles) {
  if constexpr (rows > 0) {
    tiles[rows] = run_tile<rows, step, run, vectors>;
    fill<rows - 1, step, run, vectors>(tiles);
  }
}

// Full tiles are compiled for their run. The rest of a line uses kernels for any run: there is
// little to gain, and each kernel takes the compiler a tenth of a second.
template <int step, int run>
void fill_planes(std::array<NchwcKernels::Tiles, NchwcKernels::most_run>& planes) {
  planes[run] = planes[0];
  planes[run][pixels] = run_tile<pixels, step, run, panel_vectors>;
}

template <int stride>
void fill_stride(NchwcKernels& made) {
  fill<pixels, stride * block, block>(made.blocks[stride - 1]);
  fill<pixels, stride * block, 0>(made.short_runs[stride - 1]);
  // Kernel widths of first layers (3, 5, 7), and any other width.
  auto& planes = made.planes[stride - 1];
  fill<pixels, stride, 0>(planes[0]);
  fill_planes<stride, 3>(planes);
  fill_planes<stride, 5>(planes);
  fill_planes<stride, 7>(planes);
  if constexpr (panel_vectors > block_vectors) {
    fill<pixels, stride * block, 0, block_vectors>(made.half_of_blocks[stride - 1]);
    fill<pixels, stride, 0, block_vectors>(made.half_of_planes[stride - 1]);
  }
}

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
  for (int64_t i = 0; i < block; i += lanes<float>) {
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
  for (int64_t i = 0; i < block; i += lanes<float>) {
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

const NchwcKernels& kernels() {
  static const NchwcKernels filled = [] {
    NchwcKernels made;
    if constexpr (lanes<float> >= 4) {
      made.mr = pixels;
      made.nr = panel;
      fill_stride<1>(made);
      fill_stride<2>(made);
      made.lanes[0] = run_lanes<0>;
      made.lanes[1] = run_lanes<block>;
      made.lanes[2] = run_lanes<2 * block>;
      made.lanes_of_taps = run_lanes_of_taps;
      made.select = select;
      made.winograd = {weight, input_block, output_block};
    }
    return made;
  }();
  return filled;
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const NchwcKernels& nchwc_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, kernels());
}

}  // namespace mithril::cpu_backend
#endif
