// Reads the parameters and states of a package.
#pragma once

#include "mithril/compile/compiled_model.hpp"
#include "mithril/package/files.hpp"

namespace mithril {

struct PackageTensors {
  TensorMap params;
  State state;
};

// The tensors of model.safetensors or of the shards of its index. Errors as load_safetensors;
// ParseError E0764 without both.
PackageTensors read_tensors(const PackageFiles& files);

}  // namespace mithril
