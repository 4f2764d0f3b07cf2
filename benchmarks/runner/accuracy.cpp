#include "runner/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "mithril/base/thread_pool.hpp"
#include "tests/cpu/function_errors.hpp"

namespace mithril::bench {
namespace {

using namespace cpu_backend;

// The worst error for each instruction set of this processor; empty if the set has no kernel.
template <typename T>
using WorstOfEach = std::vector<std::optional<Worst<T>>>;

template <typename T>
WorstOfEach<T> worst_of_each(const Function& function, const std::vector<T>& numbers) {
  std::vector<long double> wide;
  for (const T number : numbers) wide.push_back(function.wide(number));
  WorstOfEach<T> all;
  for (const Instructions instructions : present_instructions()) {
    const auto& kernels = elementwise_kernels<T>(instructions);
    std::optional<Worst<T>>& worst = all.emplace_back();
    if (!kernels.operations[static_cast<size_t>(function.operation)].one) continue;
    const std::vector<T> results = results_of(function, numbers, kernels);
    worst.emplace();
    for (size_t i = 0; i < numbers.size(); ++i) worst->take(numbers[i], results[i], wide[i]);
  }
  return all;
}

// The worst errors over all 2^32 numbers.
WorstOfEach<float> worst_of_floats(const Function& function) {
  constexpr int pieces = 1 << 14;
  constexpr uint32_t size = 1u << 18;
  std::mutex mutex;
  WorstOfEach<float> all(present_instructions().size(), Worst<float>());
  ThreadPool::shared().run(pieces, processor_count(), [&](int piece) {
    std::vector<float> numbers;
    for (uint32_t i = 0; i < size; ++i) {
      numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(piece) * size + i));
    }
    const WorstOfEach<float> worst = worst_of_each(function, numbers);
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < all.size(); ++i) all[i]->take(*worst[i]);
  });
  return all;
}

template <typename T>
void print_row(const Function& function, const char* type, const WorstOfEach<T>& worst) {
  fmt::print("| {} | {} |", function.name, type);
  for (const auto& each : worst)
    fmt::print(" {} |", each ? fmt::format("{:.2f}", each->error) : "-");
  fmt::print("\n");
  std::fflush(stdout);  // a line may take minutes
}

// The functions of these names; all, if there are no names.
std::vector<Function> functions_named(const std::vector<std::string>& names) {
  if (names.empty()) return {std::begin(functions), std::end(functions)};
  std::vector<Function> named;
  for (const std::string& name : names) {
    const auto* const at =
        std::find_if(std::begin(functions), std::end(functions),
                     [&](const Function& function) { return function.name == name; });
    if (at == std::end(functions)) throw std::runtime_error("there is no function " + name);
    named.push_back(*at);
  }
  return named;
}

}  // namespace

void accuracy(const std::vector<std::string>& names) {
  const std::vector<Function> measured = functions_named(names);
  std::string head = "| function | type |", line = "| --- | --- |";
  for (const Instructions instructions : present_instructions()) {
    head += fmt::format(" {} |", name(instructions));
    line += " --- |";
  }
  fmt::print("{}\n{}\n", head, line);
  for (const Function& function : measured) {
    print_row(function, "float32", worst_of_floats(function));
  }
  const std::vector<double> numbers = sampled_numbers<double>();
  for (const Function& function : measured) {
    print_row(function, "float64", worst_of_each(function, numbers));
  }
}

}  // namespace mithril::bench
