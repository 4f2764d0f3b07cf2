// The errors of the vectorised functions, compared with the C library in a wider type.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "backends/cpu/kernels/elementwise_kernels.hpp"

namespace mithril::cpu_backend {

// A vectorised function, and the C library's function in a wider type. float32 is compared with
// double, whose own errors are below 1e-8 units.
struct Function {
  std::string name;
  Operation operation;
  double (*of_float)(double x);
  long double (*of_double)(long double x);

  // The operations of a function that has several, with their operands: slot 0 is the argument, 1
  // the result of the previous step, 2 the number 1.
  struct Step {
    Operation operation;
    int16_t first, second = -1;
  };
  std::vector<Step> steps = {};

  long double wide(float x) const { return of_float(x); }
  long double wide(double x) const { return of_double(x); }
};

// 0 where exp(-x) is beyond the largest number of the type: the exact result is below 3e-39 of
// float32, and below 6e-309 of float64.
template <typename Wide, typename Narrow>
Wide sigmoid_of(Wide x) {
  const Wide power = std::exp(-x);
  return power > std::numeric_limits<Narrow>::max() ? 0 : 1 / (1 + power);
}

inline const Function functions[] = {{"exp", Operation::exp, std::exp, std::exp},
                                     {"expm1", Operation::expm1, std::expm1, std::expm1},
                                     {"log", Operation::log, std::log, std::log},
                                     {"log1p", Operation::log1p, std::log1p, std::log1p},
                                     {"tanh", Operation::tanh, std::tanh, std::tanh},
                                     {"sin", Operation::sin, std::sin, std::sin},
                                     {"cos", Operation::cos, std::cos, std::cos},
                                     {"erf", Operation::erf, std::erf, std::erf},
                                     {"sigmoid",
                                      Operation::exp,
                                      sigmoid_of<double, float>,
                                      sigmoid_of<long double, double>,
                                      {{Operation::negate, 0},
                                       {Operation::exp, 1},
                                       {Operation::add, 2, 1},
                                       {Operation::divide, 2, 1}}}};

// Returns the error in units of the last place of the expected number.
template <typename T>
double error_of(T got, long double wide) {
  const T expected = static_cast<T>(wide);
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) == std::isnan(got) ? 0 : INFINITY;
  if (got == expected) return std::signbit(got) == std::signbit(expected) ? 0 : INFINITY;
  const T size = std::abs(expected);
  // Next to infinity a unit is that of the largest number.
  const T most = std::numeric_limits<T>::max();
  const T unit = size < most ? std::nextafter(size, most) - size : most - std::nextafter(most, T{});
  const long double given = std::isinf(got) ? std::copysign(2 * static_cast<long double>(most), got)
                                            : static_cast<long double>(got);
  return static_cast<double>(std::abs(given - wide) / unit);
}

template <typename T>
struct Worst {
  double error = 0;
  T at = 0;

  void take(T x, T got, long double wide) {
    // A number that is rounded to nearest is off by at most half a unit.
    if (error >= 0.5 && got == static_cast<T>(wide) && got != 0) return;
    take({error_of(got, wide), x});
  }
  void take(const Worst& other) {
    if (other.error > error) *this = other;
  }
};

// Returns the results of the kernel, whose arguments are padded to whole vectors.
template <typename T>
std::vector<T> results_of(const Function& function, const std::vector<T>& numbers,
                          const ElementwiseKernels<T>& kernels) {
  std::vector<T> results(numbers.size());
  const std::vector<T> ones(kernels.lanes, T{1});
  const Source<T> slots[] = {
      {numbers.data(), each_element}, {results.data(), each_element}, {ones.data(), 0}};
  std::vector<Function::Step> steps = function.steps;
  if (steps.empty()) steps = {{function.operation, 0}};
  std::vector<EncodedInstruction> code;
  for (const auto& [operation, first, second] : steps) {
    code.push_back({.kernel = kernels.operations[static_cast<size_t>(operation)],
                    .from = {first, second},
                    .to = 1,
                    .last = false});
  }
  code.back().last = true;
  kernels.run(code.data(), slots, 0, numbers.size(), {});
  return results;
}

template <typename T>
Worst<T> worst_of(const Function& function, const std::vector<T>& numbers,
                  const ElementwiseKernels<T>& kernels) {
  const std::vector<T> results = results_of(function, numbers, kernels);
  Worst<T> worst;
  for (size_t i = 0; i < numbers.size(); ++i) {
    worst.take(numbers[i], results[i], function.wide(numbers[i]));
  }
  return worst;
}

// Bit patterns at equal distances: infinities, NaN and denormals among them.
template <typename T, typename Bits>
std::vector<T> numbers_of_all_kinds(Bits step) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {T{0},
                            T{-0.0},
                            T{1},
                            T{-1},
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::quiet_NaN(),
                            Limits::max(),
                            Limits::denorm_min(),
                            Limits::min()};
  Bits bits = 0;
  for (; bits < std::numeric_limits<Bits>::max() - step; bits += step) {
    numbers.push_back(std::bit_cast<T>(bits));
  }
  // The range of most arguments.
  for (int i = -4000; i < 4000; ++i) numbers.push_back(static_cast<T>(i * 0.0123));
  // The zeros of sines and cosines, and angles too large for Highway.
  for (int i = 1; i < 26'000; ++i) {
    numbers.push_back(static_cast<T>(i * std::numbers::pi_v<long double> / 2));
  }
  numbers.resize((numbers.size() + 15) / 16 * 16);
  return numbers;
}

// The arguments for the measurement.
template <typename T>
std::vector<T> sampled_numbers() {
  if constexpr (sizeof(T) == 4) return numbers_of_all_kinds<T>(uint32_t{40'009});
  if constexpr (sizeof(T) == 8) return numbers_of_all_kinds<T>(uint64_t{180'143'985'094'819});
}

}  // namespace mithril::cpu_backend
