// Checkpoints in several files: their names, and the index that lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mithril {

struct ShardIndex {
  std::uint64_t total_bytes = 0;
  std::vector<std::pair<std::string, std::string>> files;  // of each tensor, without a folder
};

// "a/model.safetensors": "a/model-00001-of-00002.safetensors", "a/model.safetensors.index.json".
std::string shard_path(const std::string& path, std::size_t shard, std::size_t shards);
std::string index_path(const std::string& path);

std::string shard_index_text(const ShardIndex& index);
// ParseError E0747 for text of another form, and for a file outside of the folder of the index.
ShardIndex read_shard_index(std::string_view text, const std::string& path);

}  // namespace mithril
