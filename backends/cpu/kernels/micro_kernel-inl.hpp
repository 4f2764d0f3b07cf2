// The micro-kernel of GEMMs: a tile of C stays in registers. For each k, it loads two vectors of B
// and multiplies them by one broadcast element of A per row. Policies describe the operands:
//
//   Format  the elements of B, and how they are multiplied with the elements of A
//   A       a[row]: the element for the current k; advance() goes to the next k
//   B       load(panel): the two vectors for the current k; advance()
//   C       at(row, vector): where a vector is stored; has_bias(), bias(row, vector); if may_clamp,
//           clamp: the limits of what is stored, or null
//   Runs    partitions k: each run may prefetch and may move A
//
// A kernel that accumulates into C adds C after the products, so that a long sum is the total of
// the sums of its blocks of k. It adds the bias last, if the caller passes one. Compiled once for
// each target.
#if defined(MITHRIL_MICRO_KERNEL) == defined(HWY_TARGET_TOGGLE)
#ifdef MITHRIL_MICRO_KERNEL
#undef MITHRIL_MICRO_KERNEL
#else
#define MITHRIL_MICRO_KERNEL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "backends/cpu/kernels/clamp.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"
#include "backends/cpu/kernels/vector_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <int... i>
using Indices = std::integer_sequence<int, i...>;

// Attributes of a body of `unrolled`. It becomes part of its caller, else its arrays would be in
// memory.
#define MITHRIL_FOLD HWY_ATTR __attribute__((always_inline))

// Calls body(Indices<0, 1, ..., count - 1>()), which folds over them. An array that is indexed by
// constants stays in registers. A function for each index would take most of the compile time of a
// kernel.
template <int count, typename Body>
HWY_INLINE void unrolled(const Body& body) {
  body(std::make_integer_sequence<int, count>());
}

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
constexpr int nr = 2 * HWY_LANES(T);

constexpr int64_t cache_line = 64;  // in bytes

// Applies a Clamp.
template <class V>
HWY_ATTR HWY_INLINE V clamped(const Clamp& clamp, V x) {
  const hn::DFromV<V> d;
  return lesser_of(number(d, clamp.high), greater_of(number(d, clamp.low), x));
}

// Two vectors of B.
template <typename T>
struct VectorPair {
  Vector<T> left, right;
};

// B has the element type of A and C.
template <typename T>
struct PlainFormat {
  using Element = T;
  using Stored = T;
  static constexpr bool is_packed = false;  // B is always packed
  // GEMV prefetches this far ahead, because hardware prefetching ends at each page. Measured:
  // distances between 512 and 4096 bytes are slower than 512.
  static constexpr int64_t prefetch_bytes = 512;

  HWY_ATTR static HWY_INLINE VectorPair<T> load(const T* from) {
    const hn::ScalableTag<T> d;
    return {hn::LoadU(d, from), hn::LoadU(d, from + lanes<T>)};
  }
  HWY_ATTR static HWY_INLINE Vector<T> multiply_add(Vector<T> a, Vector<T> b, Vector<T> sum) {
    return hn::MulAdd(a, b, sum);
  }
};

// Packed A: the elements of one k are contiguous. Also the strided row of a GEMV.
template <typename T>
struct PackedA {
  const T* at;
  int64_t step;

  HWY_INLINE T operator[](int row) const { return at[row]; }
  HWY_INLINE void advance() { at += step; }
};

// Row-major A. One base register serves three rows, because x86 addresses are base + index * {1,
// 2}.
template <typename T, int rows>
struct RowMajorA {
  static constexpr int bases = (rows + 2) / 3;
  const T* at[bases];
  int64_t step;

  HWY_INLINE RowMajorA(const T* a, int64_t row_step) : step(row_step) {
    unrolled<bases>([&]<int... i>(Indices<i...>)
                        MITHRIL_FOLD { ((at[i] = a + 3 * i * step), ...); });
  }
  HWY_INLINE T operator[](int row) const { return at[row / 3][row % 3 * step]; }
  HWY_INLINE void advance() {
    unrolled<bases>([&]<int... i>(Indices<i...>) MITHRIL_FOLD { (++at[i], ...); });
  }
};

// Panels `distance` apart. The elements of one k are contiguous, `step` apart.
template <class Format, bool prefetches = false>
struct PanelsOfB {
  using Stored = typename Format::Stored;
  const Stored* at;
  int64_t step, distance = 0;

  HWY_ATTR HWY_INLINE auto load(int panel) const {
    const Stored* from = at + panel * distance;
    if constexpr (prefetches) {
      constexpr int64_t bytes = nr<typename Format::Element> * int64_t{sizeof(Stored)};
      for (int64_t i = 0; i < bytes; i += cache_line) {
        __builtin_prefetch(reinterpret_cast<const char*>(from) + Format::prefetch_bytes + i, 0, 3);
      }
    }
    return Format::load(from);
  }
  HWY_INLINE void advance() { at += step; }
};

