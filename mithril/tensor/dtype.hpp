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
  // Integers that ops compute as int32 or int64 (graph/wide_integers.hpp).
  int8,
  int16,
  uint8,
  uint16,
  uint32,
  uint64,
  // Elements of 8 bits and fewer that are stored, cast and moved, but not computed with
  // (tensor/low_bit.hpp). Each has a byte.
  float8_e4m3fn,
  float8_e4m3fnuz,
  float8_e5m2,
  float8_e5m2fnuz,
  float8_e8m0fnu,
  float4_e2m1fn,
  int4,
  uint4,
  int2,
  uint2
};

// The dtypes that ops compute in.
inline constexpr DType computed_dtypes[] = {DType::boolean, DType::int32,    DType::int64,
                                            DType::float16, DType::bfloat16, DType::float32,
                                            DType::float64};

inline constexpr DType all_dtypes[] = {DType::boolean,
                                       DType::int32,
                                       DType::int64,
                                       DType::float16,
                                       DType::bfloat16,
                                       DType::float32,
                                       DType::float64,
                                       DType::int8,
                                       DType::int16,
                                       DType::uint8,
                                       DType::uint16,
                                       DType::uint32,
                                       DType::uint64,
                                       DType::float8_e4m3fn,
                                       DType::float8_e4m3fnuz,
                                       DType::float8_e5m2,
                                       DType::float8_e5m2fnuz,
                                       DType::float8_e8m0fnu,
                                       DType::float4_e2m1fn,
                                       DType::int4,
                                       DType::uint4,
                                       DType::int2,
                                       DType::uint2};

inline constexpr DType low_bit_dtypes[] = {DType::float8_e4m3fn,  DType::float8_e4m3fnuz,
                                           DType::float8_e5m2,    DType::float8_e5m2fnuz,
                                           DType::float8_e8m0fnu, DType::float4_e2m1fn,
                                           DType::int4,           DType::uint4,
                                           DType::int2,           DType::uint2};

// "bool", "int32", "float16", "bfloat16", "uint8".
std::string_view name(DType dtype);

// The dtype of that name; otherwise NameError E0680 with the nearest names.
DType parse_dtype(std::string_view text);

// Bytes of one element.
std::size_t size_of(DType dtype);

bool is_floating(DType dtype);
bool is_integer(DType dtype);  // a bool is not an integer

bool is_unsigned(DType dtype);  // uint2 to uint64

// Whether it is one of low_bit_dtypes.
bool is_low_bit(DType dtype);
// Raises TypeError E1364: elements of a low-bit dtype are not computed with.
[[noreturn]] void refuse_low_bit(DType dtype);

// Whether ops compute it as another dtype: an integer other than int32 and int64, or a low-bit
// dtype, whose elements ops only move.
bool is_stored_only(DType dtype);
// The dtype that ops compute it as: int32 for integers of up to 16 bits, int64 for uint32 and
// uint64, float32 for float8 and float4, otherwise the same. All of them but uint64 hold the same
// numbers.
DType widened(DType dtype);

// The dtype of sums and of an optimizer's step, as at::opmath_type: float32 for float16 and
// bfloat16, otherwise the same.
DType opmath_dtype(DType dtype);

// The dtype of arithmetic between the two: bool < integers < the floating types, of which the
// wider wins. A signed and an unsigned integer give the narrowest signed one that holds both, as
// int16 for uint8 with int8, and int64 for uint64. float16 with bfloat16 gives float32, which holds
// both. An integer never widens a floating type. A low-bit dtype with another dtype counts as the
// widened one.
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
inline constexpr DType dtype_of<std::uint16_t> = DType::uint16;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::uint32;
template <>
inline constexpr DType dtype_of<std::uint64_t> = DType::uint64;
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

// Calls function(T{}) with the C++ type of a dtype that ops compute in, and returns what it
// returns; kernels need no code for the others.
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
    default:
      break;
  }
  if (is_low_bit(dtype)) refuse_low_bit(dtype);
  MITHRIL_CHECK(false, "ops compute in other dtypes");
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
    case DType::uint16:
      return function(std::uint16_t{});
    case DType::uint32:
      return function(std::uint32_t{});
    case DType::uint64:
      return function(std::uint64_t{});
    default:
      return visit_computed_dtype(dtype, std::forward<Function>(function));
  }
}

}  // namespace mithril
