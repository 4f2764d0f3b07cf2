// Reading: files are mapped, and tensors borrow the mapping.
#include "mithril/serialization/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "mithril/base/names.hpp"
#include "mithril/serialization/mapped_file.hpp"

namespace mithril {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Nothing if 63 bits cannot count the bytes of a tensor with these dims, or, if it is empty, with 1
// in place of each 0: arrays of NumPy have strides that large.
std::optional<Dims> dims_of(const StoredTensor& stored) {
  std::int64_t size = 8;
  Dims dims;
  for (const std::uint64_t dim : stored.dims) {
    if (__builtin_mul_overflow(size, std::max<std::uint64_t>(dim, 1), &size)) return std::nullopt;
    dims.push_back(static_cast<std::int64_t>(dim));
  }
  return dims;
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::string path, std::shared_ptr<MappedFile> file)
    : path_(std::move(path)),
      file_(std::move(file)),
      header_(read_safetensors_header(as_text(file_->bytes()), path_)) {
  for (const StoredTensor& stored : header_.tensors) index_.emplace(stored.name, index_.size());
}

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  return {path, MappedFile::open(path)};
}

Tensor SafetensorsFile::tensor(const StoredTensor& stored) const {
  const auto dtype = loaded_dtype(stored.type);
  std::optional<Dims> dims = dims_of(stored);
  if (!dtype || !dims) {
    raise({.kind = ErrorKind::parse,
           .code = "E0748",
           .path = path_,
           .message = fmt::format("no tensor of Mithril can hold '{}'", stored.name),
           .facts = {{"stored", type_and_dims(stored), ""}},
           .help = "store it with another dtype or shape"});
  }
  const std::span<std::byte> bytes =
      file_->bytes().subspan(header_.data_begin + stored.begin, stored.end - stored.begin);
  if (dtype != same_dtype(stored.type)) return widened(stored.type, std::move(*dims), bytes);
  if (bytes.empty()) return Tensor::empty(*dtype, std::move(*dims));
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % size_of(*dtype) == 0;
  if (aligned) {
    return Tensor::borrow(*dtype, std::move(*dims), static_cast<void*>(bytes.data()), file_);
  }
  Tensor copy = Tensor::empty(*dtype, std::move(*dims));
  std::memcpy(copy.mutable_raw_data(), bytes.data(), bytes.size());
  return copy;
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &header_.tensors[found->second];
}

Tensor SafetensorsFile::tensor(std::string_view name) const {
  if (const StoredTensor* stored = find(name)) return tensor(*stored);
  std::vector<std::string> known;
  for (const StoredTensor& each : header_.tensors) known.push_back(each.name);
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
