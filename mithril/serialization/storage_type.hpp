// The element types of the safetensors format, and which of them a Tensor can have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/serialization/float8.hpp"
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

// nullopt unless it is a float8 type.
std::optional<Float8Format> float8_format(StorageType type);

// The dtype with the same bytes.
std::optional<DType> same_dtype(StorageType type);
StorageType storage_type_of(DType dtype);

// The dtype that a tensor of this type is loaded as: the one with the same bytes; float32 for the
// float8 types. Nothing for float4, float6 and complex64, which Mithril does not load.
std::optional<DType> loaded_dtype(StorageType type);

// Elements of a float8 type, which has no DType of its own, converted to loaded_dtype(type).
Tensor widened(StorageType type, Dims dims, std::span<const std::byte> bytes);

}  // namespace mithril
