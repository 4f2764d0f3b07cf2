// For the files of library models: the first and the last step of making one.
#pragma once
#include "mithril/models/library.hpp"

namespace mithril {

// Its parts are named after the class: model_of_class("Linear") is called linear where nobody names
// it.
Model model_of_class(const std::string& name);

// The model with this output; `input` and `output` are its canonical ports.
Model finished(Model model, const Connection& output);

}  // namespace mithril
