// The axis of each value of a gradient graph that holds the samples of a batch.
#pragma once
#include <map>
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
  // No size is a multiple of the batch by accident: an axis of such a size belongs to the batch.
  // If false, a value without samples is read as shared wherever the node allows it.
  bool distinct = false;
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
  // Per node that reads a shared value as one that carries samples: the axes of its arguments.
  // Zeros [B, 4] are shared, and their rows are those of the samples in a product over the batch.
  std::map<NodeId, std::vector<SampleAxis>> read_as;

  const SampleAxis& of(ValueId id) const { return axes[index(id)]; }
  // The axis of the node's argument i, which is the value `id`.
  const SampleAxis& of(NodeId node, size_t i, ValueId id) const {
    const auto found = read_as.find(node);
    return found == read_as.end() ? of(id) : found->second[i];
  }
};

// `sizes`: a plan of the graph for this batch.
SampleAxes find_sample_axes(const Graph& graph, const Plan& sizes, int64_t batch,
                            const BatchInputs& inputs);

}  // namespace mithril
