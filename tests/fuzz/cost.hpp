// What reading an input costs: processor time and memory.
#pragma once

#include <cstddef>

namespace mithril::fuzz {

// Measures from its constructor on. One at a time; needs the address sanitizer.
class Cost {
 public:
  Cost();
  double seconds() const;          // of all threads of the process
  std::size_t peak_bytes() const;  // the most that were allocated at once, less those at the begin

 private:
  double begin_;
};

}  // namespace mithril::fuzz
