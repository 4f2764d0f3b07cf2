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

template <typename T>
struct Elements {
  const T* at;
  template <class Part>
  HWY_ATTR auto read(Part part, int64_t i) const {
    return part.read(at + i, T{});
  }
};

template <typename T>
struct Same {
  T value;
  template <class Part>
  HWY_ATTR auto read(Part, int64_t) const {
    return hn::Set(hn::ScalableTag<T>(), value);
  }
};

// Calls body with the elements of `row`, or with the constant `otherwise` if `row` is null.
template <typename T, class Body>
HWY_ATTR void with_elements(const T* row, T otherwise, const Body& body) {
  row ? body(Elements<T>{row}) : body(Same<T>{otherwise});
}

template <typename T>
HWY_ATTR RowMoments<T> normalise(const T* x, const T* weight, const T* bias, double eps, T* to,
                                 int64_t count, int64_t next) {
  const hn::ScalableTag<T> d;
  const auto size = static_cast<double>(count);
  const T mean = static_cast<T>(
      summed<T>(count, [=](auto part, int64_t i) HWY_ATTR { return part.read(x + i, T{}); }) /
      size);
  const auto middle = hn::Set(d, mean);
  const T squares = summed_by<T>(count, [=](auto sum, auto part, int64_t i) HWY_ATTR {
    fetch_next(x, next, i);
    const auto distance = hn::Sub(part.read(x + i, mean), middle);
    return hn::MulAdd(distance, distance, sum);
  });
  const T rstd = static_cast<T>(1 / std::sqrt(squares / size + eps));
  const auto scale = hn::Set(d, rstd);
  with_elements<T>(weight, 1, [&](auto weights) HWY_ATTR {
    with_elements<T>(bias, 0, [&](auto biases) HWY_ATTR {
      each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
        fetch_next(to, next, i);
        const auto unit = hn::Mul(hn::Sub(part.read(x + i, mean), middle), scale);
        part.write(hn::MulAdd(unit, weights.read(part, i), biases.read(part, i)), to + i);
      });
    });
  });
  return {mean, rstd};
}

template <typename T>
HWY_ATTR void input_grad(const T* grad, const T* x, RowMoments<T> moments, const T* weight, T* to,
                         int64_t count) {
  const hn::ScalableTag<T> d;
  const auto mean = hn::Set(d, moments.mean), rstd = hn::Set(d, moments.rstd);
  const auto size = static_cast<double>(count);
  with_elements<T>(weight, 1, [&](auto weights) HWY_ATTR {
    const auto slope = [=](auto part, int64_t i) HWY_ATTR {
      return hn::Mul(part.read(grad + i, T{}), weights.read(part, i));
    };
    const auto unit = [=](auto part, int64_t i) HWY_ATTR {
      return hn::Mul(hn::Sub(part.read(x + i, moments.mean), mean), rstd);
    };
    const T slopes = summed_by<T>(count, [=](auto sum, auto part, int64_t i) HWY_ATTR {
      return hn::MulAdd(part.read(grad + i, T{}), weights.read(part, i), sum);
    });
    const auto shift = hn::Set(d, static_cast<T>(slopes / size));
    const T along = summed_by<T>(count, [=](auto sum, auto part, int64_t i) HWY_ATTR {
      return hn::MulAdd(slope(part, i), unit(part, i), sum);
    });
    const auto tilt = hn::Set(d, static_cast<T>(along / size));
    each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
      const auto shared = hn::MulAdd(unit(part, i), tilt, shift);
      part.write(hn::Mul(hn::Sub(slope(part, i), shared), rstd), to + i);
    });
  });
}

template <typename T>
HWY_ATTR void add_parameter_grads(const T* grad, const T* x, RowMoments<T> moments, T* weight_grad,
                                  T* bias_grad, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto mean = hn::Set(d, moments.mean), rstd = hn::Set(d, moments.rstd);
  each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
    const auto grads = part.read(grad + i, T{});
    const auto slope = hn::Mul(hn::Sub(part.read(x + i, moments.mean), mean), rstd);
    part.write(hn::MulAdd(grads, slope, part.read(weight_grad + i, T{})), weight_grad + i);
    part.write(hn::Add(part.read(bias_grad + i, T{}), grads), bias_grad + i);
  });
}

template <typename T>
constexpr NormKernels<T> kernels{normalise<T>, input_grad<T>, add_parameter_grads<T>};

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(NormKernels, norm_kernels, kernels<T>)
}  // namespace mithril::cpu_backend
#endif
