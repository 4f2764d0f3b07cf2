// Parts that read the parameters and states of another part.
#pragma once
#include <vector>

#include "mithril/model/composite.hpp"
#include "mithril/model/connection.hpp"

namespace mithril {

// Completes the bindings of a call. Every input of a part made by Model::shared that is neither
// bound nor canonical is bound to what the original part reads; a state is bound to its next value,
// so that the places advance it one after the other. Bindings of other parts do not change.
// ConnectionError E0122 if the original part is not in a model.
Bindings with_shared_inputs(Part& part, const Bindings& given);

// One state that several places advance: the input of each pair is the output of the pair before.
struct StateChain {
  const StatePair* first;
  Wire* output;
};
std::vector<StateChain> state_chains(const std::vector<StatePair>& states);

}  // namespace mithril
