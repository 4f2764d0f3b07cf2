#include "backends/cpu/kernels/matmul_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/matmul_kernels.cpp"
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

// Two vectors wide, and as many rows as there are registers for; one is for the element of a.
#if HWY_TARGET == HWY_AVX3
constexpr int height = 14;
#else
constexpr int height = 6;
#endif

template <typename T>
constexpr int64_t line_size = 64 / int64_t{sizeof(T)};  // of the cache

template <typename T, int rows>
HWY_ATTR void run_tile(const Tile<T>& t) {
  const hn::ScalableTag<T> d;
  constexpr int64_t lanes = HWY_LANES(T);
  Vector<T> sums[rows][2];
  unrolled<rows>([&](auto i) HWY_ATTR {
    const T* begin = t.c + i * t.c_step;
    sums[i][0] = t.add ? hn::LoadU(d, begin) : hn::Zero(d);
    sums[i][1] = t.add ? hn::LoadU(d, begin + lanes) : hn::Zero(d);
  });
  const T *a = t.a, *b = t.b, *next = t.next;
  for (int64_t first = 0; first < t.depth; first += Tile<T>::stretch) {
    for (int64_t i = 0; i < t.lines; ++i, next += line_size<T>) __builtin_prefetch(next, 0, 2);
    const int64_t last = std::min(first + Tile<T>::stretch, t.depth);
#pragma GCC unroll 4
    for (int64_t k = first; k < last; ++k, a += t.a_step, b += t.b_step) {
      const Vector<T> left = hn::LoadU(d, b), right = hn::LoadU(d, b + lanes);
      unrolled<rows>([&](auto i) HWY_ATTR {
        const Vector<T> factor = hn::Set(d, a[i]);
        sums[i][0] = hn::MulAdd(factor, left, sums[i][0]);
        sums[i][1] = hn::MulAdd(factor, right, sums[i][1]);
      });
    }
  }
  if (t.bias) {
    const Vector<T> left = hn::LoadU(d, t.bias), right = hn::LoadU(d, t.bias + lanes);
    unrolled<rows>([&](auto i) HWY_ATTR {
      sums[i][0] = hn::Add(sums[i][0], left);
      sums[i][1] = hn::Add(sums[i][1], right);
    });
  }
  unrolled<rows>([&](auto i) HWY_ATTR {
    hn::StoreU(sums[i][0], d, t.c + i * t.c_step);
    hn::StoreU(sums[i][1], d, t.c + i * t.c_step + lanes);
  });
}

template <typename T, int tiles>
HWY_ATTR void run_row(const Tile<T>& t, int64_t b_distance) {
  const hn::ScalableTag<T> d;
  constexpr int64_t lanes = HWY_LANES(T);
  Vector<T> sums[tiles][2];
  for (int i = 0; i < tiles; ++i) {
    const T* begin = t.c + i * 2 * lanes;
    sums[i][0] = t.add ? hn::LoadU(d, begin) : hn::Zero(d);
    sums[i][1] = t.add ? hn::LoadU(d, begin + lanes) : hn::Zero(d);
  }
  const T *a = t.a, *b = t.b;
#pragma GCC unroll 2
  for (int64_t k = 0; k < t.depth; ++k, a += t.a_step, b += t.b_step) {
    const Vector<T> factor = hn::Set(d, *a);
#pragma GCC unroll 4
    for (int i = 0; i < tiles; ++i) {
      const T* from = b + i * b_distance;
      sums[i][0] = hn::MulAdd(factor, hn::LoadU(d, from), sums[i][0]);
      sums[i][1] = hn::MulAdd(factor, hn::LoadU(d, from + lanes), sums[i][1]);
    }
  }
  for (int i = 0; i < tiles; ++i) {
    for (int half = 0; half < 2; ++half) {
      const int64_t at = (2 * i + half) * lanes;
      const Vector<T> sum = sums[i][half];
      hn::StoreU(t.bias ? hn::Add(sum, hn::LoadU(d, t.bias + at)) : sum, d, t.c + at);
    }
  }
}

template <typename T, int rows>
HWY_ATTR void run_dots(const Dots<T>& t, int64_t first) {
  const hn::ScalableTag<T> d;
  constexpr int64_t lanes = HWY_LANES(T);
  const T* from[rows];
  Vector<T> sums[rows][2];
  for (int j = 0; j < rows; ++j) {
    from[j] = t.rows + (first + j) * t.row_step;
    sums[j][0] = sums[j][1] = hn::Zero(d);
  }
  int64_t k = 0;
  for (; k + 2 * lanes <= t.depth; k += 2 * lanes) {
    const Vector<T> left = hn::LoadU(d, t.x + k), right = hn::LoadU(d, t.x + k + lanes);
    for (int j = 0; j < rows; ++j) {
      sums[j][0] = hn::MulAdd(left, hn::LoadU(d, from[j] + k), sums[j][0]);
      sums[j][1] = hn::MulAdd(right, hn::LoadU(d, from[j] + k + lanes), sums[j][1]);
    }
  }
  for (int j = 0; j < rows; ++j) {
    T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums[j][0], sums[j][1])));
    for (int64_t rest = k; rest < t.depth; ++rest) sum += t.x[rest] * from[j][rest];
    t.out[first + j] = t.bias ? sum + t.bias[first + j] : sum;
  }
}

