// A compiled model as graphs of concrete sizes, for generators of code.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

struct ExportedInput {
  enum class Role : uint8_t { data, parameter, state };
  std::string key;
  Role role = Role::data;
  Dims dims = {};
  std::optional<Tensor> initial = {};  // of a state
  bool frozen = false;                 // a parameter without a gradient

  bool is_trained() const { return role == Role::parameter && !frozen; }
};

struct ExportedOutput {
  std::string key;          // of a next state: the key of the state
  size_t index = 0;         // among graph.outputs()
  bool next_state = false;  // the state of the next evaluation
};

struct ExportedModel {
  Graph graph;
  std::vector<ExportedInput> inputs;    // in the order of graph.inputs()
  std::vector<ExportedOutput> outputs;  // the visible outputs, then the next states
  // Takes the inputs, then an incoming gradient for each of `gradient_of`. Returns the outputs of
  // `graph`, then a gradient for each parameter that is trained. None: there are no gradients.
  std::optional<Graph> gradients = {};
  std::vector<size_t> gradient_of = {};  // of `outputs`
};

}  // namespace mithril
