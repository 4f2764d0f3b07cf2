#include "backends/cpu/kernels/row_kernels.hpp"

#include <cmath>
#include <limits>

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
constexpr RowKernels<T> of_rows{softmax<T>, log_softmax<T>, softmax_grad<T>, log_softmax_grad<T>,
                                attend<T>};

template <typename T>
struct RowElements {
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
  row ? body(RowElements<T>{row}) : body(Same<T>{otherwise});
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
constexpr NormKernels<T> of_norms{normalise<T>, input_grad<T>, add_parameter_grads<T>};

struct RowSum {
  static constexpr double start = 0;
  template <class X>
  HWY_ATTR static X both(X a, X b) {
    return hn::Add(a, b);
  }
};

// The maximum, or the minimum. Returns b if it is NaN, too, so that NaN is kept.
template <bool larger>
struct Extreme {
  static constexpr double start = (larger ? -1 : 1) * std::numeric_limits<double>::infinity();
  template <class X>
  HWY_ATTR static X both(X a, X b) {
    return extreme<larger>(a, b);
  }
};

template <class Way>
HWY_ATTR double both(double left, double right) {
  const hn::CappedTag<double, 1> d;
  return hn::GetLane(Way::both(hn::Set(d, left), hn::Set(d, right)));
}

template <class D>
HWY_ATTR auto load_doubles(D d, const double* at) {
  return hn::LoadU(d, at);
}
template <class D>
HWY_ATTR auto load_doubles(D d, const float* at) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), at));
}
template <typename T>
HWY_ATTR auto as_doubles(const T* x) {
  return load_doubles(hn::ScalableTag<double>(), x);
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

template <class D>
HWY_ATTR void store_doubles(V<D> x, D d, double* at) {
  hn::StoreU(x, d, at);
}
template <class D>
HWY_ATTR void store_doubles(V<D> x, D, float* at) {
  const hn::Rebind<float, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, x), narrow, at);
}

enum class Scan { recurrence, sum, product };

template <typename T, Scan way>
HWY_ATTR void scan(const T* x, const T* decay, double* states, T* to, int64_t count, bool exclusive,
                   int64_t next) {
  const auto move_on = [=](auto d, int64_t i) HWY_ATTR {
    const auto before = hn::LoadU(d, states + i), taken = load_doubles(d, x + i);
    auto state = before;
    if constexpr (way == Scan::recurrence) {
      state = hn::MulAdd(load_doubles(d, decay + i), before, taken);
      fetch_next(decay, next, i);
    } else {
      state = way == Scan::sum ? hn::Add(before, taken) : hn::Mul(before, taken);
    }
    fetch_next(x, next, i);
    hn::StoreU(state, d, states + i);
    store_doubles(exclusive ? before : state, d, to + i);
  };
  int64_t i = 0;
  for (; i + lanes<double> <= count; i += lanes<double>) move_on(hn::ScalableTag<double>(), i);
  for (; i < count; ++i) move_on(hn::CappedTag<double, 1>(), i);
}

template <typename T>
constexpr ScanKernels<T> scans{scan<T, Scan::recurrence>, scan<T, Scan::sum>,
                               scan<T, Scan::product>};

template <typename T>
constexpr ReductionKernels<T> reductions{kernel<T, RowSum>, kernel<T, Extreme<true>>,
                                         kernel<T, Extreme<false>>};

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(RowKernels, row_kernels, of_rows<T>)
MITHRIL_DEFINE_KERNELS(NormKernels, norm_kernels, of_norms<T>)
MITHRIL_DEFINE_KERNELS(ReductionKernels, reduction_kernels, reductions<T>)
MITHRIL_DEFINE_KERNELS(ScanKernels, scan_kernels, scans<T>)
}  // namespace mithril::cpu_backend
#endif
