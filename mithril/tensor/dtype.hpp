// The element types that a tensor can have, and their correspondence with C++ types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/tensor/float16.hpp"

namespace mithril {

enum class DType : std::uint8_t {
  boolean,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  // Narrow integers: of tensors, but not of the values of graphs.
  int8,
  int16,
  uint8
};

// The dtypes of the values of graphs.
inline constexpr DType computed_dtypes[] = {DType::boolean, DType::int32,    DType::int64,
                                            DType::float16, DType::bfloat16, DType::float32,
                                            DType::float64};

inline constexpr DType all_dtypes[] = {
    DType::boolean, DType::int32,   DType::int64, DType::float16, DType::bfloat16,
    DType::float32, DType::float64, DType::int8,  DType::int16,   DType::uint8};

// "bool", "int32", "float16", "bfloat16", "uint8".
std::string_view name(DType dtype);

// The dtype of that name; otherwise NameError E0680 with the nearest names.
DType parse_dtype(std::string_view text);

// Bytes of one element.
std::size_t size_of(DType dtype);

bool is_floating(DType dtype);
bool is_integer(DType dtype);  // a bool is not an integer

// Whether it is int8, int16 or uint8. Models compute with int32 and int64, and widen these.
bool is_narrow(DType dtype);
// int32 for a narrow dtype, otherwise the same.
DType widened(DType dtype);

// The dtype of sums and of an optimizer's step, as at::opmath_type: float32 for float16 and
// bfloat16, otherwise the same.
DType opmath_dtype(DType dtype);

// The dtype of arithmetic between the two: bool < integers < the floating types, of which the
// wider wins. uint8 with int8 gives int16, and float16 with bfloat16 gives float32, which holds
// both. An integer never widens a floating type.
DType promote(DType a, DType b);

// The dtype that stores a C++ type: dtype_of<float> is DType::float32. Other types do not compile.
template <class T>
inline constexpr DType dtype_of =
    [] { static_assert(sizeof(T) == 0, "no dtype stores this type"); }();
template <>
inline constexpr DType dtype_of<bool> = DType::boolean;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::int8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::int16;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::uint8;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::int32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::int64;
template <>
inline constexpr DType dtype_of<float16> = DType::float16;
template <>
inline constexpr DType dtype_of<bfloat16> = DType::bfloat16;
template <>
inline constexpr DType dtype_of<float> = DType::float32;
template <>
inline constexpr DType dtype_of<double> = DType::float64;

static_assert(sizeof(bool) == 1 && sizeof(float16) == 2 && sizeof(bfloat16) == 2);

// Calls function(T{}) with the C++ type of a dtype of graphs and returns what it returns; kernels
// need no code for narrow integers.
template <class Function>
decltype(auto) visit_computed_dtype(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::boolean:
      return function(bool{});
    case DType::int32:
      return function(std::int32_t{});
    case DType::int64:
      return function(std::int64_t{});
    case DType::float16:
      return function(float16{});
    case DType::bfloat16:
      return function(bfloat16{});
    case DType::float32:
      return function(float{});
    case DType::float64:
      return function(double{});
    case DType::int8:
    case DType::int16:
    case DType::uint8:
      break;
  }
  MITHRIL_CHECK(false, "a value of a graph has a dtype of graphs");
  std::abort();
}

// The same for all dtypes. Example:
//   visit_dtype(tensor.dtype(), [&](auto zero) { using T = decltype(zero);
//   fill(tensor.mutable_data<T>()); });
template <class Function>
decltype(auto) visit_dtype(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::int8:
      return function(std::int8_t{});
    case DType::int16:
      return function(std::int16_t{});
    case DType::uint8:
      return function(std::uint8_t{});
    default:
      return visit_computed_dtype(dtype, std::forward<Function>(function));
  }
}

}  // namespace mithril
