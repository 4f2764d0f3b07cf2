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

// A row as vectors, the last of which may have fewer elements: `missing` stands for the others.
template <typename T>
class Row {
 public:
  Row(const T* elements, int64_t count, T missing)
      : elements_(elements), whole_(count / lanes<T> * lanes<T>), count_(count) {
    std::fill_n(tail_, lanes<T>, missing);
    std::copy(elements + whole_, elements + count, tail_);
  }

  int64_t size() const { return count_; }
  HWY_ATTR auto at(int64_t i) const {
    const hn::ScalableTag<T> d;
    return hn::LoadU(d, i < whole_ ? elements_ + i : tail_);
  }

 private:
  const T* elements_;
  int64_t whole_, count_;
  alignas(64) T tail_[static_cast<size_t>(lanes<T>)];
};

// At the element i of a row, as many as are left of it.
template <class D>
HWY_ATTR void store(D d, V<D> vector, hn::TFromD<D>* to, int64_t i, int64_t count) {
  using T = hn::TFromD<D>;
  if (i + lanes<T> <= count) return hn::StoreU(vector, d, to + i);
  alignas(64) T tail[static_cast<size_t>(lanes<T>)];
  hn::StoreU(vector, d, tail);
  std::copy_n(tail, count - i, to + i);
}

// Brings near what the element i of the row behind this one would be, whether there is one or not:
// processors do not foresee on what page the next row lies.
template <typename T>
HWY_ATTR void fetch_behind(const T* row, int64_t count, int64_t i) {
  const auto end = reinterpret_cast<uintptr_t>(row + count);
  hwy::Prefetch(reinterpret_cast<const T*>(end + static_cast<uintptr_t>(i) * sizeof(T)));
}

// What term(i) gives for the elements from i, of all of a row: in four sums, so that none waits for
// another.
template <typename T, class Term>
HWY_ATTR T summed(int64_t count, const Term& term) {
  const hn::ScalableTag<T> d;
  constexpr int64_t n = lanes<T>;
  auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * n <= count; i += 4 * n) {
    a = hn::Add(a, term(i));
    b = hn::Add(b, term(i + n));
    c = hn::Add(c, term(i + 2 * n));
    e = hn::Add(e, term(i + 3 * n));
  }
  for (; i < count; i += n) a = hn::Add(a, term(i));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each target
