// The whole state of a model as text: two models are in the same state if their dumps are equal.
#pragma once

#include <string>

#include "mithril/model/composite.hpp"

namespace mithril::tests {

// Dumps the root of the model: every part, wire, name, fact and list.
std::string dump(const std::shared_ptr<Composite>& model);
std::string dump(const Model& model);

}  // namespace mithril::tests
