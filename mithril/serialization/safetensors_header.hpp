// The header of a safetensors file: the names, types, dims and places of its tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/serialization/storage_type.hpp"

namespace mithril {

// Texts by name, which a file holds beside its tensors.
using FileMetadata = std::map<std::string, std::string, std::less<>>;

struct StoredTensor {
  std::string name;
  StorageType type = StorageType::float32;
  std::vector<std::uint64_t> dims;   // the format has dims of 64 bits without a sign
  std::uint64_t begin = 0, end = 0;  // in bytes, from the end of the header
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of the header
  FileMetadata metadata;
  std::size_t data_begin = 0;  // in the file
};

// Reads and checks the header of a file with these bytes. Accepts what version 0.8.0 of the
// safetensors package accepts. ParseError with the path: E0740 for a length of the header that does
// not fit, E0741 for a header that is not UTF-8 or not JSON of the format, E0742 for an unknown
// type, E0743 for a hole or an overlap, E0744 for dims that do not fit the bytes of the tensor,
// E0745 for a file that ends before its last tensor does, E0746 for one that does not end there.
SafetensorsHeader read_safetensors_header(std::string_view bytes, const std::string& path);

// The first bytes of a file with these tensors, up to the data, which begins at a multiple of 64.
std::string safetensors_header_text(const std::vector<StoredTensor>& tensors,
                                    const FileMetadata& metadata);

// "float32[2, 3]" in the words of the format: "F32[2, 3]".
std::string type_and_dims(const StoredTensor& tensor);

}  // namespace mithril
