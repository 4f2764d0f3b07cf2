// Counts of generated cases, which no test case of their own stands for.
#pragma once

#include <cstddef>

namespace mithril::tests {

struct TableResults {
  std::size_t passed = 0;
  std::size_t failed = 0;
};

// Whoever runs generated cases adds each of them here; the last line of the program counts them.
inline TableResults table_results;

}  // namespace mithril::tests
