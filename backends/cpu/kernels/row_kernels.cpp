#include "backends/cpu/kernels/row_kernels.hpp"

#include <algorithm>

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/vector_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

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

template <typename T>
HWY_ATTR T largest(const Row<T>& row) {
  const hn::ScalableTag<T> d;
  auto top = hn::Neg(infinity(d));
  for (int64_t i = 0; i < row.size(); i += lanes<T>) top = hn::Max(top, row.at(i));
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

template <typename T>
HWY_ATTR void softmax(const T* x, const T*, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> row(x, count, -std::numeric_limits<T>::infinity());
  const auto top = hn::Set(d, largest(row));
  auto sums = hn::Zero(d);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    const auto power = exp(d, hn::Sub(row.at(i), top));
    sums = hn::Add(sums, power);
    store(d, power, to, i, count);
  }
  const auto scale = hn::Div(number(d, 1), hn::SumOfLanes(d, sums));
  const Row<T> powers(to, count, T{});
  for (int64_t i = 0; i < count; i += lanes<T>) {
    store(d, hn::Mul(powers.at(i), scale), to, i, count);
  }
}

template <typename T>
HWY_ATTR void log_softmax(const T* x, const T*, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> row(x, count, -std::numeric_limits<T>::infinity());
  const auto top = hn::Set(d, largest(row));
  auto sums = hn::Zero(d);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    sums = hn::Add(sums, exp(d, hn::Sub(row.at(i), top)));
  }
  const auto rest = log(d, hn::SumOfLanes(d, sums));
  for (int64_t i = 0; i < count; i += lanes<T>) {
    store(d, hn::Sub(hn::Sub(row.at(i), top), rest), to, i, count);
  }
}

template <typename T>
HWY_ATTR void softmax_grad(const T* grad, const T* result, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> grads(grad, count, T{}), results(result, count, T{});
  auto sums = hn::Zero(d);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    sums = hn::MulAdd(grads.at(i), results.at(i), sums);
  }
  const auto sum = hn::SumOfLanes(d, sums);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    store(d, hn::Mul(results.at(i), hn::Sub(grads.at(i), sum)), to, i, count);
  }
}

template <typename T>
HWY_ATTR void log_softmax_grad(const T* grad, const T* result, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> grads(grad, count, T{}), results(result, count, T{});
  auto sums = hn::Zero(d);
  for (int64_t i = 0; i < count; i += lanes<T>) sums = hn::Add(sums, grads.at(i));
  const auto sum = hn::SumOfLanes(d, sums);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    store(d, hn::NegMulAdd(exp(d, results.at(i)), sum, grads.at(i)), to, i, count);
  }
}

template <typename T>
constexpr RowKernels<T> kernels{softmax<T>, log_softmax<T>, softmax_grad<T>, log_softmax_grad<T>};

}  // namespace

const RowKernels<float>& rows_of_floats() { return kernels<float>; }
const RowKernels<double>& rows_of_doubles() { return kernels<double>; }

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

template <>
const RowKernels<float>& row_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, rows_of_floats);
}

template <>
const RowKernels<double>& row_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, rows_of_doubles);
}

}  // namespace mithril::cpu_backend
#endif
