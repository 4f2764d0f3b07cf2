// Ints of 64 bits that JavaScript computes as BigInts.
#pragma once
#include <vector>

#include "codegen/common/program.hpp"

namespace mithril::codegen {

// Per value, whether its elements are BigInts: single ints of 64 bits that are inputs, such as keys
// of random numbers; single constants beyond 2^53; and sums, differences, products, choices,
// maxima, minima and views of them. Other ints of 64 bits are numbers, which are faster and exact
// up to 2^53: also the results of shifts, powers, absolute values and kernels. Only JavaScript has
// BigInts.
std::vector<bool> wide_ints(const Program& program, const Language& language);

}  // namespace mithril::codegen
