// How exact the vectorised functions of the CPU backend are.
#pragma once

namespace mithril::bench {

// Prints a table for docs/cpu-backend.md: of each function and type the largest error found, in
// units in the last place, with each set of instructions that the processor has.
void accuracy();

}  // namespace mithril::bench