// B is not packed: each k has an offset. The rows can be anywhere, so hardware prefetching does not
// help.
template <class Format>
struct RowsOfB {
  using T = typename Format::Element;
  static constexpr int64_t prefetch_distance = 12;  // in k
  const T* b;
  const int64_t *offsets, *last;

  HWY_ATTR HWY_INLINE auto load(int) const {
    const T* next = b + *std::min(offsets + prefetch_distance, last);
    __builtin_prefetch(next);
    __builtin_prefetch(next + lanes<T>);
    return Format::load(b + *offsets);
  }
  HWY_INLINE void advance() { ++offsets; }
};

// The bias is of the columns, or null.
template <typename T>
struct RowMajorC {
  static constexpr bool may_clamp = false;
  T* c;
  int64_t step;
  const T* biases;

  HWY_INLINE T* at(int row, int vector) const { return c + row * step + vector * lanes<T>; }
  HWY_INLINE bool has_bias() const { return biases != nullptr; }
  HWY_ATTR HWY_INLINE Vector<T> bias(int, int vector) const {
    return hn::LoadU(hn::ScalableTag<T>(), biases + vector * lanes<T>);
  }
};

// The bias is of the rows.
template <typename T>
struct BiasOfRowsC : RowMajorC<T> {
  HWY_ATTR HWY_INLINE Vector<T> bias(int row, int) const {
    return hn::Set(hn::ScalableTag<T>(), this->biases[row]);
  }
};

// All values of k at once.
struct OneRun {
  int64_t left;

  HWY_INLINE bool more() const { return left > 0; }
  template <class A>
  HWY_INLINE int64_t begin(A&) {
    return std::exchange(left, 0);
  }
};

// Prefetches cache lines for every stretch of k.
template <typename T>
struct Stretches {
  int64_t first, depth;
  const T* next;
  int64_t lines;

  HWY_INLINE bool more() const { return first < depth; }
  template <class A>
  HWY_INLINE int64_t begin(A&) {
    for (int64_t i = 0; i < lines; ++i, next += cache_line / sizeof(T)) {
      __builtin_prefetch(next, 0, 2);
    }
    const int64_t count = std::min(Tile<T>::stretch, depth - first);
    first += Tile<T>::stretch;
    return count;
  }
};

// Adds the products of an element of A and one or two vectors of B to the sums of a row.
template <class Format, bool pair, typename T>
HWY_ATTR HWY_INLINE void add_product(Vector<T>* sums, T a, const VectorPair<T>& b) {
  const Vector<T> factor = hn::Set(hn::ScalableTag<T>(), a);
  sums[0] = Format::multiply_add(factor, b.left, sums[0]);
  if constexpr (pair) sums[1] = Format::multiply_add(factor, b.right, sums[1]);
}

template <class Format, int vectors, int panel, int... i, typename T, class A>
HWY_ATTR HWY_INLINE void add_panel(Indices<i...>, Vector<T>* sums, const A& a,
                                   const VectorPair<T>& b) {
  constexpr int v = 2 * panel;
  (add_product<Format, v + 1 < vectors>(sums + i * vectors + v, a[i], b), ...);
}

// Adds the products of the next `count` values of k.
template <class Format, int rows, int vectors, typename T, class A, class B>
HWY_ATTR HWY_INLINE void add_products(Vector<T>* sums, A& a, B& b, int64_t count) {
#pragma GCC unroll 4
  for (int64_t k = 0; k < count; ++k, a.advance(), b.advance()) {
    unrolled<(vectors + 1) / 2>([&]<int... panel>(Indices<panel...>) MITHRIL_FOLD {
      constexpr std::make_integer_sequence<int, rows> each_row;
      (add_panel<Format, vectors, panel>(each_row, sums, a, b.load(panel)), ...);
    });
  }
}

// Computes a tile of C, or adds it to C. `vectors` is its width.
template <class Format, int rows, int vectors, class A, class B, class C, class Runs>
HWY_ATTR HWY_INLINE void run_micro_kernel(A a, B b, const C& c, Runs runs, bool add) {
  using T = typename Format::Element;
  const hn::ScalableTag<T> d;
  constexpr int size = rows * vectors;
  Vector<T> sums[size];
  unrolled<size>([&]<int... i>(Indices<i...>) MITHRIL_FOLD { ((sums[i] = hn::Zero(d)), ...); });
  while (runs.more()) add_products<Format, rows, vectors, T>(sums, a, b, runs.begin(a));
  if (add) {
    unrolled<size>([&]<int... i>(Indices<i...>) MITHRIL_FOLD {
      ((sums[i] = hn::Add(sums[i], hn::LoadU(d, c.at(i / vectors, i % vectors)))), ...);
    });
  }
  if (c.has_bias()) {
    unrolled<size>([&]<int... i>(Indices<i...>) MITHRIL_FOLD {
      ((sums[i] = hn::Add(sums[i], c.bias(i / vectors, i % vectors))), ...);
    });
  }
  if constexpr (C::may_clamp) {
    if (c.clamp) {
      unrolled<size>([&]<int... i>(Indices<i...>)
                         MITHRIL_FOLD { ((sums[i] = clamped(*c.clamp, sums[i])), ...); });
    }
  }
  unrolled<size>([&]<int... i>(Indices<i...>) MITHRIL_FOLD {
    (hn::StoreU(sums[i], d, c.at(i / vectors, i % vectors)), ...);
  });
}

