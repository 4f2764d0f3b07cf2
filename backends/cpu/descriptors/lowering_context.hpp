// The context of lowering: the graph, the configuration and the analyses of one plan.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/config.hpp"
#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

class NativeCode;

struct LoweringContext {
  const ShapedGraph& shaped;
  const Config& config;
  PackedWeights& packed;
  // Per value: the source of the transpose (last two axes) while no step computes the value,
  // because all consumers so far read the source instead.
  const std::vector<std::optional<ValueId>>& transposes;
  const std::vector<int>& use_counts;  // per value: see count_uses
  const std::vector<bool>& observed;   // per node: the observer wants its outputs; empty: none
  NativeCode* native = nullptr;        // null: elementwise programs are interpreted

  bool is_observed(size_t node) const { return !observed.empty() && observed[node]; }
};

}  // namespace mithril::cpu_backend
