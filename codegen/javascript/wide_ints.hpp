// Ints of 64 bits that JavaScript computes as BigInts.
#pragma once
#include <vector>

#include "codegen/common/language.hpp"
#include "codegen/common/program.hpp"

namespace mithril::codegen {

// Per value, whether its elements are BigInts: single ints of 64 bits that are inputs, such as keys
// of random numbers; single constants beyond 2^53; and sums, differences, products, choices,
// maxima, minima and views of them. Other ints of 64 bits are numbers, which are faster and exact
// up to 2^53: also the results of shifts, powers, absolute values and kernels. Only JavaScript has
// BigInts.
std::vector<bool> wide_ints(const SourceProgram& program, const Language& language);

// The same for the values of each body of a block. `arguments`: of the block. Carries are BigInts
// if each step makes them of BigInts, whatever the first ones are. Stacks outside of the step are
// numbers. An output of a choice is a BigInt if one of the branches makes BigInts.
std::vector<std::vector<bool>> wide_ints_of_bodies(const Block& block,
                                                   const std::vector<bool>& arguments,
                                                   const Language& language);

}  // namespace mithril::codegen
