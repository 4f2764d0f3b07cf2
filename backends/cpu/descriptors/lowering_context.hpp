// What descriptors of steps may know of the plan that they are for.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

class NativeCode;

struct LoweringContext {
  const ShapedGraph& shaped;
  PackedConstants& packed;
  int threads = 1;  // at most, that a step may use
  // Per value: what it is with its last two axes exchanged, where it is made only for who cannot
  // read it so.
  const std::vector<std::optional<ValueId>>& transposes;
  const std::vector<int>& use_counts;  // per value: arguments of nodes, outputs, and who looks on
  bool winograd = true;                // convolutions may use his algorithm
  NativeCode* native = nullptr;        // null: loops are interpreted
  // In which products hold a constant right side; nothing: in its own.
  std::optional<DType> weight_dtype = {};
  bool bfloat16_products = true;  // by the processor's instruction, where it has one
};

}  // namespace mithril::cpu_backend
