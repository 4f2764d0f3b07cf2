// The JSON form of a training model.
#pragma once
#include "mithril/json/json.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

using WriteModel = Json (*)(const Part& part);

// Losses on one output are written in output_specs, up to the first loss of another form.
void write_training(const Composite& model, Json::Object& fields, WriteModel write);

}  // namespace mithril
