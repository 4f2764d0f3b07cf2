// The order of the instructions of an elementwise program. An instruction follows the one whose
// result it reads where possible: the result is then forwarded in registers.
#pragma once

#include <vector>

#include "backends/cpu/elementwise/instruction.hpp"

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

}  // namespace mithril::cpu_backend
