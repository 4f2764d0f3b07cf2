// The model that a JSON form names, made with its arguments.
#pragma once
#include "mithril/json/fields.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

Model make_named(const std::string& name, const Place& place);
// "name", "args", "tuples", "enums". `opened` as in from_form.
Model make_named(const Fields& fields, const Place& place, bool opened = false);

}  // namespace mithril
