// Checkpoints of a training run: parameters, optimizer, state and model in one file.
#pragma once

#include <optional>
#include <string>

#include "mithril/model/model.hpp"
#include "mithril/optim/grad_scaler.hpp"
#include "mithril/serialization/safetensors_header.hpp"
#include "mithril/training/training_step.hpp"

namespace mithril {

// The contents of a checkpoint besides the parameters; null: left out.
struct CheckpointParts {
  const Model* model = nullptr;
  const Optimizer* optimizer = nullptr;
  const TrainingStep* step = nullptr;  // its state: running statistics and random keys
  const State* state = nullptr;        // instead of `step`, as evaluate returned it
  const GradScaler* scaler = nullptr;  // left out if it is disabled
  // The user's texts by name. Names that begin with "mithril." are reserved.
  FileMetadata metadata = {};
};

struct Checkpoint {
  TensorMap params;
  std::optional<Model> model = {};
  TensorMap optimizer = {};  // for Optimizer::load_state_dict; empty if there was none
  State state = {};          // for TrainingStep::set_state and evaluate; empty if there was none
  std::optional<LossScale> scaler = {};  // for GradScaler::load_state_dict
  FileMetadata metadata = {};            // the other texts of the file, "format" included
};

// Writes a checkpoint atomically. It is a safetensors file with the parameters under their names,
// the states of optimizer, model and scaler behind prefixes, and the model as JSON in the metadata.
// Errors as save_safetensors and to_json. With a step StateError E0925 if parameters are blocks
// (CompileOptions::placements). Example:
//   ml::save("run.safetensors", params, {.model = &net, .optimizer = &adam, .step = &step});
void save(const std::string& path, const TensorMap& params, const CheckpointParts& parts = {});

// Reads the checkpoint at the path. Of another safetensors file, index or folder it returns the
// tensors as params, and so of a .npz file (as load_npz) and of a .pt, .pth or .bin file (as
// load_torch). Errors as load_safetensors, load_npz, load_torch and from_json. A run continues with
// the same bits:
//   ml::Checkpoint saved = ml::load("run.safetensors");
//   ml::TensorMap params = compiled.load_state_dict(saved.params);
//   adam.load_state_dict(saved.optimizer);
//   step.set_state(saved.state);
Checkpoint load(const std::string& path);

}  // namespace mithril
