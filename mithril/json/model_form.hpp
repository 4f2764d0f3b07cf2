// The JSON form of a model as a tree, with its constraints: to change it and read it again.
#pragma once
#include <functional>
#include <vector>

#include "mithril/json/json.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

// The form of a part that is changed and read again in the same process: it has constraints, too,
// by their numbers in `functions`. ValueError E0422 if models are nested too deep, E0424 if there
// are constraints in a training model.
using Functions = std::vector<std::function<bool(Solver&)>>;
Json model_form(const Part& part, Functions& functions);
// `opened`: a model of the library becomes one that its user composed of the same parts.
Model from_form(const Json& form, const Functions& functions, bool opened = false);

}  // namespace mithril
