// Parts that read the parameters and states of another part.
#pragma once
#include <vector>

#include "mithril/model/composite.hpp"
#include "mithril/model/connection.hpp"

namespace mithril {

// The bindings of a call, and for a part made by Model::shared also those of all other inputs but
// the canonical ones: to what the original part reads. A state is bound to its next value, so that
// uses of the part advance it one after the other. ConnectionError E0122 if the original part is
// not in a model.
Bindings with_shared_inputs(Part& part, const Bindings& given);

// The state pair with which a chain of states begins and the output with which it ends: a state
// whose input is the next value of another one is a part of its chain.
struct StateChain {
  const StatePair* first;
  Wire* output;
};
std::vector<StateChain> state_chains(const std::vector<StatePair>& states);

}  // namespace mithril
