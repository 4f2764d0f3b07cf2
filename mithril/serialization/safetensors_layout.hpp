// Where the tensors of a new safetensors file are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/serialization/safetensors_header.hpp"

namespace mithril {

struct SafetensorsLayout {
  std::string head;                   // the first bytes of the file, up to the tensors
  std::vector<StoredTensor> tensors;  // as given, with their bytes in the file
  std::vector<std::size_t> order;     // of their bytes in the file
  std::uint64_t bytes = 0;            // of all tensors
};

// Sorts the bytes of the tensors by alignment, then by name, so that there are no gaps. The header
// keeps their order. `tensors`: end - begin is their size. ValueError E0489 for a name that the
// format cannot hold, E0490 for names that are longer than a header.
SafetensorsLayout layout_safetensors(const std::string& path, std::vector<StoredTensor> tensors,
                                     const FileMetadata& metadata);

}  // namespace mithril
