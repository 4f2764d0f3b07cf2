// For the files of library models: an empty model of a class.
#pragma once
#include "mithril/models/library.hpp"

namespace mithril {

// Its parts are named after the class: model_of_class("Linear") is called linear where nobody names
// it.
Model model_of_class(const std::string& name);

}  // namespace mithril
