// The steps of loops, for hooks.
#pragma once
#include <cstdint>
#include <vector>

namespace mithril {

// In a hook on a value of a loop's body: the step that makes the value. One number for each loop
// around the value, the outermost first. A step is the index of the elements of the sequences that
// it reads, also where the loop or its gradient begins with the last one. A loop with a condition
// counts from 0. Empty elsewhere.
std::vector<int64_t> loop_steps();

}  // namespace mithril
