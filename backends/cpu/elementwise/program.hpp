// Elementwise programs: elementwise nodes as a list of instructions on blocks of elements.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/kernels/elementwise_kernels.hpp"
#include "mithril/op/formula.hpp"

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
  std::vector<double> constants;
  std::vector<Instruction> instructions;  // each writes its own slot
  struct Made {
    ValueId value;
    Slot slot;
  };
  std::vector<Made> outputs;
  Slot slots = 0;

  Slot first_made() const { return static_cast<Slot>(inputs.size() + constants.size()); }
};

// The program that computes these nodes, given in the order of the graph. Its outputs are `kept`.
// Each node must have an elementwise_dtype. None if a record has no formula, or an operation has no
// kernel.
std::optional<ElementwiseProgram> make_elementwise_program(const ShapedGraph& shaped,
                                                           std::span<const size_t> nodes,
                                                           std::span<const ValueId> kept);

// The dtype in which an elementwise program computes the node; none if no program can contain it.
std::optional<DType> elementwise_dtype(const ShapedGraph& shaped, size_t node);

// Whether the formula is its input, unchanged or in another dtype.
bool converts(const Formula& formula);

// Whether the node's result is rounded to 16 bits before consumers read it. A program must not
// contain both the node and a consumer, because results are rounded only when they are stored.
bool is_rounded(const ShapedGraph& shaped, size_t node);

}  // namespace mithril::cpu_backend