template <typename T>
HWY_ATTR void dots(const Dots<T>& t) {
  int64_t j = 0;
  for (; j + 4 <= t.count; j += 4) run_dots<T, 4>(t, j);
  for (; j < t.count; ++j) run_dots<T, 1>(t, j);
}

// A square of as many rows as vectors of 16 bytes have elements.
#if HWY_TARGET == HWY_SCALAR
template <typename T>
constexpr int64_t square = 1;

template <typename T>
void interleave_square(const Rearrangement<T>& t, int64_t j, int64_t k) {
  t.to[k * t.to_step + j] = t.from[j * t.from_step + k];
}
#else
template <typename T>
constexpr int64_t square = 16 / int64_t{sizeof(T)};

template <typename T>
HWY_ATTR void interleave_square(const Rearrangement<T>& t, int64_t j, int64_t k) {
  const hn::FixedTag<T, square<T>> d;
  const T* from = t.from + j * t.from_step + k;
  T* to = t.to + k * t.to_step + j;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + t.from_step);
  if constexpr (square<T> == 2) {
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + t.to_step);
  } else {
    const auto c = hn::LoadU(d, from + 2 * t.from_step), e = hn::LoadU(d, from + 3 * t.from_step);
    const auto ac = hn::InterleaveLower(d, a, c), be = hn::InterleaveLower(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, ac, be), d, to);
    hn::StoreU(hn::InterleaveUpper(d, ac, be), d, to + t.to_step);
    const auto more_ac = hn::InterleaveUpper(d, a, c), more_be = hn::InterleaveUpper(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, more_ac, more_be), d, to + 2 * t.to_step);
    hn::StoreU(hn::InterleaveUpper(d, more_ac, more_be), d, to + 3 * t.to_step);
  }
}
#endif

// What is left beside whole squares is in squares that reach back over what was done before.
template <typename T>
HWY_ATTR void interleave(const Rearrangement<T>& t) {
  if (t.count < square<T> || t.depth < square<T>) {
    for (int64_t j = 0; j < t.count; ++j) {
      for (int64_t k = 0; k < t.depth; ++k) t.to[k * t.to_step + j] = t.from[j * t.from_step + k];
    }
    return;
  }
  for (int64_t first = 0; first < t.depth; first += line_size<T>) {
    const int64_t last = std::min(first + line_size<T>, t.depth);
    for (int64_t j = 0; j < t.count; j += square<T>) {
      const int64_t row = j + square<T> <= t.count ? j : t.count - square<T>;
      for (int64_t k = first; k < last; k += square<T>) {
        interleave_square(t, row, k + square<T> <= t.depth ? k : t.depth - square<T>);
      }
    }
  }
}

template <typename D, typename T>
HWY_ATTR void copy_vectors(D d, const Rearrangement<T>& t) {
  constexpr int64_t lanes = int64_t{hn::MaxLanes(D())};
  for (int64_t k = 0; k < t.depth; ++k) {
    const T* from = t.from + k * t.from_step;
    T* to = t.to + k * t.to_step;
    for (int64_t j = 0; j < t.count; j += lanes) {
      const int64_t at = std::min(j, t.count - lanes);
      hn::StoreU(hn::LoadU(d, from + at), d, to + at);
    }
  }
}

template <typename T>
HWY_ATTR void copy(const Rearrangement<T>& t) {
  const hn::ScalableTag<T> d;
  const hn::FixedTag<T, square<T>> small;
  if (t.count >= int64_t{HWY_LANES(T)}) return copy_vectors(d, t);
  if (t.count >= square<T>) return copy_vectors(small, t);
  for (int64_t k = 0; k < t.depth; ++k) {
    for (int64_t j = 0; j < t.count; ++j) t.to[k * t.to_step + j] = t.from[k * t.from_step + j];
  }
}

template <typename T, int rows>
void fill(MatmulKernels<T>& kernels) {
  if constexpr (rows > 0) {
    kernels.tile[rows] = run_tile<T, rows>;
    fill<T, rows - 1>(kernels);
  }
}

template <typename T>
const MatmulKernels<T>& kernels() {
  static const MatmulKernels<T> filled = [] {
    MatmulKernels<T> made{
        .height = height,
        .width = 2 * HWY_LANES(T),
        .tile = {},
        .row = {nullptr, run_row<T, 1>, run_row<T, 2>, run_row<T, 3>, run_row<T, 4>},
        .dots = dots<T>,
        .interleave = interleave<T>,
        .copy = copy<T>};
    fill<T, height>(made);
    return made;
  }();
  return filled;
}

}  // namespace

const MatmulKernels<float>& matmul_of_floats() { return kernels<float>(); }
const MatmulKernels<double>& matmul_of_doubles() { return kernels<double>(); }

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

template <>
const MatmulKernels<float>& matmul_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, matmul_of_floats);
}

template <>
const MatmulKernels<double>& matmul_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, matmul_of_doubles);
}

}  // namespace mithril::cpu_backend
#endif
