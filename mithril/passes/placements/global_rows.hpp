// The numbers of rows of whole batches, computed in the graph.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/expression.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// Each process writes its number of rows at its place in zeros. The sum over the processes holds
// the rows of each, from which follow the rows of the batch and the first row of this process.
class GlobalRows {
 public:
  // Adds the exchange to the graph, which has no nodes yet. All outlive it.
  GlobalRows(Graph& graph, const BatchRows& rows, const PlacementOptions& options,
             const std::string& scope);

  // A size of this process as it would be for the whole batch, as a tensor of rank 0. StateError
  // E0953 if it is not a multiple of the number of rows plus a number.
  Expression number(const Dim& dim, DType dtype, const std::string& path);
  // The first row of this process in a batch, and the number of all rows of the batch: int64.
  const Expression& first(size_t batch);
  Expression count(size_t batch);

  // The values of the exchange.
  std::vector<ValueId> exchanged() const { return local_; }

 private:
  struct Batch {
    std::optional<Expression> counts = {}, total = {}, first = {};
  };
  struct Number {
    Dim dim;
    DType dtype;
    ValueId value;
  };

  Expression constant(const std::string& name, Tensor tensor);
  const Expression& counts(size_t batch);
  const Expression& total(size_t batch);

  Graph& graph_;
  const BatchRows& rows_;
  const PlacementOptions& options_;
  const std::string& scope_;
  std::vector<ValueId> local_, started_;
  std::vector<Batch> batches_;
  std::vector<Number> numbers_;
};

// Adds an exchange: all_reduce_start, then all_reduce_wait, whose outputs take these names.
std::vector<ValueId> start_all_reduce(Graph& graph, const std::vector<ValueId>& values,
                                      const PlacementOptions& options, Reduction reduction);
std::vector<ValueId> wait_all_reduce(Graph& graph, const std::vector<ValueId>& started,
                                     const std::vector<std::string>& names);

}  // namespace mithril
