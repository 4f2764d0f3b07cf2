// Constraints: facts that a user's function states about the keys of a model.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mithril/model/composite.hpp"

namespace mithril {

// Model::add_constraint, as a change of its own.
void state_constraint(Composite& model, std::function<bool(Solver&)> constraint,
                      const std::vector<std::string>& keys);

}  // namespace mithril
