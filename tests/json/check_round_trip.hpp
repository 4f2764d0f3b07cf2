// Checks that a model written as JSON and read back is the same.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril::tests {

// Of its own text, keys, tables and graph; where the model has no graph, the same error.
void check_round_trip(const Model& model);

}  // namespace mithril::tests
