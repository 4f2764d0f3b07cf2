#include "backends/cpu/kernels/pool_kernels.hpp"

#include <algorithm>
#include <limits>

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/pool_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/vector_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <typename T>
using PoolVector = V<hn::ScalableTag<T>>;

// The first `count` elements, at most a vector.
template <typename T>
HWY_ATTR HWY_INLINE PoolVector<T> first_elements(const T* from, int64_t count) {
  if (count >= lanes<T>) return Whole::read(from, T{});
  return Rest{std::max<int64_t>(count, 0)}.read(from, T{});
}

// A vector of the run, from element i on.
template <typename T, class Part>
HWY_ATTR HWY_INLINE PoolVector<T> elements(const PoolRun<T>& run, Part part, int64_t i) {
  const T* from = run.from + i * run.step;
  if (run.step == 1) return part.read(from, T{});
  const int64_t count = std::min(run.count - i, lanes<T>);
#if HWY_TARGET != HWY_SCALAR
  if (run.step == 2) {
    // Reads no element after the last one.
    const int64_t all = 2 * count - 1;
    return hn::ConcatEven(hn::ScalableTag<T>(), first_elements(from + lanes<T>, all - lanes<T>),
                          first_elements(from, all));
  }
#endif
  alignas(64) T apart[static_cast<size_t>(lanes<T>)] = {};
  for (int64_t k = 0; k < count; ++k) apart[k] = from[k * run.step];
  return hn::Load(hn::ScalableTag<T>(), apart);
}

template <typename T>
HWY_ATTR void largest(const PoolRun<T>& run, T* best) {
  each_vector<T>(run.count, [&](auto part, int64_t i) HWY_ATTR {
    part.write(extreme<true>(part.read(best + i, T{}), elements(run, part, i)), best + i);
  });
}

template <typename T>
HWY_ATTR void largest_placed(const PoolRun<T>& run, PoolIndex<T> place, T* best,
                             PoolIndex<T>* places) {
  using Index = PoolIndex<T>;
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<Index> di;
  alignas(64) Index steps[static_cast<size_t>(lanes<T>)];
  for (int64_t i = 0; i < lanes<T>; ++i) steps[i] = static_cast<Index>(i * run.step);
  auto own = hn::Add(hn::Load(di, steps), hn::Set(di, place));
  const auto on = hn::Set(di, static_cast<Index>(lanes<T> * run.step));
  each_vector<T>(run.count, [&](auto part, int64_t i) HWY_ATTR {
    const auto x = elements(run, part, i), old = part.read(best + i, T{});
    const auto old_places = part.read(places + i, Index{});
    const auto first = hn::RebindMask(d, hn::Lt(old_places, hn::Zero(di)));
    const auto takes = hn::Or(hn::Or(hn::Gt(x, old), unequal(x, x)), first);
    part.write(hn::IfThenElse(takes, x, old), best + i);
    part.write(hn::IfThenElse(hn::RebindMask(di, takes), own, old_places), places + i);
    own = hn::Add(own, on);
  });
}

template <typename T>
HWY_ATTR void sum(const PoolRun<T>& run, T* sums) {
  each_vector<T>(run.count, [&](auto part, int64_t i) HWY_ATTR {
    part.write(hn::Add(part.read(sums + i, T{}), elements(run, part, i)), sums + i);
  });
}

// `vectors`: how many of a block are computed at once, so that they hide the latency of `take`.
template <int vectors, typename T, typename Take, typename Finish>
HWY_ATTR HWY_INLINE void pool_vectors(const PoolBlocks<T>& p, T start, const Take& take,
                                      const Finish& finish) {
  const hn::ScalableTag<T> d;
  for (int64_t i = 0; i < p.count; ++i) {
    for (int64_t j = 0; j < p.block; j += vectors * lanes<T>) {
      const T* row = p.from + i * p.step + j;
      PoolVector<T> taken[vectors];
      for (PoolVector<T>& each : taken) each = hn::Set(d, start);
      for (int64_t y = 0; y < p.rows; ++y, row += p.row_step) {
        const T* at = row;
        for (int64_t x = 0; x < p.columns; ++x, at += p.column_step) {
#pragma GCC unroll 2
          for (int v = 0; v < vectors; ++v)
            taken[v] = take(hn::LoadU(d, at + v * lanes<T>), taken[v]);
        }
      }
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v)
        hn::StoreU(finish(taken[v]), d, p.to + i * p.block + j + v * lanes<T>);
    }
  }
}

template <typename T, typename Take, typename Finish>
HWY_ATTR void pool_blocks(const PoolBlocks<T>& p, T start, const Take& take, const Finish& finish) {
  p.block % (2 * lanes<T>) == 0 ? pool_vectors<2>(p, start, take, finish)
                                : pool_vectors<1>(p, start, take, finish);
}

template <typename T>
HWY_ATTR void largest_of_blocks(const PoolBlocks<T>& p) {
  const auto larger = [](auto x, auto old) HWY_ATTR { return extreme<true>(old, x); };
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
