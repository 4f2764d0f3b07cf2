// The element types of the safetensors format, and which of them a Tensor can have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Sorted by alignment, as the safetensors package sorts tensors in a file.
enum class StorageType : std::uint8_t {
  boolean,
  float4,
  float6_e2m3,
  float6_e3m2,
  uint8,
  int8,
  float8_e5m2,
  float8_e4m3,
  float8_e8m0,
  float8_e4m3fnuz,
  float8_e5m2fnuz,
  int16,
  uint16,
  float16,
  bfloat16,
  int32,
  uint32,
  float32,
  complex64,
  float64,
  int64,
  uint64
};

// "BOOL", "F8_E4M3", "BF16": the names of the format.
std::string_view name(StorageType type);
std::vector<std::string> storage_type_names();
// nullopt for an unknown name.
std::optional<StorageType> storage_type_named(std::string_view name);

// 4 for float4, 6 for float6, otherwise a multiple of 8.
int bits_of(StorageType type);

// The dtype with the same elements, which a tensor of this type is loaded as. Nothing for float6
// and complex64, which Mithril does not load.
std::optional<DType> same_dtype(StorageType type);
// TypeError E1368 for integers of 4 and 2 bits, which the format lacks.
StorageType storage_type_of(DType dtype);

}  // namespace mithril
