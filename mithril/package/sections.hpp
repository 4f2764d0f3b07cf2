// Parameters and states in one set of tensors, as ml::save writes them.
#pragma once

#include <string>
#include <vector>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/package/files.hpp"
#include "mithril/serialization/safetensors_header.hpp"

namespace mithril {

// The names of states are behind a prefix that no parameter has. The metadata names it.
class TensorSections {
 public:
  TensorSections(const TensorMap& params, const State& state);

  const TensorMap& tensors() const { return tensors_; }
  const FileMetadata& metadata() const { return metadata_; }

 private:
  TensorMap tensors_;
  FileMetadata metadata_;
};

struct PackageTensors {
  TensorMap params;
  State state;
};

// The tensors of model.safetensors or of the shards of its index. Errors as load_safetensors;
// ParseError E0764 without both.
PackageTensors read_tensors(const PackageFiles& files);

}  // namespace mithril
