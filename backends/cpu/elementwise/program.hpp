// Nodes that treat each element on its own, as one list of operations on blocks of elements.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/kernels/elementwise_kernels.hpp"
#include "mithril/op/formula.hpp"

namespace mithril::cpu_backend {

// Where an operation reads or writes: inputs come first, then constants, then what operations made.
using Slot = int16_t;
inline constexpr Slot no_slot = -1;

struct Instruction {
  Operation operation;
  Slot to;
  std::array<Slot, 4> from;  // as many as the operation takes, and then none
};

struct ElementwiseProgram {
  DType dtype;  // that it computes in: float32 or float64
  // Of all that it makes, and of each input: in the order in which elements stand, which is another
  // where channels are in blocks.
  Dims dims;
  std::vector<Dims> input_dims = {};
  std::vector<ValueId> inputs;
  std::vector<double> constants;
  std::vector<Instruction> instructions;  // each writes a slot of its own
  struct Made {
    ValueId value;
    Slot slot;
  };
  std::vector<Made> outputs;
  Slot slots = 0;

  Slot first_made() const { return static_cast<Slot>(inputs.size() + constants.size()); }
};

// The loop of these nodes, in the order of the graph, which makes the values of `kept`. Nothing
// where a record spells no formula, or operations or dtypes have no kernels.
std::optional<ElementwiseProgram> make_elementwise_program(const ShapedGraph& shaped,
                                                           std::span<const size_t> nodes,
                                                           std::span<const ValueId> kept);

// What a node would be computed in; nothing where it has no place in a loop.
std::optional<DType> elementwise_dtype(const ShapedGraph& shaped, size_t node);

// Whether what comes out is what goes in, in another dtype.
bool converts(const Formula& formula);

// Whether what a node of a loop makes is rounded to 16 bits for who reads it: no loop holds both,
// for all that a loop makes stays in what it computes in until it is stored.
bool is_rounded(const ShapedGraph& shaped, size_t node);

}  // namespace mithril::cpu_backend
