#include "mithril/training/checkpoint.hpp"

#include <algorithm>
#include <utility>

#include "mithril/json/model_json.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/tensor_sections.hpp"
#include "mithril/training/checkpoint_contents.hpp"

namespace mithril {
namespace {

// Fields of the metadata. The value of the last one is the prefix of a section.
constexpr const char *model_field = "mithril.model", *scaler_field = "mithril.scaler";

TensorMap tensors_of(const LossScale& state) {
  return {{"scale", Tensor::scalar(state.scale)},
          {"growth_factor", Tensor::scalar(state.growth_factor)},
          {"backoff_factor", Tensor::scalar(state.backoff_factor)},
          {"growth_interval", Tensor::scalar(state.growth_interval)},
          {"growth_tracker", Tensor::scalar(state.growth_tracker)}};
}

std::optional<LossScale> loss_scale_of(const TensorMap& tensors) {
  if (tensors.empty()) return {};
  const auto count = [&](const char* name) {
    return static_cast<std::int64_t>(tensors.at(name).item());
  };
  return LossScale{.scale = tensors.at("scale").item(),
                   .growth_factor = tensors.at("growth_factor").item(),
                   .backoff_factor = tensors.at("backoff_factor").item(),
                   .growth_interval = count("growth_interval"),
                   .growth_tracker = count("growth_tracker")};
}

void refuse_blocks(const CompiledModel& model, const TensorMap& params) {
  const std::vector<std::string> sharded = model.sharded_keys();
  std::vector<Fact> blocks;
  for (const auto& [key, shape] : model.shapes()) {
    const Tensor* tensor = params.find(key);
    const bool is_sharded = std::find(sharded.begin(), sharded.end(), key) != sharded.end();
    if (tensor && is_sharded && to_string(tensor->dims()) != to_string(shape))
      blocks.push_back({key, to_string(tensor->dims())});
  }
  if (blocks.empty()) return;
  raise({.kind = ErrorKind::state,
         .code = "E0925",
         .message = "save needs whole parameters, and this process holds blocks",
         .facts = std::move(blocks),
         .help = "call gather_parameters(params) of the compiled model on all processes before"});
}

}  // namespace

LoadedTensors checkpoint_contents(const TensorMap& params, const CheckpointParts& parts,
                                  const TensorMap* optimizer) {
  LoadedTensors file{params.share(), parts.metadata};
  file.metadata["format"] = "mithril";
  if (parts.model) file.metadata[model_field] = to_json(*parts.model);
  if (optimizer) add_section(file, optimizer_field, "optimizer:", *optimizer);
  if (parts.step) add_section(file, state_field, state_prefix, parts.step->state());
  if (parts.state && !parts.step) add_section(file, state_field, state_prefix, *parts.state);
  if (parts.scaler && parts.scaler->is_enabled())
    add_section(file, scaler_field, "scaler:", tensors_of(parts.scaler->state_dict()));
  return file;
}

void save(const std::string& path, const TensorMap& params, const CheckpointParts& parts) {
  if (parts.step) refuse_blocks(parts.step->compiled(), params);
  std::optional<TensorMap> memory;
  if (parts.optimizer) memory = parts.optimizer->state_dict();
  LoadedTensors file = checkpoint_contents(params, parts, memory ? &*memory : nullptr);
  save_safetensors(path, file.tensors, {.metadata = std::move(file.metadata)});
}

Checkpoint load(const std::string& path) {
  const auto has_suffix = [&](const char* suffix) { return path.ends_with(suffix); };
  if (has_suffix(".npz")) return {.params = load_npz(path)};
  if (has_suffix(".pt") || has_suffix(".pth") || has_suffix(".bin")) {
    return {.params = load_torch(path)};
  }
  LoadedTensors loaded = load_safetensors(path);
  Checkpoint checkpoint;
  const auto model = loaded.metadata.find(model_field);
  if (model != loaded.metadata.end()) checkpoint.model = from_json(model->second);
  checkpoint.optimizer = take_section(loaded, optimizer_field);
  checkpoint.state = State(take_section(loaded, state_field));
  checkpoint.scaler = loss_scale_of(take_section(loaded, scaler_field));
  checkpoint.params = std::move(loaded.tensors);
  for (auto& [name, text] : loaded.metadata) {
    if (!name.starts_with("mithril.")) checkpoint.metadata[name] = std::move(text);
  }
  return checkpoint;
}

}  // namespace mithril
