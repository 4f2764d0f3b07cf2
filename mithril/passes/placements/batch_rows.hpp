// Which symbols of a graph are batch sizes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class BatchRows {
 public:
  // `sharded`: per input, whether it holds rows of a batch along its first axis; the inputs after
  // its end hold none. StateError E0951 for such an input without a symbolic first axis.
  BatchRows(const Graph& graph, const std::vector<bool>& sharded);

  // The numbers of rows of the batches, as symbols. Inputs whose first axes are not known to be
  // equal count as different batches.
  const std::vector<Dim>& sizes() const { return sizes_; }
  // Whether the dim depends on a number of rows.
  bool has(const Dim& dim) const;
  bool has(const Datum& datum) const;
  // The dim if every batch had this number of rows.
  Dim with(const Dim& dim, int64_t rows) const;
  // The batch, an index of sizes(), on which the dim depends; none if there are several, or if the
  // dim depends on them in a way that is not known.
  std::optional<size_t> batch_of(const Dim& dim) const;

  // A symbol that is always equal to the number of rows of this batch, as inference did not find.
  void add_equal(const Dim& symbol, size_t batch) { equal_.emplace_back(symbol, batch); }
  // A symbol that depends on numbers of rows in a way that is not known.
  void add_unclear(const Dim& symbol) { unclear_.push_back(symbol); }

 private:
  int find(const Symbol* symbol) const;  // the batch; -1: none
  bool is_unclear(const Symbol* symbol) const;
  std::vector<Dim> sizes_;
  std::vector<std::pair<Dim, size_t>> equal_;  // and the batch of each
  std::vector<Dim> unclear_;
};

// `prefix`, with underscores after it if names of the graph begin with it and a dot.
std::string unused_prefix(const Graph& graph, std::string prefix);
// The symbols without definition that the dim depends on.
std::vector<Symbol*> leaves_of(const Dim& dim);

}  // namespace mithril
