// The facts about each type of the format, in one table.
#include "mithril/serialization/storage_type.hpp"

#include <iterator>

namespace mithril {
namespace {

struct StorageFacts {
  std::string_view name;
  int bits;
  std::optional<DType> same;
};

constexpr StorageFacts storage_table[] = {
    {"BOOL", 8, DType::boolean},
    {"F4", 4, DType::float4_e2m1fn},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"U8", 8, DType::uint8},
    {"I8", 8, DType::int8},
    {"F8_E5M2", 8, DType::float8_e5m2},
    {"F8_E4M3", 8, DType::float8_e4m3fn},
    {"F8_E8M0", 8, DType::float8_e8m0fnu},
    {"F8_E4M3FNUZ", 8, DType::float8_e4m3fnuz},
    {"F8_E5M2FNUZ", 8, DType::float8_e5m2fnuz},
    {"I16", 16, DType::int16},
    {"U16", 16, DType::uint16},
    {"F16", 16, DType::float16},
    {"BF16", 16, DType::bfloat16},
    {"I32", 32, DType::int32},
    {"U32", 32, DType::uint32},
    {"F32", 32, DType::float32},
    {"C64", 64, {}},
    {"F64", 64, DType::float64},
    {"I64", 64, DType::int64},
    {"U64", 64, DType::uint64},
};
static_assert(std::size(storage_table) == static_cast<std::size_t>(StorageType::uint64) + 1);

const StorageFacts& facts_of(StorageType type) {
  return storage_table[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view name(StorageType type) { return facts_of(type).name; }

std::vector<std::string> storage_type_names() {
  std::vector<std::string> names;
  for (const StorageFacts& facts : storage_table) names.emplace_back(facts.name);
  return names;
}

std::optional<StorageType> storage_type_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(storage_table); ++i) {
    if (storage_table[i].name == name) return static_cast<StorageType>(i);
  }
  return std::nullopt;
}

int bits_of(StorageType type) { return facts_of(type).bits; }

std::optional<DType> same_dtype(StorageType type) { return facts_of(type).same; }

StorageType storage_type_of(DType dtype) {
  for (std::size_t i = 0; i < std::size(storage_table); ++i) {
    if (storage_table[i].same == dtype) return static_cast<StorageType>(i);
  }
  raise(
      {.kind = ErrorKind::type,
       .code = "E1368",
       .message = "safetensors files have no type for tensors of " + std::string(name(dtype)),
       .help = std::string("cast them to ") + (is_unsigned(dtype) ? "uint8" : "int8") + " first"});
}

}  // namespace mithril
