// Random compositions of ops from the rows of the op table: ports read other parts or new inputs,
// or keep the values of the row.
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
  std::vector<RandomPart> parts;  // each after its inputs
  std::vector<std::pair<std::string, TensorSpec>> inputs;
  std::vector<std::string> refusals;  // of parts that did not fit and changed nothing
};

// Equal seeds give equal models. A part that inference refuses is left out. Throws std::logic_error
// if a refused part has changed the model.
RandomModel random_model(std::uint64_t seed);
// Makes a model with this number of parts.
RandomModel random_model(std::uint64_t seed, std::size_t parts);

struct Composing {
  bool shapes = true;                 // the shapes of the inputs are set
  bool nested = false;                // the first half of the parts is a nested model
  std::uint64_t order = 0;            // of parts and shapes; 0: parts first to last, then shapes
  std::vector<Tensor> literals = {};  // of the first inputs: they are constants then
  // Models stand between the parts: without parts, without ports, and of constants only. Their
  // outputs begin with constant_filler.
  bool fillers = false;
};
inline constexpr const char* constant_filler = "filler";
Model compose(const RandomModel& random, const Composing& how = {});

// For messages: one line for each part.
std::string description(const RandomModel& random);

}  // namespace mithril::tests
