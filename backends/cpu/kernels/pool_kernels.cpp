#include "backends/cpu/kernels/pool_kernels.hpp"

#include <algorithm>
#include <limits>

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/pool_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
constexpr int64_t lanes = HWY_LANES(T);

template <class D>
using V = hn::Vec<D>;

// Loads the first `count` elements, at most a vector. The other lanes are unspecified.
template <class D, typename T = hn::TFromD<D>>
HWY_ATTR V<D> load(D d, const T* from, int64_t count) {
  if (count >= lanes<T>) return hn::LoadU(d, from);
#if HWY_TARGET == HWY_EMU128
  // Highway's masked load reads masked elements, too, on this target.
  alignas(64) T some[static_cast<size_t>(lanes<T>)] = {};
  std::copy_n(from, std::clamp<int64_t>(count, 0, lanes<T>), some);
  return hn::Load(d, some);
#else
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(std::max<int64_t>(count, 0))), d, from);
#endif
}

template <class D, typename T = hn::TFromD<D>>
HWY_ATTR V<D> load(D d, const T* from, int64_t step, int64_t count) {
  if (step == 1) return load(d, from, count);
#if HWY_TARGET != HWY_SCALAR
  if (step == 2) {
    // Reads no element after the last one.
    const int64_t all = 2 * std::min(count, lanes<T>) - 1;
    return hn::ConcatEven(d, load(d, from + lanes<T>, all - lanes<T>), load(d, from, all));
  }
#endif
  alignas(64) T apart[static_cast<size_t>(lanes<T>)] = {};
  for (int64_t i = 0; i < std::min(count, lanes<T>); ++i) apart[i] = from[i * step];
  return hn::Load(d, apart);
}

template <class D, typename T = hn::TFromD<D>>
HWY_ATTR void store(D d, V<D> vector, T* to, int64_t count) {
  if (count >= lanes<T>) return hn::StoreU(vector, d, to);
  hn::BlendedStore(vector, hn::FirstN(d, static_cast<size_t>(count)), d, to);
}

template <class D>
HWY_ATTR hn::Mask<D> is_nan(D, V<D> x) {
  return hn::Not(hn::Eq(x, x));
}

template <typename T>
HWY_ATTR void largest(const PoolRun<T>& run, T* best) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < run.count; i += lanes<T>) {
    const int64_t count = run.count - i;
    const auto x = load(d, run.from + i * run.step, run.step, count);
    const auto old = load(d, best + i, count);
    store(d, hn::IfThenElse(hn::Or(hn::Gt(x, old), is_nan(d, x)), x, old), best + i, count);
  }
}

template <typename T>
HWY_ATTR void largest_placed(const PoolRun<T>& run, PoolIndex<T> place, T* best,
                             PoolIndex<T>* places) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto step = static_cast<PoolIndex<T>>(run.step);
  alignas(64) PoolIndex<T> steps[static_cast<size_t>(lanes<T>)];
  for (int64_t i = 0; i < lanes<T>; ++i) steps[i] = static_cast<PoolIndex<T>>(i * run.step);
  auto own = hn::Add(hn::Load(di, steps), hn::Set(di, place));
  const auto on = hn::Set(di, static_cast<PoolIndex<T>>(lanes<T> * step));
  for (int64_t i = 0; i < run.count; i += lanes<T>, own = hn::Add(own, on)) {
    const int64_t count = run.count - i;
    const auto x = load(d, run.from + i * run.step, run.step, count);
    const auto old = load(d, best + i, count);
    const auto old_places = load(di, places + i, count);
    const auto first = hn::RebindMask(d, hn::Lt(old_places, hn::Zero(di)));
    const auto takes = hn::Or(hn::Or(hn::Gt(x, old), is_nan(d, x)), first);
    store(d, hn::IfThenElse(takes, x, old), best + i, count);
    store(di, hn::IfThenElse(hn::RebindMask(di, takes), own, old_places), places + i, count);
  }
}

template <typename T>
HWY_ATTR void sum(const PoolRun<T>& run, T* sums) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < run.count; i += lanes<T>) {
    const int64_t count = run.count - i;
    const auto x = load(d, run.from + i * run.step, run.step, count);
    store(d, hn::Add(load(d, sums + i, count), x), sums + i, count);
  }
}

template <typename T, typename Take, typename Finish>
HWY_ATTR void pool_blocks(const PoolBlocks<T>& p, T start, const Take& take, const Finish& finish) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < p.count; ++i) {
    for (int64_t j = 0; j < p.block; j += lanes<T>) {
      const T* row = p.from + i * p.step + j;
      auto taken = hn::Set(d, start);
      for (int64_t y = 0; y < p.rows; ++y, row += p.row_step) {
        for (int64_t x = 0; x < p.columns; ++x) {
          taken = take(hn::LoadU(d, row + x * p.column_step), taken);
        }
      }
      hn::StoreU(finish(taken), d, p.to + i * p.block + j);
    }
  }
}

template <typename T>
HWY_ATTR void largest_of_blocks(const PoolBlocks<T>& p) {
  const hn::ScalableTag<T> d;
  const auto larger = [d](auto x, auto old) HWY_ATTR {
    return hn::IfThenElse(hn::Or(hn::Gt(x, old), is_nan(d, x)), x, old);
  };
  pool_blocks(p, -std::numeric_limits<T>::infinity(), larger, [](auto x) HWY_ATTR { return x; });
}

template <typename T>
HWY_ATTR void mean_of_blocks(const PoolBlocks<T>& p) {
  const auto divisor = hn::Set(hn::ScalableTag<T>(), p.divisor);
  pool_blocks(
      p, T{}, [](auto x, auto sum) HWY_ATTR { return hn::Add(sum, x); },
      [divisor](auto sum) HWY_ATTR { return hn::Div(sum, divisor); });
}

template <typename T>
constexpr PoolKernels<T> kernels{largest_of_blocks<T>, mean_of_blocks<T>, largest<T>,
                                 largest_placed<T>, sum<T>};

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(PoolKernels, pool_kernels, kernels<T>)
}  // namespace mithril::cpu_backend
#endif
