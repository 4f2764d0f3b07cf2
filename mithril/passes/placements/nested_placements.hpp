// Placements of loops and choices whose graphs read rows.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mithril/graph/nested_graph.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/found_placements.hpp"
#include "mithril/passes/placements/probe.hpp"

namespace mithril {

struct NestedPlacements {
  std::vector<Placement> outputs = {};  // of the node
  std::vector<size_t> masked = {};      // arguments of the node that the first process alone adds
  std::shared_ptr<const NestedChanges> draws = {};  // null: the graphs draw no numbers for rows
  std::string why = {};                             // the node cannot be placed; empty: it can
  std::string help = {};                            // advice; empty: that of all nodes
};

// Whether its output is a tensor of zeros: the terms of a sum that is zero.
bool makes_zeros(const Node& node);

using FindPlacements =
    std::function<FoundPlacements(const Graph&, const BatchRows&, const Probe&,
                                  const PlacementOptions&, const std::vector<Placement>* inputs)>;

// Caches the placements of nested graphs, for one probe. So a nested graph is placed once for each
// placement of its inputs, however many loops are around it.
struct FollowedGraphs {
  struct Followed {
    std::vector<Placement> inputs;
    std::vector<Dims> dims;                      // of the inputs
    std::vector<std::optional<size_t>> batches;  // whose rows the inputs hold
    FoundPlacements found;
  };
  std::map<std::shared_ptr<const NestedGraph>, std::deque<Followed>> known = {};
};

// The arguments of a node: how they are placed, their sizes in the probe, and the batch whose rows
// each holds; none: it holds no rows, or its batch is not known.
struct NestedArguments {
  std::span<const Placement> placements;
  const std::vector<Dims>& dims;
  std::vector<std::optional<size_t>> batches = {};
};

NestedArguments arguments_of(const Graph& graph, const Node& node, const BatchRows& rows,
                             std::span<const Placement> placements, const std::vector<Dims>& dims);

// The graphs of the node run on the rows of the process and
// exchange nothing: a sum over the rows leaves the node as a partial sum. A carry that becomes
// partial is partial from the start, and so is a value that the graphs add to a sum. `find` finds
// the placements of a nested graph; its errors are raised.
NestedPlacements place_nested(const Node& node, const NestedArguments& arguments, int64_t batch,
                              const PlacementOptions& options, const FindPlacements& find,
                              FollowedGraphs& followed);
// Whether the graphs of a loop or a choice that reads rows compute with terms of sums, so that it
// can be placed without the sums. Takes the same.
bool takes_terms(const Node& node, const NestedArguments& arguments, int64_t batch,
                 const PlacementOptions& options, const FindPlacements& find,
                 FollowedGraphs& followed);

}  // namespace mithril
