// Reads and writes files in the safetensors format of Hugging Face.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mithril/serialization/safetensors_header.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// One file, mapped into memory. Example:
//   const auto file = ml::SafetensorsFile::open("model.safetensors");
//   ml::Tensor weight = file.tensor("encoder.fc1.weight");
class SafetensorsFile {
 public:
  // InputError E0830 if the file cannot be read; otherwise as read_safetensors_header.
  static SafetensorsFile open(const std::string& path);
  // The same for bytes in memory, which live as long as `owner`; `path` names them in messages.
  static SafetensorsFile of(std::string path, std::span<std::byte> bytes,
                            std::shared_ptr<void> owner);

  const std::vector<StoredTensor>& stored() const { return header_.tensors; }
  const StoredTensor* find(std::string_view name) const;  // null for an unknown name
  const FileMetadata& metadata() const { return header_.metadata; }

  // A tensor that shares its elements with the mapping and keeps it alive. It may be written to:
  // the file does not change. Elements are copied if the format's type is not a DType
  // (loaded_dtype says which DType they get), if the file does not align them to their size, and
  // for bools with bytes besides 0 and 1. NameError E0681 for an unknown name, ParseError E0748 for
  // a type that Mithril does not load and for dims whose bytes 63 bits cannot count.
  Tensor tensor(std::string_view name) const;
  Tensor tensor(const StoredTensor& stored) const;
  // All tensors, in the order of the header.
  TensorMap tensors() const;

 private:
  SafetensorsFile(std::string path, std::span<std::byte> bytes, std::shared_ptr<void> owner);

  std::string path_;
  std::span<std::byte> bytes_;
  std::shared_ptr<void> owner_;  // of the bytes, shared with the tensors
  SafetensorsHeader header_;
  std::map<std::string, std::size_t, std::less<>> index_;  // into header_.tensors
};

struct LoadedTensors {
  TensorMap tensors;
  FileMetadata metadata;
};

// The tensors of a file, of all shards of an index ("model.safetensors.index.json"), or of a folder
// with model.safetensors or its index. They share their elements with the mapped files. If several
// shards have the same metadata key, the first shard's value is used. Errors as SafetensorsFile;
// ParseError E0747 for an index that is not of that form or does not match its shards.
LoadedTensors load_safetensors(const std::string& path);

struct SafetensorsOptions {
  FileMetadata metadata = {};
  // The type in the file, where it is not that of the tensor. Integers must be exact; floats are
  // rounded to nearest, ties to even.
  std::map<std::string, StorageType, std::less<>> types = {};
  // The maximum number of bytes of the tensors of one file; 0 has no limit. A larger tensor gets a
  // file of its own.
  std::uint64_t max_shard_bytes = 0;
};

// Writes the tensors to a file atomically. Elements are aligned to their size, the first ones to 64
// bytes. If the tensors exceed max_shard_bytes, "model.safetensors" becomes
// "model-00001-of-00002.safetensors" and so on, and "model.safetensors.index.json" is written last.
// Returns the path for load_safetensors. InputError E0831 if a file cannot be written; ValueError
// E0489 for a name that the format cannot hold, E0490 for names that are longer than a header;
// NameError E0681 for a type of an unknown tensor, ValueError E0491 for elements that their type
// cannot hold.
std::string save_safetensors(const std::string& path, const TensorMap& tensors,
                             const SafetensorsOptions& options = {});

// A tensor whose bytes are written as they are.
struct TensorBytes {
  std::string name;
  StorageType type = StorageType::float32;
  std::vector<std::uint64_t> dims;
  std::string_view bytes;
};

// The same for elements of any type; options.types is not read.
std::string save_safetensors(const std::string& path, const std::vector<TensorBytes>& tensors,
                             const SafetensorsOptions& options = {});

}  // namespace mithril
