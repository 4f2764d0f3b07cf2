// Writing: elements by alignment, so that each tensor is aligned without gaps, and shards.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "mithril/base/file_errors.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/serialization/narrow.hpp"
#include "mithril/serialization/safetensors.hpp"
#include "mithril/serialization/safetensors_layout.hpp"
#include "mithril/serialization/shards.hpp"

namespace mithril {
namespace {

using AllBytes = std::vector<TensorBytes>;

void check_names(const std::vector<StoredTensor>& tensors, const FileMetadata& metadata) {
  const auto check = [](std::string_view text, const char* what, bool reserved) {
    if (utf8_bytes(text) == text.size() && !reserved) return;
    raise({.kind = ErrorKind::value,
           .code = "E0489",
           .message = fmt::format("'{}' cannot be {} of a safetensors file", text, what),
           .facts = {{"expected", "UTF-8, and another name than __metadata__", ""}}});
  };
  for (const StoredTensor& tensor : tensors)
    check(tensor.name, "the name of a tensor", tensor.name == "__metadata__");
  for (const auto& [key, value] : metadata) {
    check(key, "a key of the metadata", false);
    check(value, "a value of the metadata", false);
  }
}

void write_pieces_to(const std::string& path, std::span<const std::string_view> pieces) {
  const std::string why = write_file(path, pieces);
  if (!why.empty()) cannot_write(path, why);
}

SafetensorsLayout layout_of(const std::string& path, std::span<const TensorBytes> tensors,
                            const FileMetadata& metadata) {
  std::vector<StoredTensor> stored;
  stored.reserve(tensors.size());
  for (const TensorBytes& tensor : tensors)
    stored.push_back({tensor.name, tensor.type, tensor.dims, 0, tensor.bytes.size()});
  return layout_safetensors(path, std::move(stored), metadata);
}

void write_one(const std::string& path, std::span<const TensorBytes> tensors,
               const SafetensorsLayout& layout) {
  std::vector<std::string_view> pieces = {layout.head};
  for (const std::size_t i : layout.order) pieces.push_back(tensors[i].bytes);
  write_pieces_to(path, pieces);
}

// The first tensor of each shard, and the number of tensors.
std::vector<std::size_t> shard_begins(const AllBytes& tensors, std::uint64_t max_shard_bytes) {
  std::vector<std::size_t> begins = {0};
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::uint64_t size = tensors[i].bytes.size();
    const bool full = max_shard_bytes != 0 && bytes + size > max_shard_bytes && i > begins.back();
    if (full) {
      begins.push_back(i);
      bytes = 0;
    }
    bytes += size;
  }
  begins.push_back(tensors.size());
  return begins;
}

}  // namespace

SafetensorsLayout layout_safetensors(const std::string& path, std::vector<StoredTensor> tensors,
                                     const FileMetadata& metadata) {
  check_names(tensors, metadata);
  SafetensorsLayout layout{.tensors = std::move(tensors)};
  std::vector<StoredTensor>& stored = layout.tensors;
  layout.order.resize(stored.size());
  std::iota(layout.order.begin(), layout.order.end(), std::size_t{0});
  std::sort(layout.order.begin(), layout.order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(stored[b].type, stored[a].name) < std::tie(stored[a].type, stored[b].name);
  });
  for (const std::size_t i : layout.order) {
    const std::uint64_t size = stored[i].end - stored[i].begin;
    stored[i].begin = layout.bytes;
    stored[i].end = layout.bytes += size;
  }
  layout.head = safetensors_header_text(stored, metadata);
  constexpr std::size_t longest = 100'000'008;
  if (layout.head.size() > longest) {
    raise({.kind = ErrorKind::value,
           .code = "E0490",
           .path = path,
           .message = "the names and the metadata are longer than a header of a safetensors file",
           .facts = {{"expected", fmt::format("at most {} bytes", longest - 8), ""},
                     {"got", fmt::format("{} bytes", layout.head.size() - 8), ""}}});
  }
  return layout;
}

std::string save_safetensors(const std::string& path, const AllBytes& tensors,
                             const SafetensorsOptions& options) {
  const std::vector<std::size_t> begins = shard_begins(tensors, options.max_shard_bytes);
  const std::size_t shards = begins.size() - 1;
  if (shards == 1) {
    write_one(path, tensors, layout_of(path, tensors, options.metadata));
    return path;
  }
  const auto tensors_of = [&](std::size_t shard) {
    return std::span(tensors).subspan(begins[shard], begins[shard + 1] - begins[shard]);
  };
  // All shards are checked before the first one is written.
  std::vector<SafetensorsLayout> layouts;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::string file = shard_path(path, shard + 1, shards);
    layouts.push_back(layout_of(file, tensors_of(shard), options.metadata));
  }
  ShardIndex index;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::string file = shard_path(path, shard + 1, shards);
    const auto part = tensors_of(shard);
    write_one(file, part, layouts[shard]);
    for (const TensorBytes& tensor : part) {
      index.total_bytes += tensor.bytes.size();
      index.files.emplace_back(tensor.name, std::filesystem::path(file).filename().string());
    }
  }
  const std::string index_file = index_path(path), text = shard_index_text(index);
  const std::string_view piece = text;
  write_pieces_to(index_file, std::span(&piece, 1));
  return index_file;
}

std::string save_safetensors(const std::string& path, const TensorMap& tensors,
                             const SafetensorsOptions& options) {
  for (const auto& [key, type] : options.types) tensors.at(key);
  AllBytes all;
  std::vector<Tensor> held;  // what `all` points to
  for (const auto& [key, tensor] : tensors) {
    const auto stated = options.types.find(key);
    const StorageType type =
        stated == options.types.end() ? storage_type_of(tensor.dtype()) : stated->second;
    std::vector<std::uint64_t> dims(tensor.dims().begin(), tensor.dims().end());
    std::string_view bytes;
    if (same_dtype(type) == tensor.dtype() && bits_of(type) >= 8) {
      held.push_back(tensor.host());
      bytes = {static_cast<const char*>(held.back().raw_data()), held.back().bytes()};
    } else {
      held.push_back(narrowed(key, type, tensor.host()));
      const auto size = static_cast<std::size_t>(tensor.size()) * bits_of(type) / 8;
      bytes = {static_cast<const char*>(held.back().raw_data()), size};
    }
    all.push_back({key, type, std::move(dims), bytes});
  }
  return save_safetensors(path, all, options);
}

}  // namespace mithril
