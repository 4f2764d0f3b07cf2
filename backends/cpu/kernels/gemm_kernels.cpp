#include "backends/cpu/kernels/gemm_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/gemm_kernels.cpp"
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

template <typename T>
constexpr int64_t line_size = 64 / int64_t{sizeof(T)};  // of the cache, in elements

// The elements of A for one k, from packed A (contiguous) or row-major A.
template <typename T, int rows>
struct PackedColumn {
  const T* at;
  int64_t step;

  explicit PackedColumn(const Tile<T>& t) : at(t.a), step(t.a_step) {}
  HWY_INLINE T operator[](size_t row) const { return at[row]; }
  HWY_INLINE void advance() { at += step; }
};

// One base register serves three rows, because x86 addresses are base + index * {1, 2}.
template <typename T, int rows>
struct StandingColumn {
  const T* at[(rows + 2) / 3];
  int64_t step;

  explicit HWY_INLINE StandingColumn(const Tile<T>& t) : step(t.a_row_step) {
    unrolled<(rows + 2) / 3>([&](auto i) { at[i] = t.a + 3 * i * step; });
  }
  HWY_INLINE T operator[](size_t row) const {
    return at[row / 3][static_cast<int64_t>(row % 3) * step];
  }
  HWY_INLINE void advance() {
    unrolled<(rows + 2) / 3>([&](auto i) { ++at[i]; });
  }
};

template <typename T, int rows, typename Column>
HWY_ATTR HWY_INLINE void multiply_tile(const Tile<T>& t) {
  const hn::ScalableTag<T> d;
  constexpr int64_t lanes = HWY_LANES(T);
  Vector<T> sums[rows][2];
  unrolled<rows>([&](auto i) HWY_ATTR { sums[i][0] = sums[i][1] = hn::Zero(d); });
  Column a(t);
  const T *b = t.b, *next = t.next;
  for (int64_t first = 0; first < t.depth; first += Tile<T>::stretch) {
    for (int64_t i = 0; i < t.lines; ++i, next += line_size<T>) __builtin_prefetch(next, 0, 2);
    const int64_t last = std::min(first + Tile<T>::stretch, t.depth);
#pragma GCC unroll 4
    for (int64_t k = first; k < last; ++k, a.advance(), b += t.b_step) {
      const Vector<T> left = hn::LoadU(d, b), right = hn::LoadU(d, b + lanes);
      unrolled<rows>([&](auto i) HWY_ATTR {
        const Vector<T> factor = hn::Set(d, a[i]);
        sums[i][0] = hn::MulAdd(factor, left, sums[i][0]);
        sums[i][1] = hn::MulAdd(factor, right, sums[i][1]);
      });
    }
  }
  if (t.add) {
    unrolled<rows>([&](auto i) HWY_ATTR {
      const T* before = t.c + i * t.c_step;
      sums[i][0] = hn::Add(sums[i][0], hn::LoadU(d, before));
      sums[i][1] = hn::Add(sums[i][1], hn::LoadU(d, before + lanes));
    });
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

template <typename T, int rows>
HWY_ATTR void run_tile(const Tile<T>& t) {
  t.a_row_step > 0 ? multiply_tile<T, rows, StandingColumn<T, rows>>(t)
                   : multiply_tile<T, rows, PackedColumn<T, rows>>(t);
}

// Prefetches a panel of B that comes from memory, because hardware prefetching ends at each page.
// Measured: distances between 512 and 4096 bytes are slower than 512.
template <typename T>
HWY_ATTR inline void prefetch_ahead(const T* from) {
  constexpr int64_t lanes = HWY_LANES(T), prefetch_distance = 512 / int64_t{sizeof(T)};
  __builtin_prefetch(from + prefetch_distance, 0, 3);
  if constexpr (2 * lanes > line_size<T>)
    __builtin_prefetch(from + prefetch_distance + line_size<T>, 0, 3);
}

template <typename T, int tiles, bool prefetches>
HWY_ATTR void multiply_row(const Tile<T>& t, int64_t b_distance) {
  const hn::ScalableTag<T> d;
  constexpr int64_t lanes = HWY_LANES(T);
  Vector<T> sums[tiles][2];
  for (int i = 0; i < tiles; ++i) sums[i][0] = sums[i][1] = hn::Zero(d);
  const T *a = t.a, *b = t.b;
#pragma GCC unroll 2
  for (int64_t k = 0; k < t.depth; ++k, a += t.a_step, b += t.b_step) {
    const Vector<T> factor = hn::Set(d, *a);
#pragma GCC unroll 4
    for (int i = 0; i < tiles; ++i) {
      const T* from = b + i * b_distance;
      if constexpr (prefetches) prefetch_ahead(from);
      sums[i][0] = hn::MulAdd(factor, hn::LoadU(d, from), sums[i][0]);
      sums[i][1] = hn::MulAdd(factor, hn::LoadU(d, from + lanes), sums[i][1]);
    }
  }
  for (int i = 0; i < tiles; ++i) {
    for (int half = 0; half < 2; ++half) {
      const int64_t at = (2 * i + half) * lanes;
      Vector<T> sum = sums[i][half];
      if (t.add) sum = hn::Add(sum, hn::LoadU(d, t.c + at));
      hn::StoreU(t.bias ? hn::Add(sum, hn::LoadU(d, t.bias + at)) : sum, d, t.c + at);
    }
  }
}

template <typename T, int tiles>
HWY_ATTR void run_row(const Tile<T>& t, int64_t b_distance) {
  t.lines ? multiply_row<T, tiles, true>(t, b_distance)
          : multiply_row<T, tiles, false>(t, b_distance);
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
    if (t.add) sum += t.out[first + j];
    t.out[first + j] = t.bias ? sum + t.bias[first + j] : sum;
  }
}

template <typename T>
HWY_ATTR void dots(const Dots<T>& t) {
  int64_t j = 0;
  for (; j + 4 <= t.count; j += 4) run_dots<T, 4>(t, j);
  for (; j < t.count; ++j) run_dots<T, 1>(t, j);
}

// Elements of a 16-byte block. Wider vectors consist of such blocks.
#if HWY_TARGET == HWY_SCALAR
template <typename T>
constexpr int64_t block = 1;

template <typename D, typename T>
void interleave_blocks(D, const T* from, int64_t, T* to, int64_t) {
  *to = *from;
}
#else
template <typename T>
constexpr int64_t block = 16 / int64_t{sizeof(T)};

// Loads a 16-byte block from each of `lanes / block` rows. The rows are `block` rows apart.
template <typename D, typename T>
HWY_ATTR auto load_blocks(D d, const T* from, int64_t step) {
  constexpr int64_t lanes = int64_t{hn::MaxLanes(D())};
  if constexpr (lanes == block<T>) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, from + lanes / 2 * step, step),
                       load_blocks(half, from, step));
  }
}

