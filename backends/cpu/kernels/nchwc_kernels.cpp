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

#if HWY_TARGET == HWY_AVX3
constexpr int mr = 14;
#else
constexpr int mr = 6;
#endif

// Vector j of the channels of a pixel.
[[maybe_unused]] HWY_INLINE float* vector_of(const BlockTile& t, int place, int j) {
  constexpr int block = static_cast<int>(channel_block);
  return t.c + j * lanes / block * t.c_step + place * block + j * lanes % block;
}

// Makes the compiler reload elements that neighbouring pixels share. If it kept them, it would run
// out of registers.
[[maybe_unused]] HWY_INLINE void forget(const float*& a) { __asm__("" : "+r"(a)); }

// `run` is the number of k in a run; 0: t.run says it.
template <int rows, int step, int run>
HWY_ATTR void run_tile(const BlockTile& t) {
  const D d;
  const bool biased = t.bias && !t.add;
  const V left_bias = biased ? hn::LoadU(d, t.bias) : hn::Zero(d),
          right_bias = biased ? hn::LoadU(d, t.bias + lanes) : hn::Zero(d);
  V sums[rows][2];
  unrolled<rows>([&](auto i) HWY_ATTR {
    sums[i][0] = left_bias;
    sums[i][1] = right_bias;
  });
  const float *b = t.b, *next = t.next;
  const int64_t length = run ? run : t.run;
  for (int64_t r = 0; r < t.runs; ++r) {
    const float* a = t.a + t.offsets[r];
    for (int64_t i = 0; i < t.lines; ++i, next += 16) __builtin_prefetch(next, 0, 2);
#pragma GCC unroll 8
    for (int64_t k = 0; k < length; ++k, ++a, b += 2 * lanes) {
      if constexpr (step < channel_block) forget(a);
      const V left = hn::LoadU(d, b), right = hn::LoadU(d, b + lanes);
      unrolled<rows>([&](auto i) HWY_ATTR {
        const V factor = hn::Set(d, a[i * step]);
        sums[i][0] = hn::MulAdd(factor, left, sums[i][0]);
        sums[i][1] = hn::MulAdd(factor, right, sums[i][1]);
      });
    }
  }
  unrolled<rows>([&](auto i) HWY_ATTR {
    float *left = vector_of(t, i, 0), *right = vector_of(t, i, 1);
    const V before_left = t.add ? hn::LoadU(d, left) : hn::Zero(d),
            before_right = t.add ? hn::LoadU(d, right) : hn::Zero(d);
    hn::StoreU(hn::Add(sums[i][0], before_left), d, left);
    hn::StoreU(hn::Add(sums[i][1], before_right), d, right);
  });
}

template <int rows, int step, int run>
void fill(NchwcKernels::Tiles& tiles) {
  if constexpr (rows > 0) {
    tiles[rows] = run_tile<rows, step, run>;
    fill<rows - 1, step, run>(tiles);
  }
}

// Kernel widths of first layers (3, 5, 7), and any other width.
template <int step>
void fill_planes(std::array<NchwcKernels::Tiles, NchwcKernels::most_run>& planes) {
  fill<mr, step, 0>(planes[0]);
  fill<mr, step, 3>(planes[3]);
  fill<mr, step, 5>(planes[5]);
  fill<mr, step, 7>(planes[7]);
}

const NchwcKernels& kernels() {
  static const NchwcKernels filled = [] {
    constexpr int block = static_cast<int>(channel_block);
    NchwcKernels made{.mr = mr, .nr = 2 * lanes % block == 0 ? 2 * lanes : 0};
    if constexpr (2 * lanes % block == 0) {
      fill<mr, block, block>(made.blocks[0]);
      fill<mr, 2 * block, block>(made.blocks[1]);
      fill_planes<1>(made.planes[0]);
      fill_planes<2>(made.planes[1]);
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
