// The axis of each value of a gradient graph that holds the samples of a batch.
#pragma once
#include <string>
#include <vector>

#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/op/sample_context.hpp"

namespace mithril {

// The inputs of the graph that carry samples, along their first axis.
struct BatchInputs {
  std::vector<ValueId> data;
  ValueId gradient{};  // of the losses; all that depends on it is linear in it
};

// Why a value is coupled.
struct Coupling {
  NodeId node{};         // the first one that mixes samples
  std::string why;       // "in training mode it normalises by statistics of the batch"
  bool no_rule = false;  // its op has no rule for samples
};

struct SampleAxes {
  std::vector<SampleAxis> axes;     // per value of the graph
  std::vector<int> coupled_by;      // per value: an index of couplings; -1: not coupled
  std::vector<Coupling> couplings;  // in the order of the nodes
  const SampleAxis& of(ValueId id) const { return axes[index(id)]; }
};

// `sizes`: a plan of the graph for this batch. If the batch is a size that nothing else has, a size
// never looks like the batch by accident.
SampleAxes find_sample_axes(const Graph& graph, const Plan& sizes, int64_t batch,
                            const BatchInputs& inputs);

}  // namespace mithril
