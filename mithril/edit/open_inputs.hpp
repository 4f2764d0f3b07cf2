// The inputs of a new part that an edit gives no value.
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

}  // namespace mithril
