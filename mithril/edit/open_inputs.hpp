// The inputs of a new part: those that an edit gives no value, and those that were of the old part.
#pragma once
#include <string>

#include "mithril/edit/level_form.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

bool is_bound(const Call& call, const std::string& port);
// Whether the port of a part that is in no model has a value of the part itself.
bool has_argument(const Model& part, const std::string& port);

struct EditPlace {
  std::string path, edit;  // "head.input", "insert_before('head.input', Add)"
  Model part;              // at the path, before the edit
};
// Raises ConnectionError E0124 if an input of the part with this id has no default and no value in
// the form: it would become an input of the model that nobody has named. Parameters of layers may
// stay open. So may inputs of a composed part that compiling would train: those that may hold
// floats, are not canonical and are not declared to be data.
void refuse_open_inputs(const LevelForm& form, const std::string& id, const Call& call,
                        const EditPlace& place);

// Whether the only key of the net is the path of this port, and nothing else has a place in it:
// ml.from_torch names parameters so.
bool is_own_parameter(const FormNet& net, const std::string& id, const std::string& port);
// A new part that refuses the shape that was stated of such a parameter has another parameter
// there: what was stated of the old one goes with the old part.
void forget_old_parameters(LevelForm& form, const std::string& id, const Model& part);

}  // namespace mithril
