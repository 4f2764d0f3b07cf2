// Rows of elements as vectors. Compiled once for each target.
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

// All elements of a vector of a row.
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

// Those that are left of a row: `missing` stands for the others.
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
  // Elsewhere what is masked may be read, too.
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

// Calls body(part, i) for each vector of a row, which is whole or what is left.
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

// What is left of vectors joined by `both`, each of which term(part, i) gives: in four totals, so
// that none waits for another.
template <typename T, class Both, class Term>
HWY_ATTR HWY_INLINE auto joined(int64_t count, T start, const Both& both, const Term& term) {
  const hn::ScalableTag<T> d;
  constexpr int64_t n = lanes<T>;
  auto a = hn::Set(d, start), b = a, c = a, e = a;
  int64_t i = 0;
  for (; i + 4 * n <= count; i += 4 * n) {
    a = both(a, term(Whole(), i));
    b = both(b, term(Whole(), i + n));
    c = both(c, term(Whole(), i + 2 * n));
    e = both(e, term(Whole(), i + 3 * n));
  }
  for (; i + n <= count; i += n) a = both(a, term(Whole(), i));
  if (i < count) a = both(a, term(Rest{count - i}, i));
  return both(both(a, b), both(c, e));
}

template <typename T, class Term>
HWY_ATTR HWY_INLINE T summed(int64_t count, const Term& term) {
  const auto both = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  return hn::GetLane(hn::SumOfLanes(hn::ScalableTag<T>(), joined<T>(count, T{}, both, term)));
}

// Brings near what the element i of the row `next` elements behind this one would be, whether there
// is one or not: processors do not foresee on what page the next row lies.
template <typename T>
HWY_ATTR void fetch_next(const T* row, int64_t next, int64_t i) {
  const auto at = reinterpret_cast<uintptr_t>(row);
  hwy::Prefetch(reinterpret_cast<const T*>(at + static_cast<uintptr_t>(next + i) * sizeof(T)));
}

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
