// Elementwise programs: lists of instructions on blocks of elements.
#pragma once

#include <array>
#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/kernels/elementwise_kernels.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// An operand or result. The inputs come first, then the constants, then the results of
// instructions.
using Slot = int16_t;
inline constexpr Slot no_slot = -1;

struct Instruction {
  Operation operation;
  Slot to;
  std::array<Slot, 4> from;  // the operands of the operation, then no_slot
};

struct ElementwiseProgram {
  DType dtype;  // of all instructions: float32 or float64
  // The dims of all outputs and of each input, in memory order: dims_in_blocks() for the blocked
  // layout.
  Dims dims;
  std::vector<Dims> input_dims = {};
  std::vector<ValueId> inputs;
  // Per input: the elements that it reads, if these are a part of the value. Empty: all are whole.
  std::vector<std::optional<StridedView>> strided = {};
  std::vector<double> constants;
  std::vector<Instruction> instructions;  // each writes its own slot
  struct Made {
    ValueId value;
    Slot slot;
  };
  std::vector<Made> outputs;
  Slot slots = 0;

  BroadcastIteration iteration(size_t input) const {
    if (strided.empty() || !strided[input]) return BroadcastIteration(input_dims[input], dims);
    return BroadcastIteration(strided[input]->axes, strided[input]->start);
  }
  Slot first_made() const { return static_cast<Slot>(inputs.size() + constants.size()); }
  // The cost of one element, in additions.
  int64_t cost() const {
    constexpr int64_t cost_of_function = 8;  // such as exp
    int64_t sum = 0;
    for (const Instruction& at : instructions) {
      const bool function = at.operation >= Operation::exp && at.operation <= Operation::erf;
      sum += function ? cost_of_function : 1;
    }
    return sum;
  }
};

// The work that pays off one more thread: elements times their cost.
inline constexpr int64_t elementwise_grain_size = 1 << 17;

}  // namespace mithril::cpu_backend
