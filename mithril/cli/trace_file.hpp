// Reads traces of profiles.
#pragma once

#include <map>
#include <string>

#include "mithril/model/model.hpp"

namespace mithril::cli {

// The seconds and the bytes of the parts of a model, as ViewOptions::measured: the steps of a trace
// that Profile::save wrote, by their layers. Layers that are not parts of the model are left out.
// InputError E0830 if the file cannot be read, E1351 if it is not a trace, or has no step of the
// model; ParseError E0720 to E0725 if it is not JSON.
std::map<std::string, std::map<std::string, double>> measured_in_trace(const std::string& path,
                                                                       const Model& model);

}  // namespace mithril::cli
