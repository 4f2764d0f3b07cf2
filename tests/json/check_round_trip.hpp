// Checks that a model written as JSON and read back is the same.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril::tests {

// Compares text, keys, tables and graph with those of the model read back; if the model has no
// graph, compares the errors.
void check_round_trip(const Model& model);

}  // namespace mithril::tests
