// Means, variances and batch norms over the rows of a batch, as sums.
#pragma once
#include "mithril/passes/placements/batch_rows.hpp"

namespace mithril {

// Names of new values begin with it.
constexpr const char* statistics_prefix = "statistics";

// Writes mean, variance, batch_norm_training and batch_norm_grad over rows as sums divided by the
// number of elements, and so the gradients of means and variances. The number of elements stands in
// the graph as a value with the symbol of the batch.
Graph expand_statistics(const Graph& graph, const BatchRows& rows);

}  // namespace mithril
