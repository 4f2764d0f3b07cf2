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
  // which inputs have the axis. For `chosen` indices the graph has one input more, the last one:
  // [size] bools, at least one of which is true. The other indices compute what the first of the
  // chosen ones computes, so they make no NaN and run for no longer. ValueError E0427.
  BatchedGraph(const Graph& graph, const Dim& size, const std::vector<bool>& batched,
               BatchedIndices indices = BatchedIndices::all);

  // Whether an output has the axis.
  bool is_batched(size_t output) const { return results_[output].batched; }
  void repeat(size_t output);      // gives it the axis
  void become_any(size_t output);  // whether it is true for any index: an output of bools

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

// The step of a loop. Its first inputs and outputs are `carries` values that a step passes to the
// next. A carry has the axis if its first value or its next one has it; `batched` is told so.
BatchedGraph batched_step(const Graph& body, size_t carries, const Dim& size,
                          std::vector<bool>& batched);

// Whether a tensor of bools has a true one.
Expression any_of(const Expression& bools);

}  // namespace mithril
