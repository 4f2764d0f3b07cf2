// Models as JSON, and back; docs/model-json.md has the form.
#pragma once
#include <string>
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// A library model is written as its name and arguments, plus later additions. ValueError E0422 if
// models are nested too deep, E0424 if there are constraints.
std::string to_json(const Model& model);
// Makes the named models with make_model and runs nothing else. Each error names the place in the
// text, as /submodels/m1/args/axis: ParseError E0720 to E0727 for its form, NameError E0608 for an
// unknown model, E0640 for an unknown field, E0641 for an unknown part, and the errors of
// composing.
Model from_json(std::string_view text);

// The same parts in the same order, with the same connections, names, literals and statements:
// equal JSON forms. Trained parameters are not part of a model.
bool operator==(const Model& a, const Model& b);

}  // namespace mithril
