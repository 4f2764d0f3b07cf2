#include "runner/peak.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "backends/cpu/kernels/targets.hpp"
#include "mithril/base/thread_pool.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runner/peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef MITHRIL_PEAK_KERNELS
#define MITHRIL_PEAK_KERNELS
namespace mithril::bench {

struct PeakKernels {
  // Runs rounds of multiply-adds, and returns the number of floating-point operations.
  double (*multiply_add)(int64_t rounds, float* result);
  float (*sum)(const float* from, int64_t count);
  // Computes to = from + factor * addend with stores that bypass the caches.
  void (*triad)(const float* from, const float* addend, float* to, int64_t count);
};

}  // namespace mithril::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace mithril::bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;

// This is more than two units with a latency of four need, and less than the number of registers.
constexpr int sums = 12;

HWY_ATTR double multiply_add(int64_t rounds, float* result) {
  const Floats d;
  const auto factor = hn::Set(d, *result), addend = hn::Set(d, 1 - *result);
  hn::Vec<Floats> values[sums];
  for (auto& value : values) value = hn::Iota(d, 0);
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 16
    for (auto& value : values) value = hn::MulAdd(value, factor, addend);
  }
  auto total = hn::Zero(d);
  for (const auto& value : values) total = hn::Add(total, value);
  *result = hn::GetLane(hn::SumOfLanes(d, total));
  return 2.0 * sums * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

HWY_ATTR float sum(const float* from, int64_t count) {
  const Floats d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<Floats> totals[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (int64_t i = 0; i < count; i += 4 * step) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) totals[k] = hn::Add(totals[k], hn::LoadU(d, from + i + k * step));
  }
  const auto total = hn::Add(hn::Add(totals[0], totals[1]), hn::Add(totals[2], totals[3]));
  return hn::GetLane(hn::SumOfLanes(d, total));
}

HWY_ATTR void triad(const float* from, const float* addend, float* to, int64_t count) {
  const Floats d;
  const auto factor = hn::Set(d, 3.0F);
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    hn::Stream(hn::MulAdd(factor, hn::Load(d, addend + i), hn::Load(d, from + i)), d, to + i);
  }
}

constexpr PeakKernels kernels{multiply_add, sum, triad};

}  // namespace

const PeakKernels& peak_kernels() { return kernels; }

}  // namespace mithril::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::bench {
namespace {

using cpu_backend::Instructions;

const PeakKernels& best_kernels() {
  MITHRIL_RETURN_KERNELS(cpu_backend::best_instructions(), peak_kernels());
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The least time in seconds of task(i) on this number of threads, repeated for half a second.
double seconds_of(int threads, const std::function<void(int)>& task) {
  const auto start = Clock::now();
  double least = INFINITY;
  for (int attempt = 0; attempt < 5 || seconds_since(start) < 0.5; ++attempt) {
    const auto begin = Clock::now();
    std::vector<std::thread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back(task, i);
    task(0);
    for (std::thread& helper : helpers) helper.join();
    least = std::min(least, seconds_since(begin));
  }
  return least;
}

double operations_a_second(int threads) {
  std::vector<double> operations(static_cast<size_t>(threads));
  const double seconds = seconds_of(threads, [&](int i) {
    float factor = 0.5F;
    operations[static_cast<size_t>(i)] = best_kernels().multiply_add(2'000'000, &factor);
    if (factor == 0) std::abort();  // so that it is computed
  });
  return operations[0] * threads / seconds;
}

struct Free {
  void operator()(float* array) const { std::free(array); }
};
using Array = std::unique_ptr<float, Free>;

Array array(int64_t count) {
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  Array array(static_cast<float*>(std::aligned_alloc(4096, bytes)));
  if (!array) throw std::bad_alloc();
  std::fill_n(array.get(), count, 1.0F);
  return array;
}

double bytes_a_second(int threads) {
  constexpr int64_t count = int64_t{1} << 25;  // of each array, more than caches hold
  const int64_t part = count / threads / 1024 * 1024;
  const Array from = array(count), addend = array(count), to = array(count);
  const PeakKernels& kernels = best_kernels();
  std::vector<float> totals(static_cast<size_t>(threads));
  const double reading = seconds_of(threads, [&](int i) {
    totals[static_cast<size_t>(i)] = kernels.sum(from.get() + i * part, part);
  });
  if (totals[0] == 0) std::abort();  // so that it is computed
  const double copying = seconds_of(threads, [&](int i) {
    const int64_t begin = i * part;
    kernels.triad(from.get() + begin, addend.get() + begin, to.get() + begin, part);
  });
  const double bytes = static_cast<double>(part) * threads * sizeof(float);
  return std::max(bytes / reading, 3 * bytes / copying);
}

}  // namespace

void peak(int threads) {
  if (threads < 1) threads = processor_count();
  fmt::print("{{\"gflops\": {:.1f}, \"gbytes_per_s\": {:.1f}}}\n",
             operations_a_second(threads) / 1e9, bytes_a_second(threads) / 1e9);
}

}  // namespace mithril::bench
#endif
