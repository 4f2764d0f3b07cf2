// What a checkpoint file holds.
#pragma once

#include "mithril/serialization/safetensors.hpp"

namespace mithril {

struct CheckpointParts;  // checkpoint.hpp

// The field of the metadata with the prefix of the memory of the optimizer.
inline constexpr const char* optimizer_field = "mithril.optimizer";

// The tensors and the metadata of the file. `optimizer`: its state; null: none.
LoadedTensors checkpoint_contents(const TensorMap& params, const CheckpointParts& parts,
                                  const TensorMap* optimizer);

}  // namespace mithril
