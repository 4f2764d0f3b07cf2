// The metadata of safetensors files.
#pragma once

#include "convert.hpp"
#include "mithril/serialization/safetensors_header.hpp"

namespace mithril::python {

// The metadata in a dict of texts, or None. TypeError for anything else.
FileMetadata metadata_of(py::handle given);

}  // namespace mithril::python
