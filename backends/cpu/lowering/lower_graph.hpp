// What a graph takes to run, step by step, and in what memory its values are made.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::cpu_backend {

struct LoweringOptions {
  bool fuse = true;  // nodes may run together; else one by one
  std::span<const DonatedBuffer> donated = {};
  const Observer* observer = nullptr;        // null: nobody looks
  const std::vector<bool>* shown = nullptr;  // per node, where somebody does: whether it is wanted
};

// The context sees `transposes` change as steps are added. Inputs are given at the bases from 1 on,
// and then the constants; nothing is known of where other values stand, nor of who reads them last.
LoweredGraph lower_graph(const LoweringContext& context,
                         std::vector<std::optional<ValueId>>& transposes,
                         const LoweringOptions& options);

}  // namespace mithril::cpu_backend
