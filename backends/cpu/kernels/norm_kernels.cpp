#include "backends/cpu/kernels/norm_kernels.hpp"

#include <cmath>

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/norm_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/vector_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

// What stands for each element where the row is null.
template <typename T>
class RowOr {
 public:
  RowOr(const T* elements, int64_t count, T otherwise)
      : row_(elements, elements ? count : 0, T{}), there_(elements), otherwise_(otherwise) {}

  HWY_ATTR auto at(int64_t i) const {
    const hn::ScalableTag<T> d;
    return there_ ? row_.at(i) : hn::Set(d, otherwise_);
  }

 private:
  Row<T> row_;
  bool there_;
  T otherwise_;
};

template <typename T>
HWY_ATTR RowMoments<T> normalise(const T* x, const T* weight, const T* bias, double eps, T* to,
                                 int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> row(x, count, T{});
  const auto size = static_cast<double>(count);
  const T mean =
      static_cast<T>(summed<T>(count, [&](int64_t i) HWY_ATTR { return row.at(i); }) / size);
  const Row<T> filled(x, count, mean);
  const auto middle = hn::Set(d, mean);
  const T squares = summed<T>(count, [&](int64_t i) HWY_ATTR {
    fetch_behind(x, count, i);
    fetch_behind(to, count, i);
    const auto distance = hn::Sub(filled.at(i), middle);
    return hn::Mul(distance, distance);
  });
  const T rstd = static_cast<T>(1 / std::sqrt(squares / size + eps));
  const RowOr<T> weights(weight, count, 1), biases(bias, count, 0);
  const auto scale = hn::Set(d, rstd);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    const auto unit = hn::Mul(hn::Sub(row.at(i), middle), scale);
    store(d, hn::MulAdd(unit, weights.at(i), biases.at(i)), to, i, count);
  }
  return {mean, rstd};
}

template <typename T>
HWY_ATTR void input_grad(const T* grad, const T* x, RowMoments<T> moments, const T* weight, T* to,
                         int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> grads(grad, count, T{}), row(x, count, moments.mean);
  const RowOr<T> weights(weight, count, 1);
  const auto mean = hn::Set(d, moments.mean), rstd = hn::Set(d, moments.rstd);
  const auto slope = [&](int64_t i) HWY_ATTR { return hn::Mul(grads.at(i), weights.at(i)); };
  const auto unit = [&](int64_t i) HWY_ATTR { return hn::Mul(hn::Sub(row.at(i), mean), rstd); };
  const auto size = static_cast<double>(count);
  const auto shift = hn::Set(d, static_cast<T>(summed<T>(count, slope) / size));
  const T along = summed<T>(count, [&](int64_t i) HWY_ATTR { return hn::Mul(slope(i), unit(i)); });
  const auto tilt = hn::Set(d, static_cast<T>(along / size));
  for (int64_t i = 0; i < count; i += lanes<T>) {
    const auto shared = hn::MulAdd(unit(i), tilt, shift);
    store(d, hn::Mul(hn::Sub(slope(i), shared), rstd), to, i, count);
  }
}

template <typename T>
HWY_ATTR void add_parameter_grads(const T* grad, const T* x, RowMoments<T> moments, T* weight_grad,
                                  T* bias_grad, int64_t count) {
  const hn::ScalableTag<T> d;
  const Row<T> grads(grad, count, T{}), row(x, count, moments.mean);
  const Row<T> weights(weight_grad, count, T{}), biases(bias_grad, count, T{});
  const auto mean = hn::Set(d, moments.mean), rstd = hn::Set(d, moments.rstd);
  for (int64_t i = 0; i < count; i += lanes<T>) {
    const auto slope = hn::Mul(hn::Sub(row.at(i), mean), rstd);
    store(d, hn::MulAdd(grads.at(i), slope, weights.at(i)), weight_grad, i, count);
    store(d, hn::Add(biases.at(i), grads.at(i)), bias_grad, i, count);
  }
}

template <typename T>
constexpr NormKernels<T> kernels{normalise<T>, input_grad<T>, add_parameter_grads<T>};

}  // namespace

const NormKernels<float>& norms_of_floats() { return kernels<float>; }
const NormKernels<double>& norms_of_doubles() { return kernels<double>; }

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

template <>
const NormKernels<float>& norm_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, norms_of_floats);
}

template <>
const NormKernels<double>& norm_kernels(Instructions instructions) {
  MITHRIL_RETURN_KERNELS(instructions, norms_of_doubles);
}

}  // namespace mithril::cpu_backend
#endif
