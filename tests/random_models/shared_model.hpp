// Random models with an open number of rows, and values for their graphs.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/tensor/tensor.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

struct SharedModel {
  Model model;
  std::set<std::string> sharded;  // inputs with rows of the batch
};

// The first axis of some inputs is a batch: those with as many rows as a random one of them.
SharedModel share(const RandomModel& random, Random& choose);
// `dims`: of the inputs that are not inputs of the model, such as incoming gradients.
std::vector<Tensor> values_of(const Graph& graph, const RandomModel& random, Random& choose,
                              const std::map<std::string, Dims>& dims);

}  // namespace mithril::tests
