#include "backends/cpu/kernels/implicit_gemm_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/implicit_gemm_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "backends/cpu/kernels/unrolled-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Vector = hn::Vec<hn::ScalableTag<T>>;

// A tile is two vectors wide. It has as many rows as the registers allow; one register holds the
// broadcast element of A.
#if HWY_TARGET == HWY_AVX3
constexpr int mr = 14;
#else
constexpr int mr = 6;
#endif

// Prefetch distance in k. The rows of B can be anywhere, so hardware prefetching does not help.
constexpr int64_t prefetch_distance = 12;

template <typename T, int rows, bool add>
HWY_ATTR HWY_INLINE void multiply_tile(const WindowTile<T>& t) {
  const hn::ScalableTag<T> d;
  constexpr int64_t lanes = HWY_LANES(T);
  Vector<T> sums[rows][2];
  unrolled<rows>([&](auto i) HWY_ATTR {
    sums[i][0] = sums[i][1] = !add && t.start ? hn::Set(d, t.start[i]) : hn::Zero(d);
  });
  const T* a = t.a;
#pragma GCC unroll 4
  for (int64_t k = 0; k < t.depth; ++k, a += t.a_step) {
    const T *b = t.b + t.offsets[k],
            *next = t.b + t.offsets[std::min(k + prefetch_distance, t.depth - 1)];
    __builtin_prefetch(next);
    __builtin_prefetch(next + lanes);
    const Vector<T> left = hn::LoadU(d, b), right = hn::LoadU(d, b + lanes);
    unrolled<rows>([&](auto i) HWY_ATTR {
      const Vector<T> factor = hn::Set(d, a[i]);
      sums[i][0] = hn::MulAdd(factor, left, sums[i][0]);
      sums[i][1] = hn::MulAdd(factor, right, sums[i][1]);
    });
  }
  unrolled<rows>([&](auto i) HWY_ATTR {
    T* to = t.c + i * t.c_step;
    if constexpr (add) {
      sums[i][0] = hn::Add(sums[i][0], hn::LoadU(d, to));
      sums[i][1] = hn::Add(sums[i][1], hn::LoadU(d, to + lanes));
    }
    hn::StoreU(sums[i][0], d, to);
    hn::StoreU(sums[i][1], d, to + lanes);
  });
}

template <typename T, int rows>
HWY_ATTR void run_tile(const WindowTile<T>& t) {
  t.add ? multiply_tile<T, rows, true>(t) : multiply_tile<T, rows, false>(t);
}

template <typename T, int rows>
void fill(ImplicitGemmKernels<T>& kernels) {
  if constexpr (rows > 0) {
    kernels.tile[rows] = run_tile<T, rows>;
    fill<T, rows - 1>(kernels);
  }
}

template <typename T>
const ImplicitGemmKernels<T>& kernels() {
  static const ImplicitGemmKernels<T> filled = [] {
    ImplicitGemmKernels<T> made{.mr = mr, .nr = 2 * HWY_LANES(T), .tile = {}};
    fill<T, mr>(made);
    return made;
  }();
  return filled;
}

}  // namespace

const ImplicitGemmKernels<float>& windows_of_floats() { return kernels<float>(); }
const ImplicitGemmKernels<double>& windows_of_doubles() { return kernels<double>(); }

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

template <>
const ImplicitGemmKernels<float>& implicit_gemm_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, windows_of_floats);
}

template <>
const ImplicitGemmKernels<double>& implicit_gemm_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, windows_of_doubles);
}

}  // namespace mithril::cpu_backend
#endif
