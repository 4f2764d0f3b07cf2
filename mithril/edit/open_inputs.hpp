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
// ConnectionError E0124 for inputs of the part of this id that have no default and that nothing in
// the form gives: they would become inputs of the model that nobody has named. Parameters of layers
// are such inputs by their nature. So are those of a composed part that compiling would train: they
// may hold floats, are not canonical and are not declared to be data.
void refuse_open_inputs(const LevelForm& form, const std::string& id, const Call& call,
                        const EditPlace& place);

}  // namespace mithril
