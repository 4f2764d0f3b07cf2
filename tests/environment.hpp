// Settings of test programs, from the environment.
#pragma once
#include <cstdint>
#include <cstdlib>

namespace mithril::tests {

// The number in an environment variable; `otherwise` if it is not set.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Whether each test runs all of its cases: `make test-all` sets MITHRIL_ALL_TESTS.
inline bool all_cases() { return std::getenv("MITHRIL_ALL_TESTS") != nullptr; }

// The number of cases of a test with many alike: those of `make test`, and all.
inline std::uint64_t sampled(std::uint64_t sample, std::uint64_t all) {
  return all_cases() ? all : sample;
}

}  // namespace mithril::tests
