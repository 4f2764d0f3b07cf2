#include "backends/cpu/elementwise/clamp.hpp"

#include <limits>

namespace mithril::cpu_backend {

std::optional<Clamp> in_place_clamp(const ShapedGraph& shaped, const ElementwiseProgram& program,
                                    const BufferRefs& refs) {
  if (program.inputs.size() != 1 || program.outputs.size() != 1) return {};
  const ValueId input = program.inputs.front(), output = program.outputs.front().value;
  const bool in_place = refs[index(input)] == refs[index(output)];
  const bool float32 =
      shaped.dtype(input) == DType::float32 && shaped.dtype(output) == DType::float32;
  if (!in_place || !float32 || program.input_dims.front() != program.dims) return {};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Clamp clamp{-infinity, infinity};
  Slot last = 0;  // the input, then the result of the last instruction
  for (const Instruction& at : program.instructions) {
    const bool of_constant = at.from[0] > 0 && at.from[0] < program.first_made();
    const bool is_first = last == 0;
    if (!of_constant || at.from[1] != last) return {};
    const auto limit = static_cast<float>(program.constants[static_cast<size_t>(at.from[0] - 1)]);
    if (at.operation == Operation::greater && is_first) {
      clamp.low = limit;
    } else if (at.operation == Operation::lesser && clamp.high == infinity) {
      clamp.high = limit;
    } else {
      return {};
    }
    last = at.to;
  }
  if (last == 0 || program.outputs.front().slot != last) return {};
  return clamp;
}

}  // namespace mithril::cpu_backend
