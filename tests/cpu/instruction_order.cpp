// The order of instructions: results are read by the next instruction where possible.
#include <doctest/doctest.h>

#include "backends/cpu/elementwise/instruction_order.hpp"

namespace mithril::cpu_backend {
namespace {

// Two inputs in the slots 0 and 1.
ElementwiseProgram loop_of(std::vector<Instruction> instructions, Slot output) {
  ElementwiseProgram loop{.dtype = DType::float32,
                          .dims = {8},
                          .inputs = {ValueId{0}, ValueId{1}},
                          .instructions = std::move(instructions)};
  loop.outputs = {{ValueId{2}, output}};
  loop.slots = static_cast<Slot>(2 + loop.instructions.size());
  return loop;
}

Instruction add(Slot to, Slot left, Slot right) {
  return {Operation::add, to, {left, right, no_slot, no_slot}};
}

std::vector<Slot> made_by(const std::vector<Instruction>& instructions) {
  std::vector<Slot> made;
  for (const Instruction& at : instructions) made.push_back(at.to);
  return made;
}

}  // namespace

TEST_CASE("an instruction follows the instruction whose result it reads") {
  // 4 and 5 go on from 2, 6 from 3.
  const ElementwiseProgram loop =
      loop_of({add(2, 0, 1), add(3, 0, 0), add(4, 2, 1), add(5, 4, 4), add(6, 3, 5)}, Slot{6});
  CHECK(made_by(in_dependency_order(loop)) == std::vector<Slot>{2, 4, 5, 3, 6});
}

TEST_CASE("a result that only the next instruction reads is not written") {
  ElementwiseProgram loop =
      loop_of({add(2, 0, 1), add(3, 2, 2), add(4, 2, 0), add(5, 4, 3)}, Slot{5});
  loop.instructions = in_dependency_order(loop);
  REQUIRE(made_by(loop.instructions) == std::vector<Slot>{2, 3, 4, 5});
  const std::vector<Forwarding> found = forwardings(loop);
  // 2 is read by 3 and by 4; 3 is not read by 4; 4 is read by 5 alone; 5 is the output.
  CHECK((!found[0].last && found[0].written));
  CHECK((found[1].last && found[1].written));
  CHECK((!found[2].last && !found[2].written));
  CHECK((found[3].last && found[3].written));
}

}  // namespace mithril::cpu_backend
