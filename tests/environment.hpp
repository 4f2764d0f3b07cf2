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

}  // namespace mithril::tests
