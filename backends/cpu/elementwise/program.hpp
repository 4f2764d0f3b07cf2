// Elementwise programs: lists of instructions on blocks of elements, made from elementwise nodes.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/descriptors/shaped_graph.hpp"
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
