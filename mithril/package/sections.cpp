#include "mithril/package/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mithril/package/paths.hpp"
#include "mithril/serialization/safetensors.hpp"
#include "mithril/serialization/shards.hpp"

namespace mithril {
namespace {

constexpr const char* state_section = "mithril.state";  // as in mithril/training/checkpoint.cpp

struct NamedTensors {
  std::vector<TensorMap::Item> items;
  FileMetadata metadata;
};

SafetensorsFile opened(const PackageFiles& files, const std::string& name) {
  const StoredBytes* stored = files.find(name);
  if (!stored) refuse_package("E0764", files.where(name), "the file is missing");
  return SafetensorsFile::of(files.where(name), stored->bytes, stored->owner);
}

NamedTensors read_shards(const PackageFiles& files, const std::string& index_name) {
  const std::string where = files.where(index_name);
  const ShardIndex index = read_shard_index(files.find(index_name)->text(), where);
  std::map<std::string, SafetensorsFile> shards;
  NamedTensors read;
  for (const auto& [name, file] : index.files) {
    auto shard = shards.find(file);
    if (shard == shards.end()) {
      shard = shards.emplace(file, opened(files, file)).first;
      for (const auto& field : shard->second.metadata()) read.metadata.insert(field);
    }
    const StoredTensor* stored = shard->second.find(name);
    if (!stored) {
      refuse_package("E0747", where, fmt::format("the tensor '{}' is not in its shard", name),
                     {{"shard", file, ""}});
    }
    read.items.emplace_back(name, shard->second.tensor(*stored));
  }
  return read;
}

NamedTensors read_all(const PackageFiles& files) {
  const std::string index_name = index_path(tensors_name);
  if (!files.find(tensors_name) && files.find(index_name)) return read_shards(files, index_name);
  const SafetensorsFile file = opened(files, tensors_name);
  NamedTensors read{.metadata = file.metadata()};
  for (const StoredTensor& stored : file.stored())
    read.items.emplace_back(stored.name, file.tensor(stored));
  return read;
}

}  // namespace

TensorSections::TensorSections(const TensorMap& params, const State& state)
    : tensors_(params.share()), metadata_({{"format", "mithril"}}) {
  if (state.empty()) return;
  std::string prefix = "state:";
  const auto taken = [&](const TensorMap::Item& item) { return item.key().starts_with(prefix); };
  while (std::any_of(params.begin(), params.end(), taken)) prefix += ':';
  metadata_[state_section] = prefix;
  tensors_.merge(state.with_prefix(prefix));
}

PackageTensors read_tensors(const PackageFiles& files) {
  NamedTensors read = read_all(files);
  const auto prefix = read.metadata.find(state_section);
  std::vector<TensorMap::Item> params, states;
  for (const TensorMap::Item& item : read.items) {
    const bool is_state = prefix != read.metadata.end() && item.key().starts_with(prefix->second);
    if (is_state) {
      states.emplace_back(item.key().substr(prefix->second.size()), item.tensor().as_read_only());
    } else {
      params.emplace_back(item.key(), item.tensor().as_read_only());
    }
  }
  return {TensorMap(std::move(params)), State(TensorMap(std::move(states)))};
}

}  // namespace mithril
