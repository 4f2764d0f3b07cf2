// Reads facts about the connections of a model whose parts exist.
#pragma once
#include "mithril/json/fields.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

// "assigned_types", and "types", which is another name for it.
void read_types(Model& model, const Fields& fields, const Place& place);
void read_facts(Model& model, const Fields& fields, const Place& place);

}  // namespace mithril
