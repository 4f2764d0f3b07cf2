// What a JSON form says about the connections of a model that has its parts.
#pragma once
#include "mithril/json/fields.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

void read_facts(Model& model, const Fields& fields, const Place& place);

}  // namespace mithril
