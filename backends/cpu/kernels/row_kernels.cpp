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
HWY_ATTR void attend(const T* scores, T scale, const T* bias, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> row(scores, count, T{}), biases(bias, bias ? count : 0, T{});
  const auto factor = hn::Set(d, scale);
  auto top = hn::Set(d, std::numeric_limits<T>::lowest());
  for (int64_t i = 0; i < count; i += lanes<T>) {
    auto score = hn::Mul(row.at(i), factor);
    if (bias) score = hn::Add(score, biases.at(i));
    store(d, score, to, i, count);
  }
  const Row<T> scaled(to, count, -std::numeric_limits<T>::infinity());
  for (int64_t i = 0; i < count; i += lanes<T>) top = hn::Max(top, scaled.at(i));
  const auto largest = hn::MaxOfLanes(d, top);
  const T sum = summed<T>(count, [&](int64_t i) HWY_ATTR {
    const auto power = exp(d, hn::Sub(scaled.at(i), largest));
    store(d, power, to, i, count);
    return power;
  });
  const auto share = hn::Set(d, sum == 0 ? T{0} : 1 / sum);
  const Row<T> powers(to, count, T{});
  for (int64_t i = 0; i < count; i += lanes<T>) {
    store(d, hn::Mul(powers.at(i), share), to, i, count);
  }
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
