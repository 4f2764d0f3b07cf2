// vmap of graphs that nodes contain.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/batching.hpp"
#include "mithril/graph/expression.hpp"

namespace mithril {

// Which indices of the new axis a graph is computed for.
enum class BatchedIndices : char { all, chosen };

// A graph that computes what a nested graph computes for each index of a new first axis.
class BatchedGraph {
 public:
  // `graph` has symbols of its own. `size` is that of the axis, in the graph around it. `batched`:
  // which inputs have the axis. For `chosen` indices the graph has one more input, the last one:
  // [size] bools, at least one of which is true. The other indices compute what the first chosen
  // one computes, so they make no NaN and run no longer. ValueError E0427 for ops without a rule.
  BatchedGraph(const Graph& graph, const Dim& size, const std::vector<bool>& batched,
               BatchedIndices indices = BatchedIndices::all);

  // Whether an output has the axis.
  bool is_batched(size_t output) const { return results_[output].batched; }
  void repeat(size_t output);      // gives the output the axis
  void become_any(size_t output);  // replaces an output of bools by whether any index has true

  // What the outputs need. Inputs and outputs have their names in the nested graph.
  Graph graph() const;

 private:
  struct Result {
    ValueId value;
    bool batched;
  };

  Expression expression(ValueId id) { return {&joint_, id, &prefix_}; }
  ValueId add_batched_input(ValueId id);
  std::vector<bool> needed_nodes() const;

  Graph nested_;
  std::string prefix_;
  Dim size_;
  Graph joint_;                  // the nested graph, and what Batching adds
  std::vector<ValueId> inputs_;  // of the joint graph
  std::vector<Result> results_;  // per output
};

// The step of a loop, whose first `carries` inputs and outputs a step passes to the next. A carry
// has the axis if its first value or its next one has it; `batched` is set for these carries.
BatchedGraph batched_step(const Graph& body, size_t carries, const Dim& size,
                          std::vector<bool>& batched);

// Whether an element of a tensor of bools is true.
Expression any_of(const Expression& bools);

}  // namespace mithril
