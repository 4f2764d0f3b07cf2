#include "mithril/package/read_tensors.hpp"

#include <fmt/format.h>

#include <map>

#include "mithril/package/paths.hpp"
#include "mithril/serialization/shards.hpp"
#include "mithril/serialization/tensor_sections.hpp"

namespace mithril {
namespace {

SafetensorsFile opened(const PackageFiles& files, const std::string& name) {
  const StoredBytes* stored = files.find(name);
  if (!stored) refuse_package("E0764", files.where(name), "the file is missing");
  return SafetensorsFile::of(files.where(name), stored->bytes, stored->owner);
}

LoadedTensors read_shards(const PackageFiles& files, const std::string& index_name) {
  const std::string where = files.where(index_name);
  const ShardIndex index = read_shard_index(files.find(index_name)->text(), where);
  std::map<std::string, SafetensorsFile> shards;
  std::vector<TensorMap::Item> items;
  FileMetadata metadata;
  for (const auto& [name, file] : index.files) {
    auto shard = shards.find(file);
    if (shard == shards.end()) {
      shard = shards.emplace(file, opened(files, file)).first;
      for (const auto& field : shard->second.metadata()) metadata.insert(field);
    }
    const StoredTensor* stored = shard->second.find(name);
    if (!stored) {
      refuse_package("E0747", where, fmt::format("the tensor '{}' is not in its shard", name),
                     {{"shard", file, ""}});
    }
    items.emplace_back(name, shard->second.tensor(*stored).as_read_only());
  }
  return {TensorMap(std::move(items)), std::move(metadata)};
}

LoadedTensors read_all(const PackageFiles& files) {
  const std::string index_name = index_path(tensors_name);
  if (!files.find(tensors_name) && files.find(index_name)) return read_shards(files, index_name);
  const SafetensorsFile file = opened(files, tensors_name);
  std::vector<TensorMap::Item> items;
  for (const StoredTensor& stored : file.stored())
    items.emplace_back(stored.name, file.tensor(stored).as_read_only());
  return {TensorMap(std::move(items)), file.metadata()};
}

}  // namespace

PackageTensors read_tensors(const PackageFiles& files) {
  LoadedTensors read = read_all(files);
  TensorMap state = take_section(read, state_field);
  return {std::move(read.tensors), State(std::move(state))};
}

}  // namespace mithril
