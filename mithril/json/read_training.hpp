// A training model from its JSON form.
#pragma once
#include "mithril/json/fields.hpp"
#include "mithril/train_model/train_model.hpp"

namespace mithril {

// The reader of nested models.
using ReadModel = Model (*)(const Json& json, const Place& place);

bool is_training(const Json& json);  // "name": "TrainModel", or a "model" and no name
Model read_training(const Json& json, const Place& place, ReadModel read);

}  // namespace mithril
