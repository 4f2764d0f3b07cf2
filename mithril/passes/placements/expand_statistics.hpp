// Decomposition of means, variances and batch norms over the batch axis.
#pragma once
#include <optional>

#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/graph_part.hpp"

namespace mithril {

// Names of new values begin with it.
constexpr const char* statistics_prefix = "statistics";

// Decomposes mean, variance, batch_norm_training, batch_norm_grad and the gradients of means and
// variances over the batch axis into sums and a division by the number of elements. The number of
// elements is a value of the graph that contains the batch symbol. Empty if there are none.
std::optional<Graph> expand_statistics(const GraphPart& part, const BatchRows& rows);

}  // namespace mithril
