// The order of the instructions of elementwise programs, and the life of their results.
#pragma once

#include <vector>

#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// Sorts the instructions greedily. The next instruction is the first ready one that reads the
// result of the previous one, or else the first ready one. An instruction is ready if its operands
// are computed.
std::vector<Instruction> in_dependency_order(const ElementwiseProgram& program);

// How the result of an instruction reaches its consumers.
struct Forwarding {
  bool last = true;     // the next instruction does not read the result
  bool written = true;  // another instruction reads the result, or it is an output
};
std::vector<Forwarding> forwardings(const ElementwiseProgram& program);

// Per slot: the last instruction that reads it; -1: none.
std::vector<int> last_reads(const ElementwiseProgram& program);

}  // namespace mithril::cpu_backend
