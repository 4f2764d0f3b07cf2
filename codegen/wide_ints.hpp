// Ints of 64 bits that JavaScript computes as BigInts.
#pragma once
#include <vector>

#include "codegen/program.hpp"

namespace mithril::codegen {

// Per value, whether its elements are BigInts: single ints of 64 bits that come in, such as keys of
// random numbers, constants beyond 2^53, and what formulas compute from them. Other ints of 64 bits
// are numbers, which are faster and exact up to 2^53. Other languages have no such values.
std::vector<bool> wide_ints(const Program& program, const Language& language);

}  // namespace mithril::codegen
