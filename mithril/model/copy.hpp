// Copies of what makes some connections: Model::create builds models of them.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/composite.hpp"

namespace mithril {

// A new model with copies of the parts that the connections need, and the connections in it. Names,
// literals, initializers, states, constraints and what is known of shapes, types and values go
// along. The models that the connections belong to stay as they are.
std::pair<std::shared_ptr<Composite>, std::vector<Connection>> copy_of(
    const std::vector<Connection>& connections);

// The wire of `model` that is a copy of the connection; null: there is none.
Wire* copied_wire(const Composite& model, const Connection& connection);

}  // namespace mithril
