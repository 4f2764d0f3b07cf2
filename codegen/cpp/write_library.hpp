// A compiled model as a shared library with the C interface of mithril.h.
#pragma once

#include <string>

#include "mithril/graph/exported_model.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

struct LibraryFiles {
  std::string source;       // the path of the C++17 file to be written
  std::string weights;      // the path of the file of the parameters, beside the library
  std::string exports;      // the path of the linker's list of symbols
  std::string name;         // of the model
  std::string header = {};  // the path of a copy of mithril.h; empty: none
};

// Writes the source of a library that runs this model and needs only the standard library of C++,
// and the parameters as a file that the library maps. StateError E0922 for a model with a state;
// InputError E0801 for a missing parameter, E0804 for one of other dims; BackendError E1030 if a
// file cannot be written; errors as cpp_source.
void write_library(const ExportedModel& model, const TensorMap& params, const LibraryFiles& files);

}  // namespace mithril
