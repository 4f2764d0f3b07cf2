// The gradient graph of a model with an optimizer's step.
#pragma once

#include <cstddef>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/training_options.hpp"

namespace mithril {

// For each parameter the graph takes the numbers of its step and its slots as further inputs, and
// gives the parameter and its slots after the step as further outputs.
struct TrainingGraph {
  Graph graph;
  std::vector<Donation> donations = {};  // one for each of these outputs
};

// `gradients`: a graph whose last outputs are the gradients of these inputs. TypeError E0382 for
// one that is neither float32 nor float64.
TrainingGraph training_graph(Graph gradients, const std::vector<size_t>& parameters,
                             const Optimizer& optimizer, const TrainingOptions& options);

}  // namespace mithril
