// Random compositions of ops, taken from the rows of the table: what the rows give to ports comes
// from other parts, from new inputs, or stays the value that it is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"
#include "tests/table/case.hpp"

namespace mithril::tests {

struct RandomPart {
  std::string op;
  Bindings bindings;  // every tensor and every output by name
};

struct RandomModel {
  std::uint64_t seed = 0;
  std::vector<RandomPart> parts;  // each after those that it reads
  std::vector<std::pair<std::string, TensorSpec>> inputs;
  std::vector<std::string> refusals;  // of parts that did not fit, and changed nothing
};

// The same for the same seed. Every part fits: a part that inference refuses is left out. Throws
// std::logic_error where a refused part has left a trace in the model.
RandomModel random_model(std::uint64_t seed);

struct Composing {
  bool shapes = true;                 // the shapes of the inputs are set
  bool nested = false;                // the first half of the parts is a model of its own
  std::uint64_t order = 0;            // of parts and shapes; 0: parts first to last, then shapes
  std::vector<Tensor> literals = {};  // of the first inputs: they are constants then
};
Model compose(const RandomModel& random, const Composing& how = {});

// For messages: one line for each part.
std::string description(const RandomModel& random);

}  // namespace mithril::tests
