// A graph with concrete sizes, for interpreters and execution plans.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "mithril/eval/size_sources.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

struct PlannedNode {
  const OpDef* op = nullptr;
  std::vector<Datum> values{};    // per argument; None if it is a tensor
  std::vector<Tensor> scalars{};  // the arguments that are numbers, as tensors of rank 0
  std::vector<int32_t>
      tensors{};  // per argument: an index of a value, or ~i for scalars[i], or `absent`
  std::vector<ValueId> outputs{};
  std::vector<Dims> output_dims{};
  std::vector<ValueId> released{};  // values that no later node reads
};
constexpr int32_t absent = INT32_MIN;

struct Plan {
  std::vector<Dims> inputs;  // that it was made for
  std::vector<PlannedNode> nodes;

  // The dims of each value of the graph, which are in the plan and in the graph's constants.
  std::vector<const Dims*> dims_of_values(const Graph& graph) const;
};

// Plans one node after the other, so that each may run before the next is planned.
class Planner {
 public:
  // The graph and its sizes outlive it. InputError if an input contradicts the graph's dims.
  Planner(const Graph& graph, const SizeSources& sizes, std::span<const Tensor> inputs);
  ~Planner();
  PlannedNode next();  // called once for each node

 private:
  class Sizes;
  std::unique_ptr<Sizes> sizes_;
};

// InputError if an input contradicts the graph's dims. Threads may plan with one graph at the same
// time.
Plan make_plan(const Graph& graph, const SizeSources& sizes, std::span<const Tensor> inputs);

// A placeholder input for planning. Its elements must not be read.
Tensor placeholder(DType dtype, Dims dims);

}  // namespace mithril
