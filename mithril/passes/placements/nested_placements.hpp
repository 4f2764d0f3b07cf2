// Placements of loops and choices whose graphs read rows.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/found_placements.hpp"
#include "mithril/passes/placements/probe.hpp"

namespace mithril {

struct NestedPlacements {
  std::vector<Placement> outputs = {};  // of the node
  std::vector<size_t> masked = {};      // arguments of the node that the first process alone adds
  std::string why = {};                 // the node cannot be placed; empty: it can
};

// Whether its output is a tensor of zeros: the terms of a sum that is zero.
bool makes_zeros(const Node& node);

using FindPlacements =
    std::function<FoundPlacements(const Graph&, const BatchRows&, const Probe&,
                                  const PlacementOptions&, const std::vector<Placement>* inputs)>;

// `placements`, `dims`: of the arguments, which are sharded or replicated. The graphs of the node
// run on the rows of the process and exchange nothing: a sum over the rows leaves the node as a
// term. A carry that becomes such a term begins as one. `find` is `find_placements`, whose errors
// it raises.
NestedPlacements place_nested(const Node& node, const std::vector<Placement>& placements,
                              const std::vector<Dims>& dims, int64_t batch,
                              const PlacementOptions& options, const FindPlacements& find);

}  // namespace mithril
