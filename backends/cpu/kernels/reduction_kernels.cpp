#include "backends/cpu/kernels/reduction_kernels.hpp"

#include <limits>

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/reduction_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/vector_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

struct Sum {
  static constexpr double start = 0;
  template <class X>
  HWY_ATTR static X both(X a, X b) {
    return hn::Add(a, b);
  }
};

// Returns b if it is larger or NaN, so that NaN is kept.
struct Max {
  static constexpr double start = -std::numeric_limits<double>::infinity();
  template <class X>
  HWY_ATTR static X both(X a, X b) {
    return hn::IfThenElse(hn::Or(hn::Gt(b, a), unequal(b, b)), b, a);
  }
};

struct Min {
  static constexpr double start = std::numeric_limits<double>::infinity();
  template <class X>
  HWY_ATTR static X both(X a, X b) {
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), unequal(b, b)), b, a);
  }
};

template <class Way>
HWY_ATTR double both(double left, double right) {
  const hn::CappedTag<double, 1> d;
  return hn::GetLane(Way::both(hn::Set(d, left), hn::Set(d, right)));
}

HWY_ATTR auto as_doubles(const double* x) { return hn::LoadU(hn::ScalableTag<double>(), x); }
HWY_ATTR auto as_doubles(const float* x) {
  const hn::ScalableTag<double> d;
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, decltype(d)>(), x));
}

// Four totals hide the latency of the operation.
template <typename T, class Way>
HWY_ATTR double row(const T* x, int64_t count) {
  const hn::ScalableTag<double> d;
  constexpr int64_t n = lanes<double>;
  const auto start = hn::Set(d, Way::start);
  auto a = start, b = start, c = start, e = start;
  int64_t i = 0;
  for (; i + 4 * n <= count; i += 4 * n) {
    a = Way::both(a, as_doubles(x + i));
    b = Way::both(b, as_doubles(x + i + n));
    c = Way::both(c, as_doubles(x + i + 2 * n));
    e = Way::both(e, as_doubles(x + i + 3 * n));
  }
  alignas(64) double totals[static_cast<size_t>(n)];
  hn::Store(Way::both(Way::both(a, b), Way::both(c, e)), d, totals);
  double total = Way::start;
  for (const double part : totals) total = both<Way>(total, part);
  for (; i < count; ++i) total = both<Way>(total, static_cast<double>(x[i]));
  return total;
}

template <typename T, class Way>
HWY_ATTR void rows(const T* x, double* totals, int64_t count) {
  const hn::ScalableTag<double> d;
  constexpr int64_t n = lanes<double>;
  int64_t i = 0;
  for (; i + n <= count; i += n) {
    hn::StoreU(Way::both(hn::LoadU(d, totals + i), as_doubles(x + i)), d, totals + i);
  }
  for (; i < count; ++i) totals[i] = both<Way>(totals[i], static_cast<double>(x[i]));
}

template <typename T, class Way>
constexpr ReductionKernel<T> kernel{Way::start, row<T, Way>, rows<T, Way>, both<Way>};

template <typename T>
constexpr ReductionKernels<T> kernels{kernel<T, Sum>, kernel<T, Max>, kernel<T, Min>};

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(ReductionKernels, reduction_kernels, kernels<T>)
}  // namespace mithril::cpu_backend
#endif
