// Copies whole models, and the parts that compute some connections, for Model::create.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/composite.hpp"
#include "mithril/model/connection.hpp"

namespace mithril {

// A new model with copies of the parts that the connections need, and the connections in it. Names,
// literals, initializers, states, constraints and facts about shapes, types and values are copied,
// too. The models that the connections belong to do not change.
std::pair<std::shared_ptr<Composite>, std::vector<Connection>> copy_of(
    const std::vector<Connection>& connections);

// A new model that is equal to this one: with its parts, names, statements and, if it is a part,
// with what is known about it inside the model that it belongs to.
std::shared_ptr<Composite> copy_of(const std::shared_ptr<Composite>& model);

}  // namespace mithril
