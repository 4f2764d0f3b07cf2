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

// Whether sanitizers of clang watch. They make loops ten times slower, and find other faults than
// wrong numbers, which the program without them finds.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MITHRIL_TESTS_SANITIZED 1
#endif
#endif
#ifdef MITHRIL_TESTS_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// The number of cases of a test with many alike: those of `make test`, and all.
inline std::uint64_t sampled(std::uint64_t sample, std::uint64_t all) {
  return all_cases() ? all : sample;
}

}  // namespace mithril::tests
