#include "mithril/onnx/element_type.hpp"

#include "mithril/base/error.hpp"

namespace mithril::onnx {
namespace {

struct TypeRow {
  ElementType type;
  const char* name;
  std::optional<DType> held;
};

const TypeRow type_rows[] = {
    {ElementType::float32, "float", DType::float32},
    {ElementType::uint8, "uint8", DType::uint8},
    {ElementType::int8, "int8", DType::int8},
    {ElementType::uint16, "uint16", DType::uint16},
    {ElementType::int16, "int16", DType::int16},
    {ElementType::int32, "int32", DType::int32},
    {ElementType::int64, "int64", DType::int64},
    {ElementType::string, "string", {}},
    {ElementType::boolean, "bool", DType::boolean},
    {ElementType::float16, "float16", DType::float16},
    {ElementType::float64, "double", DType::float64},
    {ElementType::uint32, "uint32", DType::uint32},
    {ElementType::uint64, "uint64", DType::uint64},
    {ElementType::complex64, "complex64", {}},
    {ElementType::complex128, "complex128", {}},
    {ElementType::bfloat16, "bfloat16", DType::bfloat16},
    {ElementType::float8_e4m3fn, "float8e4m3fn", DType::float8_e4m3fn},
    {ElementType::float8_e4m3fnuz, "float8e4m3fnuz", DType::float8_e4m3fnuz},
    {ElementType::float8_e5m2, "float8e5m2", DType::float8_e5m2},
    {ElementType::float8_e5m2fnuz, "float8e5m2fnuz", DType::float8_e5m2fnuz},
    {ElementType::uint4, "uint4", DType::uint4},
    {ElementType::int4, "int4", DType::int4},
    {ElementType::float4_e2m1, "float4e2m1", DType::float4_e2m1fn},
    {ElementType::float8_e8m0, "float8e8m0", DType::float8_e8m0fnu},
    {ElementType::uint2, "uint2", DType::uint2},
    {ElementType::int2, "int2", DType::int2},
    {ElementType::float6_e2m3, "float6e2m3", {}},
    {ElementType::float6_e3m2, "float6e3m2", {}},
};

const TypeRow* row_of(ElementType type) {
  for (const TypeRow& row : type_rows)
    if (row.type == type) return &row;
  return nullptr;
}

}  // namespace

std::string name_of(ElementType type) {
  const TypeRow* row = row_of(type);
  return row ? row->name : "type " + std::to_string(static_cast<int>(type));
}

std::optional<DType> held_dtype(ElementType type) {
  const TypeRow* row = row_of(type);
  return row ? row->held : std::nullopt;
}

ElementType element_type_of(DType dtype) {
  for (const TypeRow& row : type_rows)
    if (row.held == dtype) return row.type;
  MITHRIL_CHECK(false, "an unknown dtype");
}

bool is_computed(ElementType type) {
  const auto held = held_dtype(type);
  return held && !is_low_bit(*held);
}

bool is_float(ElementType type) {
  const auto held = held_dtype(type);
  return held && is_floating(*held);
}

bool is_int(ElementType type) {
  const auto held = held_dtype(type);
  return held && is_integer(*held);
}

Kinds kind_of(ElementType type) {
  if (type == ElementType::boolean) return kind::bool_tensor;
  return is_float(type) ? kind::float_tensor : kind::int_tensor;
}

}  // namespace mithril::onnx
