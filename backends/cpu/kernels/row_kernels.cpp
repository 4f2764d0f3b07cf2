#include "backends/cpu/kernels/row_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/vector_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <typename T>
HWY_ATTR T largest(const Row<T>& row) {
  const hn::ScalableTag<T> d;
  constexpr int64_t n = lanes<T>;
  auto a = hn::Neg(infinity(d)), b = a, c = a, e = a;
  int64_t i = 0;
  for (; i + 4 * n <= row.size(); i += 4 * n) {
    a = hn::Max(a, row.at(i));
    b = hn::Max(b, row.at(i + n));
    c = hn::Max(c, row.at(i + 2 * n));
    e = hn::Max(e, row.at(i + 3 * n));
  }
  for (; i < row.size(); i += n) a = hn::Max(a, row.at(i));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(a, b), hn::Max(c, e))));
}

template <typename T>
HWY_ATTR void multiply_row(T* row, T by, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> numbers(row, count, T{});
  const auto factor = hn::Set(d, by);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    store(d, hn::Mul(numbers.at(i), factor), row, i, count);
  }
}

template <typename T>
HWY_ATTR void softmax(const T* x, const T*, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> row(x, count, -std::numeric_limits<T>::infinity());
  const auto top = hn::Set(d, largest(row));
  const T sum = summed<T>(count, [&](int64_t i) HWY_ATTR {
    fetch_behind(x, count, i);
    fetch_behind(to, count, i);
    const auto power = share(d, hn::Sub(row.at(i), top));
    store(d, power, to, i, count);
    return power;
  });
  multiply_row(to, 1 / sum, count);
}

template <typename T>
HWY_ATTR void log_softmax(const T* x, const T*, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> row(x, count, -std::numeric_limits<T>::infinity());
  const auto top = hn::Set(d, largest(row));
  const T sum =
      summed<T>(count, [&](int64_t i) HWY_ATTR { return share(d, hn::Sub(row.at(i), top)); });
  const auto rest = log(d, hn::Set(d, sum));
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
HWY_ATTR void attend(const T* scores, T scale, const T* bias, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> row(scores, count, T{}), biases(bias, bias ? count : 0, T{});
  const auto factor = hn::Set(d, scale);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    auto score = hn::Mul(row.at(i), factor);
    if (bias) score = hn::Add(score, biases.at(i));
    store(d, score, to, i, count);
  }
  const Row<T> scaled(to, count, -std::numeric_limits<T>::infinity());
  const auto top = hn::Set(d, std::max(largest(scaled), std::numeric_limits<T>::lowest()));
  const T sum = summed<T>(count, [&](int64_t i) HWY_ATTR {
    const auto power = share(d, hn::Sub(scaled.at(i), top));
    store(d, power, to, i, count);
    return power;
  });
  multiply_row(to, sum == 0 ? T{0} : 1 / sum, count);
}

template <typename T>
constexpr RowKernels<T> kernels{softmax<T>, log_softmax<T>, softmax_grad<T>, log_softmax_grad<T>,
                                attend<T>};

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
