// All that a model is and knows, as text: two models are in the same state where their dumps agree.
#pragma once

#include <string>

#include "mithril/model/composite.hpp"

namespace mithril::tests {

// Of the root that the model belongs to: every part, wire, name, fact and list.
std::string dump(const std::shared_ptr<Composite>& model);
std::string dump(const Model& model);

}  // namespace mithril::tests
