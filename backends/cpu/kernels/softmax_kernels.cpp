#include "backends/cpu/kernels/softmax_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/softmax_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/vector_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <typename T>
constexpr T least = -std::numeric_limits<T>::infinity();

template <typename T>
HWY_ATTR T largest(const T* row, int64_t count) {
  const auto both = [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); };
  const auto take = [&](auto most, auto part, int64_t i)
                        HWY_ATTR { return hn::Max(most, part.read(row + i, least<T>)); };
  return hn::GetLane(hn::MaxOfLanes(hn::ScalableTag<T>(), joined<T>(count, least<T>, both, take)));
}

template <typename T>
HWY_ATTR void multiply_row(T* row, T by, int64_t count, int64_t next) {
  const auto factor = hn::Set(hn::ScalableTag<T>(), by);
  each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
    fetch_next(row, next, i);
    part.write(hn::Mul(part.read(row + i, T{}), factor), row + i);
  });
}

template <typename T>
HWY_ATTR void softmax(const T* x, const T*, T* to, int64_t count, int64_t next) {
  const hn::ScalableTag<T> d;
  const auto top = hn::Set(d, largest(x, count));
  const T sum = summed<T>(count, [=](auto part, int64_t i) HWY_ATTR {
    fetch_next(x, next, i);
    const auto power = share(d, hn::Sub(part.read(x + i, least<T>), top));
    part.write(power, to + i);
    return power;
  });
  multiply_row(to, 1 / sum, count, next);
}

template <typename T>
HWY_ATTR void log_softmax(const T* x, const T*, T* to, int64_t count, int64_t next) {
  const hn::ScalableTag<T> d;
  const auto top = hn::Set(d, largest(x, count));
  const T sum = summed<T>(count, [=](auto part, int64_t i) HWY_ATTR {
    fetch_next(x, next, i);
    return share(d, hn::Sub(part.read(x + i, least<T>), top));
  });
  const auto rest = log(d, hn::Set(d, sum));
  each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
    fetch_next(to, next, i);
    part.write(hn::Sub(hn::Sub(part.read(x + i, least<T>), top), rest), to + i);
  });
}

template <typename T>
HWY_ATTR void softmax_grad(const T* grad, const T* result, T* to, int64_t count, int64_t) {
  const hn::ScalableTag<T> d;
  const auto take = [=](auto total, auto part, int64_t i) HWY_ATTR {
    return hn::MulAdd(part.read(grad + i, T{}), part.read(result + i, T{}), total);
  };
  const auto sum = hn::Set(d, summed_by<T>(count, take));
  each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
    const auto distance = hn::Sub(part.read(grad + i, T{}), sum);
    part.write(hn::Mul(part.read(result + i, T{}), distance), to + i);
  });
}

template <typename T>
HWY_ATTR void log_softmax_grad(const T* grad, const T* result, T* to, int64_t count, int64_t) {
  const hn::ScalableTag<T> d;
  const auto sum = hn::Set(
      d, summed<T>(count, [=](auto part, int64_t i) HWY_ATTR { return part.read(grad + i, T{}); }));
  each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
    const auto power = exp(d, part.read(result + i, T{}));
    part.write(hn::NegMulAdd(power, sum, part.read(grad + i, T{})), to + i);
  });
}

template <typename T>
HWY_ATTR void attend(const T* scores, T scale, const T* bias, T* to, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, scale);
  each_vector<T>(count, [&](auto part, int64_t i) HWY_ATTR {
    auto score = hn::Mul(part.read(scores + i, T{}), factor);
    if (bias) score = hn::Add(score, part.read(bias + i, T{}));
    part.write(score, to + i);
  });
  const auto top = hn::Set(d, std::max(largest(to, count), std::numeric_limits<T>::lowest()));
  const T sum = summed<T>(count, [=](auto part, int64_t i) HWY_ATTR {
    const auto power = share(d, hn::Sub(part.read(to + i, least<T>), top));
    part.write(power, to + i);
    return power;
  });
  multiply_row(to, sum == 0 ? T{0} : 1 / sum, count, count);
}

template <typename T>
constexpr RowKernels<T> kernels{softmax<T>, log_softmax<T>, softmax_grad<T>, log_softmax_grad<T>,
                                attend<T>};

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(RowKernels, row_kernels, kernels<T>)
}  // namespace mithril::cpu_backend
#endif
