#include "mithril/training/checkpoint.hpp"

#include <algorithm>

#include "mithril/json/model_json.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/safetensors.hpp"

namespace mithril {
namespace {

// Fields of the metadata. The values of the last three are prefixes.
constexpr const char *model_field = "mithril.model", *optimizer_field = "mithril.optimizer",
                     *state_field = "mithril.state", *scaler_field = "mithril.scaler";

// A prefix that no key of a parameter has.
std::string free_prefix(std::string prefix, const TensorMap& params) {
  const auto taken = [&](const TensorMap::Item& item) { return item.key().starts_with(prefix); };
  while (std::any_of(params.begin(), params.end(), taken)) prefix += ':';
  return prefix;
}

// Moves the tensors behind the prefix that the metadata names to a map of their own.
TensorMap take_section(LoadedTensors& loaded, const char* field) {
  const auto prefix = loaded.metadata.find(field);
  if (prefix == loaded.metadata.end()) return {};
  std::vector<TensorMap::Item> section, others;
  for (const auto& [key, tensor] : loaded.tensors) {
    if (key.starts_with(prefix->second)) {
      section.emplace_back(key.substr(prefix->second.size()), tensor);
    } else {
      others.emplace_back(key, tensor);
    }
  }
  loaded.tensors = TensorMap(std::move(others));
  return TensorMap(std::move(section));
}

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

}  // namespace

void save(const std::string& path, const TensorMap& params, const CheckpointParts& parts) {
  TensorMap all = params.share();
  FileMetadata metadata = parts.metadata;
  metadata["format"] = "mithril";
  const auto add_section = [&](const char* field, const char* name, const TensorMap& tensors) {
    const std::string prefix = free_prefix(name, params);
    metadata[field] = prefix;
    all.merge(tensors.with_prefix(prefix));
  };
  if (parts.model) metadata[model_field] = to_json(*parts.model);
  if (parts.optimizer) add_section(optimizer_field, "optimizer:", parts.optimizer->state_dict());
  if (parts.step) add_section(state_field, "state:", parts.step->state());
  if (parts.state && !parts.step) add_section(state_field, "state:", *parts.state);
  if (parts.scaler && parts.scaler->is_enabled())
    add_section(scaler_field, "scaler:", tensors_of(parts.scaler->state_dict()));
  save_safetensors(path, all, {.metadata = std::move(metadata)});
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
