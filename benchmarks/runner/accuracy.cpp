#include "runner/accuracy.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/cpu/function_errors.hpp"

namespace mithril::bench {
namespace {

using namespace cpu_backend;

template <typename T>
void print_rows(const char* type) {
  const std::vector<T> numbers = sampled_numbers<T>();
  for (const Function& function : functions) {
    fmt::print("| {} | {} |", function.name, type);
    for (const Instructions instructions : present_instructions()) {
      const auto& kernels = elementwise_kernels<T>(instructions);
      const bool there = kernels.links[static_cast<size_t>(function.operation)].one;
      fmt::print(" {} |", there ? fmt::format("{:.2f}", worst_of(function, numbers, kernels).error)
                                : std::string("-"));
    }
    fmt::print("\n");
  }
}

}  // namespace

void accuracy() {
  std::string head = "| function | type |", line = "| --- | --- |";
  for (const Instructions instructions : present_instructions()) {
    head += fmt::format(" {} |", name(instructions));
    line += " --- |";
  }
  fmt::print("{}\n{}\n", head, line);
  print_rows<float>("float32");
  print_rows<double>("float64");
}

}  // namespace mithril::bench
