#include "backends/cpu/kernels/nchwc_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/nchwc_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/unrolled-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int lanes = HWY_LANES(float);

// Vectors of a block, and of a panel: at least two, and at least a block.
constexpr int block = static_cast<int>(channel_block);
constexpr int block_vectors = lanes < block ? block / lanes : 1;
constexpr int panel_vectors = block_vectors > 2 ? block_vectors : 2;
constexpr int nr = panel_vectors * lanes;

#if HWY_TARGET == HWY_AVX3
constexpr int mr = 14;
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_AVX2
constexpr int mr = 3;
#else
constexpr int mr = 6;
#endif
// Pixels of a tile whose lanes are output channels: enough independent sums to hide the latency of
// FMA.
constexpr int lane_rows = 8;

// Vector j of the channels of a pixel.
[[maybe_unused]] HWY_INLINE float* vector_of(const BlockTile& t, int place, int j) {
  return t.c + j * lanes / block * t.c_step + place * block + j * lanes % block;
}

// Makes the compiler reload elements that neighbouring pixels share. If it kept them, it would run
// out of registers.
[[maybe_unused]] HWY_INLINE void forget(const float*& a) { __asm__("" : "+r"(a)); }

// sums[j] += factor * right[j]
template <int vectors>
HWY_INLINE void add_products(V factor, const V* right, V* sums) {
  sums[0] = hn::MulAdd(factor, right[0], sums[0]);
  if constexpr (vectors > 1) sums[1] = hn::MulAdd(factor, right[1], sums[1]);
  if constexpr (vectors > 2) {
    sums[2] = hn::MulAdd(factor, right[2], sums[2]);
    sums[3] = hn::MulAdd(factor, right[3], sums[3]);
  }
}

// `run` is the number of k in a run; 0: t.run says it. `vectors`: those that are stored.
template <int rows, int step, int run, int vectors>
HWY_ATTR void run_tile(const BlockTile& t) {
  const D d;
  const bool biased = t.bias && !t.add;
  V sums[rows][vectors];
  unrolled<rows * vectors>([&](auto n) HWY_ATTR {
    sums[n / vectors][n % vectors] =
        biased ? hn::LoadU(d, t.bias + n % vectors * lanes) : hn::Zero(d);
  });
  const float *b = t.b, *next = t.next;
  const int64_t length = run ? run : t.run;
  for (int64_t r = 0; r < t.runs; ++r) {
    const float* a = t.a + t.offsets[r];
    for (int64_t i = 0; i < t.lines; ++i, next += 16) __builtin_prefetch(next, 0, 2);
#pragma GCC unroll 8
    for (int64_t k = 0; k < length; ++k, ++a, b += nr) {
      if constexpr (step < block) forget(a);
      V right[vectors];
      unrolled<vectors>([&](auto j) HWY_ATTR { right[j] = hn::LoadU(d, b + j * lanes); });
      unrolled<rows>(
          [&](auto i) HWY_ATTR { add_products<vectors>(hn::Set(d, a[i * step]), right, sums[i]); });
    }
  }
  unrolled<rows * vectors>([&](auto n) HWY_ATTR {
    float* to = vector_of(t, n / vectors, n % vectors);
    const V sum = sums[n / vectors][n % vectors];
    hn::StoreU(t.add ? hn::Add(sum, hn::LoadU(d, to)) : sum, d, to);
  });
}

template <int rows>
HWY_ATTR void run_lanes(const LaneTile& t) {
  const D d;
  for (int64_t j = 0; j < block; j += lanes) {
    V sums[rows];
    const V bias = t.bias ? hn::LoadU(d, t.bias + j) : hn::Zero(d);
    unrolled<rows>([&](auto i) HWY_ATTR { sums[i] = bias; });
    const float* b = t.b + j;
    for (int64_t r = 0; r < t.runs; ++r, b += block) {
      const float* a = t.a + t.offsets[r] + j;
      const V right = hn::LoadU(d, b);
      unrolled<rows>([&](auto i) HWY_ATTR {
        sums[i] = hn::MulAdd(hn::LoadU(d, a + i * t.a_step), right, sums[i]);
      });
    }
    unrolled<rows>([&](auto i) HWY_ATTR { hn::StoreU(sums[i], d, t.c + i * block + j); });
  }
}

// The lanes of one vector come from one vector of `from`, because groups do not have more input
// than output channels.
HWY_ATTR void select(const LaneSelection& s) {
  const D d;
  for (int64_t i = 0; i < s.inputs; ++i) {
    for (int64_t j = 0; j < block; j += lanes) {
      const int32_t* at = s.lanes + i * block + j;
      const int32_t first = at[0] / lanes * lanes;
      alignas(64) int32_t within[static_cast<size_t>(lanes)];
      for (int k = 0; k < lanes; ++k) within[k] = at[k] - first;
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

template <int rows>
void fill_lanes(NchwcKernels::Tiles& tiles) {
  if constexpr (rows > 0) {
    tiles[rows] = run_lanes<rows>;
    fill_lanes<rows - 1>(tiles);
  }
}

template <int stride>
void fill_stride(NchwcKernels& made) {
  fill<mr, stride * block, block>(made.blocks[stride - 1]);
  fill<mr, stride * block, 0>(made.short_runs[stride - 1]);
  // Kernel widths of first layers (3, 5, 7), and any other width.
  auto& planes = made.planes[stride - 1];
  fill<mr, stride, 0>(planes[0]);
  fill<mr, stride, 3>(planes[3]);
  fill<mr, stride, 5>(planes[5]);
  fill<mr, stride, 7>(planes[7]);
  if constexpr (panel_vectors > block_vectors) {
    fill<mr, stride * block, 0, block_vectors>(made.half_of_blocks[stride - 1]);
    fill<mr, stride, 0, block_vectors>(made.half_of_planes[stride - 1]);
  }
}

const NchwcKernels& kernels() {
  static const NchwcKernels filled = [] {
    NchwcKernels made;
    if constexpr (lanes >= 4) {
      made.mr = mr;
      made.nr = nr;
      fill_stride<1>(made);
      fill_stride<2>(made);
      made.lane_rows = lane_rows;
      fill_lanes<lane_rows>(made.lanes);
      made.select = select;
    }
    return made;
  }();
  return filled;
}

}  // namespace

const NchwcKernels& blocks_of_floats() { return kernels(); }

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const NchwcKernels& nchwc_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, blocks_of_floats);
}

}  // namespace mithril::cpu_backend
#endif
