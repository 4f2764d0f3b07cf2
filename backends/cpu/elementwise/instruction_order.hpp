// Instructions in such an order that most read what the one before made, which then stays in
// registers.
#pragma once

#include <span>
#include <vector>

#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// Greedily: after each instruction the first that reads what it made and whose other operands are
// made by then; where there is none, the first of all whose operands are.
std::vector<Instruction> in_dependency_order(const ElementwiseProgram& program);

// How an instruction stands to the next one.
struct Forwarding {
  bool last = true;     // the next does not read what it makes
  bool written = true;  // somebody else reads it
};
std::vector<Forwarding> forwardings(const ElementwiseProgram& program);

}  // namespace mithril::cpu_backend
