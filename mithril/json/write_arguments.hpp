// The arguments of a part as its JSON form has them.
#pragma once
#include "mithril/json/json.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

// Adds "name", "args" and "tuples": arguments in the order of their definition, without defaults.
void write_op(const OpPart& part, Json::Object& fields);
void write_recipe(const Recipe& recipe, Json::Object& fields);

}  // namespace mithril
