// Reading: files are mapped, and tensors borrow the mapping.
#include "mithril/serialization/safetensors.hpp"

#include <fmt/format.h>

#include <optional>

#include "mithril/base/names.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/stored_elements.hpp"

namespace mithril {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::string path, std::span<std::byte> bytes,
                                 std::shared_ptr<void> owner)
    : path_(std::move(path)),
      bytes_(bytes),
      owner_(std::move(owner)),
      header_(read_safetensors_header(as_text(bytes_), path_)) {
  for (const StoredTensor& stored : header_.tensors) index_.emplace(stored.name, index_.size());
}

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  const auto file = MappedFile::open(path);
  return {path, file->bytes(), file};
}

SafetensorsFile SafetensorsFile::of(std::string path, std::span<std::byte> bytes,
                                    std::shared_ptr<void> owner) {
  return {std::move(path), bytes, std::move(owner)};
}

Tensor SafetensorsFile::tensor(const StoredTensor& stored) const {
  const auto dtype = same_dtype(stored.type);
  std::optional<Dims> dims = countable_dims(stored.dims);
  if (!dtype || !dims) {
    raise({.kind = ErrorKind::parse,
           .code = "E0748",
           .path = path_,
           .message = fmt::format("no tensor of Mithril can hold '{}'", stored.name),
           .facts = {{"stored", type_and_dims(stored), ""}},
           .help = "store it with another dtype or shape"});
  }
  const std::span<std::byte> bytes =
      bytes_.subspan(header_.data_begin + stored.begin, stored.end - stored.begin);
  return tensor_of_elements(stored.type, *std::move(dims), bytes, owner_);
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &header_.tensors[found->second];
}

Tensor SafetensorsFile::tensor(std::string_view name) const {
  if (const StoredTensor* stored = find(name)) return tensor(*stored);
  std::vector<std::string> known;
  for (const StoredTensor& stored : header_.tensors) known.push_back(stored.name);
  unknown_name(ErrorKind::name, "E0681", "key", name, path_, known);
}

TensorMap SafetensorsFile::tensors() const {
  std::vector<TensorMap::Item> items;
  items.reserve(header_.tensors.size());
  for (const StoredTensor& stored : header_.tensors)
    items.emplace_back(stored.name, tensor(stored));
  return TensorMap(std::move(items));
}

}  // namespace mithril
