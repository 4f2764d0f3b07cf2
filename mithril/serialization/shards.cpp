#include "mithril/serialization/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/serialization/json_cursor.hpp"
#include "mithril/serialization/json_string.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/safetensors.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view shard_suffix = ".safetensors", index_suffix = ".safetensors.index.json";

[[noreturn]] void refuse_index(const std::string& path, std::string message,
                               std::vector<Fact> facts) {
  raise({.kind = ErrorKind::parse,
         .code = "E0747",
         .path = path,
         .message = std::move(message),
         .facts = std::move(facts)});
}

std::string text_of_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

// The file of a folder that load_safetensors reads.
std::string file_in(const std::string& folder) {
  const std::string file = (fs::path(folder) / "model.safetensors").string();
  std::error_code none;
  return fs::exists(file, none) || !fs::exists(index_path(file), none) ? file : index_path(file);
}

LoadedTensors load_shards(const std::string& path) {
  const ShardIndex index = read_shard_index(text_of_file(path), path);
  std::vector<SafetensorsFile> shards;
  std::vector<std::string> opened;
  LoadedTensors loaded;
  std::vector<TensorMap::Item> items;
  for (const auto& [name, file] : index.files) {
    auto at = std::find(opened.begin(), opened.end(), file);
    if (at == opened.end()) {
      shards.push_back(SafetensorsFile::open((fs::path(path).parent_path() / file).string()));
      opened.push_back(file);
      at = opened.end() - 1;
      for (const auto& field : shards.back().metadata()) loaded.metadata.insert(field);
    }
    const SafetensorsFile& shard = shards[static_cast<std::size_t>(at - opened.begin())];
    const StoredTensor* stored = shard.find(name);
    if (!stored) {
      refuse_index(path, fmt::format("the tensor '{}' is not in its shard", name),
                   {{"shard", file, ""}});
    }
    items.emplace_back(name, shard.tensor(*stored));
  }
  loaded.tensors = TensorMap(std::move(items));
  return loaded;
}

}  // namespace

std::string shard_path(const std::string& path, std::size_t shard, std::size_t shards) {
  const bool suffixed = path.ends_with(shard_suffix);
  const std::string stem = path.substr(0, path.size() - (suffixed ? shard_suffix.size() : 0));
  return fmt::format("{}-{:05}-of-{:05}{}", stem, shard, shards, shard_suffix);
}

std::string index_path(const std::string& path) {
  const bool suffixed = path.ends_with(shard_suffix);
  return path.substr(0, path.size() - (suffixed ? shard_suffix.size() : 0)) +
         std::string(index_suffix);
}

std::string shard_index_text(const ShardIndex& index) {
  std::string text = fmt::format(
      "{{\n  \"metadata\": {{\"total_size\": {}}},\n  \"weight_map\": {{", index.total_bytes);
  for (const auto& [name, file] : index.files) {
    text += text.ends_with('{') ? "\n    " : ",\n    ";
    append_json_string(text, name);
    text += ": ";
    append_json_string(text, file);
  }
  return text + "\n  }\n}\n";
}

ShardIndex read_shard_index(std::string_view text, const std::string& path) {
  ShardIndex index;
  bool has_map = false;
  std::set<std::string, std::less<>> names;
  try {
    JsonCursor json(text.substr(0, utf8_bytes(text)));
    json.object([&](const std::string& key) {
      if (key != "weight_map") return json.skip();
      has_map = true;
      json.object([&](std::string name) {
        if (!names.insert(name).second) json.expected("each tensor once");
        index.files.emplace_back(std::move(name), json.string());
      });
    });
    if (!json.at_end() || utf8_bytes(text) != text.size()) json.expected("the end of the index");
    if (!has_map) json.expected("a weight_map before this");
  } catch (const JsonFault& fault) {
    refuse_index(
        path, "the file is not an index of safetensors files",
        {{"expected", fault.expected, ""}, {"at", fmt::format("byte {}", fault.position), ""}});
  }
  for (const auto& [name, file] : index.files) {
    if (!file.empty() && file.find_first_of(std::string_view("/\0", 2)) == std::string::npos &&
        file != "." && file != "..") {
      continue;
    }
    refuse_index(path,
                 fmt::format("the shard of the tensor '{}' is not a file of this folder", name),
                 {{"shard", file, ""}});
  }
  return index;
}

LoadedTensors load_safetensors(const std::string& path) {
  std::error_code none;
  const std::string at = fs::is_directory(path, none) ? file_in(path) : path;
  if (at.ends_with(".index.json")) return load_shards(at);
  const SafetensorsFile file = SafetensorsFile::open(at);
  return {file.tensors(), file.metadata()};
}

}  // namespace mithril