template <class Format, int rows, class T, class A>
HWY_ATTR HWY_INLINE void multiply_tile(const Tile<T>& t, A a) {
  const PanelsOfB<Format> b{reinterpret_cast<const typename Format::Stored*>(t.b), t.b_step};
  run_micro_kernel<Format, rows, 2>(a, b, RowMajorC<T>{t.c, t.c_step, t.bias},
                                    Stretches<T>{0, t.depth, t.next, t.lines}, t.add);
}

template <class Format, int rows, class T>
HWY_ATTR void run_tile(const Tile<T>& t) {
  t.a_row_step > 0 ? multiply_tile<Format, rows>(t, RowMajorA<T, rows>(t.a, t.a_row_step))
                   : multiply_tile<Format, rows>(t, PackedA<T>{t.a, t.a_step});
}

template <class Format, int panels, bool prefetches, class T>
HWY_ATTR void multiply_row(const Tile<T>& t, int64_t b_distance) {
  using Stored = typename Format::Stored;
  const PanelsOfB<Format, prefetches> b{reinterpret_cast<const Stored*>(t.b), t.b_step,
                                        b_distance * int64_t{sizeof(T) / sizeof(Stored)}};
  run_micro_kernel<Format, 1, 2 * panels>(PackedA<T>{t.a, t.a_step}, b,
                                          RowMajorC<T>{t.c, 0, t.bias}, OneRun{t.depth}, t.add);
}

template <class Format, int panels, class T>
HWY_ATTR void run_gemv(const Tile<T>& t, int64_t b_distance) {
  t.lines ? multiply_row<Format, panels, true>(t, b_distance)
          : multiply_row<Format, panels, false>(t, b_distance);
}

template <class T>
HWY_ATTR HWY_INLINE void store_dot(const Dots<T>& t, int64_t j, Vector<T> products) {
  T sum = hn::GetLane(hn::SumOfLanes(hn::ScalableTag<T>(), products));
  if (t.add) sum += t.out[j];
  t.out[j] = t.bias ? sum + t.bias[j] : sum;
}

template <class Format, int rows, class T>
HWY_ATTR HWY_INLINE void add_dots(const Dots<T>& t, int64_t first) {
  const hn::ScalableTag<T> d;
  const T* from[rows];
  Vector<T> sums[rows];
  unrolled<rows>([&]<int... j>(Indices<j...>) MITHRIL_FOLD {
    ((from[j] = t.rows + (first + j) * t.row_step), ...);
    ((sums[j] = hn::Zero(d)), ...);
  });
  const auto add = [&](const auto& part, int64_t k) HWY_ATTR {
    const Vector<T> x = part.read(t.x + k, T{});
    unrolled<rows>([&]<int... j>(Indices<j...>) MITHRIL_FOLD {
      ((sums[j] = Format::multiply_add(x, part.read(from[j] + k, T{}), sums[j])), ...);
    });
  };
  int64_t k = 0;
  for (; k + lanes<T> <= t.depth; k += lanes<T>) add(Whole(), k);
  if (k < t.depth) add(Rest{t.depth - k}, k);
  unrolled<rows>([&]<int... j>(Indices<j...>)
                     MITHRIL_FOLD { (store_dot(t, first + j, sums[j]), ...); });
}

// More rows share the loads of x, and their sums hide the latency of FMA.
template <class Format, class T>
HWY_ATTR void run_dots(const Dots<T>& t) {
  int64_t j = 0;
  for (; j + 8 <= t.count; j += 8) add_dots<Format, 8>(t, j);
  for (; j < t.count; ++j) add_dots<Format, 1>(t, j);
}

template <class Format, int rows, class T>
HWY_ATTR void run_window(const WindowTile<T>& t) {
  const BiasOfRowsC<T> c{{t.c, t.c_step, t.add ? nullptr : t.start}};
  const int64_t* last = t.offsets + std::max<int64_t>(t.depth - 1, 0);
  run_micro_kernel<Format, rows, 2>(
      PackedA<T>{t.a, t.a_step}, RowsOfB<Format>{t.b, t.offsets, last}, c, OneRun{t.depth}, t.add);
}

// Sets the tiles and the GEMV kernels for a format of B.
template <class Format, typename T, int rows = mr>
void set_kernels(GemmKernels<T>& kernels) {
  if constexpr (rows > 0) {
    kernels.tile[rows] = run_tile<Format, rows, T>;
    if constexpr (!Format::is_packed) kernels.window[rows] = run_window<Format, rows, T>;
    set_kernels<Format, T, rows - 1>(kernels);
  } else {
    kernels.gemv = {nullptr, run_gemv<Format, 1, T>, run_gemv<Format, 2, T>, run_gemv<Format, 3, T>,
                    run_gemv<Format, 4, T>};
    if constexpr (!Format::is_packed) kernels.dots = run_dots<Format, T>;
  }
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