// Transposes `lanes` rows and `block` columns.
template <typename D, typename T>
HWY_ATTR void interleave_blocks(D d, const T* from, int64_t step, T* to, int64_t to_step) {
  if constexpr (block<T> == 2) {
    const auto a = load_blocks(d, from, step), b = load_blocks(d, from + step, step);
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_step);
  } else {
    const auto a = load_blocks(d, from, step), b = load_blocks(d, from + step, step),
               c = load_blocks(d, from + 2 * step, step), e = load_blocks(d, from + 3 * step, step);
    const auto ac = hn::InterleaveLower(d, a, c), be = hn::InterleaveLower(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, ac, be), d, to);
    hn::StoreU(hn::InterleaveUpper(d, ac, be), d, to + to_step);
    const auto more_ac = hn::InterleaveUpper(d, a, c), more_be = hn::InterleaveUpper(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, more_ac, more_be), d, to + 2 * to_step);
    hn::StoreU(hn::InterleaveUpper(d, more_ac, more_be), d, to + 3 * to_step);
  }
}
#endif

// The last blocks overlap with earlier ones if the sizes are not multiples of a block.
template <typename D, typename T>
HWY_ATTR void interleave_vectors(D d, const Rearrangement<T>& t) {
  constexpr int64_t lanes = int64_t{hn::MaxLanes(D())};
  for (int64_t first = 0; first < t.depth; first += line_size<T>) {
    const int64_t last = std::min(first + line_size<T>, t.depth);
    for (int64_t j = 0; j < t.count; j += lanes) {
      const int64_t row = std::min(j, t.count - lanes);
      for (int64_t next = first; next < last; next += block<T>) {
        const int64_t k = std::min(next, t.depth - block<T>);
        interleave_blocks(d, t.from + row * t.from_step + k, t.from_step,
                          t.to + k * t.to_step + row, t.to_step);
      }
    }
  }
}

template <typename T>
HWY_ATTR void interleave(const Rearrangement<T>& t) {
  constexpr int64_t lanes = HWY_LANES(T), half = std::max(lanes / 2, block<T>);
  if (t.count < block<T> || t.depth < block<T>) {
    for (int64_t j = 0; j < t.count; ++j) {
      for (int64_t k = 0; k < t.depth; ++k) t.to[k * t.to_step + j] = t.from[j * t.from_step + k];
    }
  } else if (t.count >= lanes) {
    interleave_vectors(hn::ScalableTag<T>(), t);
  } else if (t.count >= half) {
    interleave_vectors(hn::FixedTag<T, half>(), t);
  } else {
    interleave_vectors(hn::FixedTag<T, block<T>>(), t);
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
  constexpr int64_t lanes = HWY_LANES(T), half = std::max(lanes / 2, block<T>);
  if (t.count >= lanes) return copy_vectors(d, t);
  if (t.count >= half) return copy_vectors(hn::FixedTag<T, half>(), t);
  if (t.count >= block<T>) return copy_vectors(hn::FixedTag<T, block<T>>(), t);
  for (int64_t k = 0; k < t.depth; ++k) {
    for (int64_t j = 0; j < t.count; ++j) t.to[k * t.to_step + j] = t.from[k * t.from_step + j];
  }
}

template <typename T, int rows>
void fill(GemmKernels<T>& kernels) {
  if constexpr (rows > 0) {
    kernels.tile[rows] = run_tile<T, rows>;
    fill<T, rows - 1>(kernels);
  }
}

template <typename T>
const GemmKernels<T>& kernels() {
  static const GemmKernels<T> filled = [] {
    GemmKernels<T> made{
        .mr = mr,
        .nr = 2 * HWY_LANES(T),
        .reads_rows = true,
        .tile = {},
        .row = {nullptr, run_row<T, 1>, run_row<T, 2>, run_row<T, 3>, run_row<T, 4>},
        .dots = dots<T>,
        .interleave = interleave<T>,
        .copy = copy<T>};
    fill<T, mr>(made);
    return made;
  }();
  return filled;
}

}  // namespace

const GemmKernels<float>& matmul_of_floats() { return kernels<float>(); }
const GemmKernels<double>& matmul_of_doubles() { return kernels<double>(); }

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

template <>
const GemmKernels<float>& gemm_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, matmul_of_floats);
}

template <>
const GemmKernels<double>& gemm_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, matmul_of_doubles);
}

}  // namespace mithril::cpu_backend
#endif
