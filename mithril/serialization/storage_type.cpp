// The facts about each type of the format, in one table.
#include "mithril/serialization/storage_type.hpp"

#include <iterator>

namespace mithril {
namespace {

struct StorageFacts {
  std::string_view name;
  int bits;
  std::optional<DType> same, loaded;
  std::optional<Float8Format> float8 = {};
};

constexpr StorageFacts storage_table[] = {
    {"BOOL", 8, DType::boolean, DType::boolean},
    {"F4", 4, {}, {}},
    {"F6_E2M3", 6, {}, {}},
    {"F6_E3M2", 6, {}, {}},
    {"U8", 8, DType::uint8, DType::uint8},
    {"I8", 8, DType::int8, DType::int8},
    {"F8_E5M2", 8, {}, DType::float32, Float8Format{5, 15, true}},
    {"F8_E4M3", 8, {}, DType::float32, Float8Format{4, 7}},
    {"F8_E8M0", 8, {}, DType::float32, Float8Format{8, 127}},
    {"F8_E4M3FNUZ", 8, {}, DType::float32, Float8Format{4, 8, false, true}},
    {"F8_E5M2FNUZ", 8, {}, DType::float32, Float8Format{5, 16, false, true}},
    {"I16", 16, DType::int16, DType::int16},
    {"U16", 16, DType::uint16, DType::uint16},
    {"F16", 16, DType::float16, DType::float16},
    {"BF16", 16, DType::bfloat16, DType::bfloat16},
    {"I32", 32, DType::int32, DType::int32},
    {"U32", 32, DType::uint32, DType::uint32},
    {"F32", 32, DType::float32, DType::float32},
    {"C64", 64, {}, {}},
    {"F64", 64, DType::float64, DType::float64},
    {"I64", 64, DType::int64, DType::int64},
    {"U64", 64, DType::uint64, DType::uint64},
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

std::optional<Float8Format> float8_format(StorageType type) { return facts_of(type).float8; }

int bits_of(StorageType type) { return facts_of(type).bits; }

std::optional<DType> same_dtype(StorageType type) { return facts_of(type).same; }

std::optional<DType> loaded_dtype(StorageType type) { return facts_of(type).loaded; }

StorageType storage_type_of(DType dtype) {
  std::size_t found = 0;
  while (storage_table[found].same != dtype) ++found;
  return static_cast<StorageType>(found);
}

Tensor widened(StorageType type, Dims dims, std::span<const std::byte> bytes) {
  const StorageFacts& facts = facts_of(type);
  MITHRIL_CHECK(facts.loaded && !facts.same, "a type that is widened");
  Tensor made = Tensor::empty(*facts.loaded, std::move(dims));
  const auto count = static_cast<std::size_t>(made.size());
  MITHRIL_CHECK(bytes.size() * 8 == count * static_cast<std::size_t>(facts.bits), "all elements");
  const std::array<float, 256> values = values_of(*facts.float8);
  float* to = made.mutable_data<float>();
  for (std::size_t i = 0; i < count; ++i) to[i] = values[std::to_integer<unsigned>(bytes[i])];
  return made;
}

}  // namespace mithril
