// The gradient graph of a model with an optimizer's step.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/training_options.hpp"
#include "mithril/passes/placements/place_beginning.hpp"

namespace mithril {

// The work of a call of a step: a whole update, only adding gradients to their sums, or adding the
// last ones and updating.
enum class StepPart { whole, accumulate, finish };

// Where the numbers of a step come from, such as bias corrections: from the caller, or from the
// number of the step.
enum class StepScalars { inputs, computed };

// A parameter to be updated: an input of the graph.
struct TrainedParameter {
  size_t input;
  StepRates rates;       // only the weight decay is part of the graph
  double lr_factor = 1;  // of its group, if the graph computes the numbers
};

// An input of the graph with the dims of a parameter, which is an input, too.
struct ParameterInput {
  size_t input, parameter;
};

// Further inputs of the graph: with accumulation, the sum of the gradients of each parameter; then,
// except in StepPart::accumulate, for each parameter the numbers of its step, the weight of its
// average, its slots and its average. If the graph computes these numbers, it has the counts and
// the rate instead, before all slots. Further outputs: what of these and of the parameters changes,
// except that the caller clears sums after StepPart::finish.
struct TrainingGraph {
  Graph graph;
  std::string prefix = {};                         // of the names of these inputs
  std::vector<Donation> donations = {};            // one for each of these outputs
  std::vector<ParameterInput> gradient_sums = {};  // the inputs that are sums of gradients
  std::vector<ParameterInput> memory = {};         // the inputs that are slots and averages
  std::optional<Beginning> gradient = {};          // of StepPart::whole: what precedes the update
  // Inputs of rank 0, with StepScalars::computed: the number of steps taken, int64; that of steps
  // in the averages, int64; and the learning rate, float64, unless it is always the same.
  std::optional<size_t> steps = {}, averaged = {}, lr = {};
};

// `gradients`: a graph whose last outputs are the gradients of these parameters. TypeError E0382
// for one that is not floating-point.
TrainingGraph training_graph(Graph gradients, const std::vector<TrainedParameter>& parameters,
                             const Optimizer& optimizer, const TrainingOptions& options,
                             StepPart part, StepScalars scalars = StepScalars::inputs);

// The outputs that replace slots and averages, by index, those of each parameter together.
std::vector<std::vector<size_t>> memory_outputs(const TrainingGraph& step);

}  // namespace mithril
