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

// Runners of generated cases add each case here; the last line of the program counts them.
inline TableResults table_results;

// The number of test cases that called skip(), per reason. Each has a line before the last line.
inline std::map<std::string, std::size_t> skipped_results;

}  // namespace mithril::tests
