// Loops and reductions over contiguous rows. Compiled once for each target.
#if defined(MITHRIL_VECTOR_ROWS) == defined(HWY_TARGET_TOGGLE)
#ifdef MITHRIL_VECTOR_ROWS
#undef MITHRIL_VECTOR_ROWS
#else
#define MITHRIL_VECTOR_ROWS
#endif  // once for each target

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/vector_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {

template <typename T>
constexpr int64_t lanes = HWY_LANES(T);

// A whole vector of a row.
struct Whole {
  template <typename T>
  HWY_ATTR static auto read(const T* at, T) {
    return hn::LoadU(hn::ScalableTag<T>(), at);
  }
  template <typename T>
  HWY_ATTR static void write(V<hn::ScalableTag<T>> vector, T* at) {
    hn::StoreU(vector, hn::ScalableTag<T>(), at);
  }
};

// The last, partial vector of a row. Reading fills the other lanes with `missing`.
struct Rest {
  int64_t count;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  template <typename T>
  HWY_ATTR auto read(const T* at, T missing) const {
    const hn::ScalableTag<T> d;
    const auto mask = hn::FirstN(d, static_cast<size_t>(count));
    return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, at), hn::Set(d, missing));
  }
  template <typename T>
  HWY_ATTR void write(V<hn::ScalableTag<T>> vector, T* at) const {
    const hn::ScalableTag<T> d;
    hn::BlendedStore(vector, hn::FirstN(d, static_cast<size_t>(count)), d, at);
  }
#else
  // On other targets a masked load may read masked elements.
  template <typename T>
  HWY_ATTR auto read(const T* at, T missing) const {
    const hn::ScalableTag<T> d;
    alignas(64) T some[static_cast<size_t>(lanes<T>)];
    std::fill_n(std::copy_n(at, count, some), lanes<T> - count, missing);
    return hn::Load(d, some);
  }
  template <typename T>
  HWY_ATTR void write(V<hn::ScalableTag<T>> vector, T* at) const {
    alignas(64) T some[static_cast<size_t>(lanes<T>)];
    hn::Store(vector, hn::ScalableTag<T>(), some);
    std::copy_n(some, count, at);
  }
#endif
};

// Calls body(part, i) for each vector of a row. `part` is Whole, or Rest for the last elements.
template <typename T, class Body>
HWY_ATTR HWY_INLINE void each_vector(int64_t count, const Body& body) {
  constexpr int64_t n = lanes<T>;
  int64_t i = 0;
  for (; i + 4 * n <= count; i += 4 * n) {
    body(Whole(), i);
    body(Whole(), i + n);
    body(Whole(), i + 2 * n);
    body(Whole(), i + 3 * n);
  }
  for (; i + n <= count; i += n) body(Whole(), i);
  if (i < count) body(Rest{count - i}, i);
}

// Reduces the vectors of a row: take(total, part, i) adds a vector to a total, both(a, b) combines
// two totals. Four totals hide the latency of the additions.
template <typename T, class Both, class Take>
HWY_ATTR HWY_INLINE auto joined(int64_t count, T start, const Both& both, const Take& take) {
  const hn::ScalableTag<T> d;
  constexpr int64_t n = lanes<T>;
  auto a = hn::Set(d, start), b = a, c = a, e = a;
  int64_t i = 0;
  for (; i + 4 * n <= count; i += 4 * n) {
    a = take(a, Whole(), i);
    b = take(b, Whole(), i + n);
    c = take(c, Whole(), i + 2 * n);
    e = take(e, Whole(), i + 3 * n);
  }
  for (; i + n <= count; i += n) a = take(a, Whole(), i);
  if (i < count) a = take(a, Rest{count - i}, i);
  return both(both(a, b), both(c, e));
}

// Elements in a block of a sum. The sums of the blocks are added in double, so that rounding errors
// do not grow with the length of a row.
constexpr int64_t elements_of_a_sum = 1 << 12;

template <typename T, class Take>
HWY_ATTR HWY_NOINLINE T summed_in_blocks(int64_t count, Take take) {
  const auto both = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += elements_of_a_sum) {
    const auto shifted = [&](auto sum, auto part, int64_t i)
                             HWY_ATTR { return take(sum, part, begin + i); };
    const auto sums = joined<T>(std::min(elements_of_a_sum, count - begin), T{}, both, shifted);
    total += hn::GetLane(hn::SumOfLanes(hn::ScalableTag<T>(), sums));
  }
  return static_cast<T>(total);
}

// The sum over a row; take(sum, part, i) adds the terms of a vector. `take` captures by value,
// because variables that it refers to could not stay in registers across the call.
template <typename T, class Take>
HWY_ATTR HWY_INLINE T summed_by(int64_t count, Take take) {
  if (count > elements_of_a_sum) return summed_in_blocks<T>(count, take);
  const auto both = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  return hn::GetLane(hn::SumOfLanes(hn::ScalableTag<T>(), joined<T>(count, T{}, both, take)));
}

// The sum of term(part, i) over a row. `term` is captured by value for the same reason.
template <typename T, class Term>
HWY_ATTR HWY_INLINE T summed(int64_t count, const Term& term) {
  return summed_by<T>(
      count, [=](auto sum, auto part, int64_t i) HWY_ATTR { return hn::Add(sum, term(part, i)); });
}

// Prefetches element i of the row `next` elements ahead, even if there is no such row. Hardware
// prefetching does not cross to the page of the next row.
template <typename T>
HWY_ATTR void fetch_next(const T* row, int64_t next, int64_t i) {
  const auto at = reinterpret_cast<uintptr_t>(row);
  hwy::Prefetch(reinterpret_cast<const T*>(at + static_cast<uintptr_t>(next + i) * sizeof(T)));
}

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
