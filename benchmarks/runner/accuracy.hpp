// The errors of the vectorised functions of the CPU backend.
#pragma once

#include <string>
#include <vector>

namespace mithril::bench {

// Prints a table for docs/cpu-backend.md: the largest error of each function and type, in units in
// the last place, for each instruction set of the processor. Only functions of these names; all, if
// there are none.
void accuracy(const std::vector<std::string>& names);

}  // namespace mithril::bench
