// Builds the graph and the key tables of one mode from a composed model.
#pragma once

#include "mithril/compile/compiled_state.hpp"

namespace mithril {

// The graph of one mode, with the states that it reads and the states that it changes.
struct ModeGraph {
  Graph graph;
  std::vector<InputKey> inputs;
  std::vector<FlatState> read, changed;
  std::vector<std::string> outputs;  // that the user sees
};

// For these outputs; null: all, in inference mode without losses and metrics.
ModeGraph settle(const FlatComposition& composed, Mode mode,
                 const std::vector<std::string>* outputs = nullptr);

// Fills in everything except the programs, for compiled.mode; `outputs` as for settle. ShapeError
// E0209 for a state whose shape is not known; BackendError E1001 for ops that the backend lacks.
void assemble(CompiledState& compiled, const FlatComposition& composed,
              const std::vector<std::string>* outputs = nullptr);

}  // namespace mithril
