// Several maps of tensors in one file. A section is the tensors whose keys begin with a prefix,
// which a field of the metadata names.
#pragma once

#include <string>

#include "mithril/serialization/safetensors.hpp"

namespace mithril {

// The field of the section with a model's states, and the prefix that it usually has.
inline constexpr const char *state_field = "mithril.state", *state_prefix = "state:";

// Adds the tensors, which share their elements. ':' is appended to the prefix until no key of the
// file begins with it.
void add_section(LoadedTensors& file, const std::string& field, std::string prefix,
                 const TensorMap& section);

// Removes the tensors of a section from the file and returns them without the prefix; empty if the
// metadata has no such field.
TensorMap take_section(LoadedTensors& file, const char* field);

}  // namespace mithril
