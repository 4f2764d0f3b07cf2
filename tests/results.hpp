// Counts for the last lines of the program besides test cases: generated cases, and skips by
// reason.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace mithril::tests {

struct TableResults {
  std::size_t passed = 0;
  std::size_t failed = 0;
};

// Whoever runs generated cases adds each of them here; the last line of the program counts them.
inline TableResults table_results;

// Test cases that skip() was called in, per reason; one line before the last for each.
inline std::map<std::string, std::size_t> skipped_results;

}  // namespace mithril::tests
