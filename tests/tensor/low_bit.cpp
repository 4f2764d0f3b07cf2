// Elements of 8 bits and fewer: numbers that can be checked by hand, packing and DLPack. All codes
// and all borders are compared with ml_dtypes in python/tests/backends/test_low_bit.py.
#include "mithril/tensor/low_bit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "mithril/serialization/stored_elements.hpp"
#include "mithril/tensor/dlpack.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

constexpr float inf = std::numeric_limits<float>::infinity();

Tensor through(DType dtype, const std::vector<float>& numbers) {
  return Tensor::of(numbers).to(dtype).to(DType::float32);
}

}  // namespace

TEST_CASE("floats are rounded to the nearest number, ties to even") {
  CHECK(identical(through(DType::float8_e4m3fn, {1.0625F, 1.1875F, -0.3F, 448, 0.0009F}),
                  Tensor::of<float>({5}, {1, 1.25F, -0.3125F, 448, 0})));
  CHECK(identical(through(DType::float4_e2m1fn, {0.25F, 0.75F, 2.5F, -5, 7, 1000}),
                  Tensor::of<float>({6}, {0, 1, 2, -4, 6, 6})));
  CHECK(identical(through(DType::float8_e8m0fnu, {1, 3, 0.25F}),
                  Tensor::of<float>({3}, {1, 4, 0.25F})));
}

TEST_CASE("floats beyond the largest number become infinite, NaN, or that number") {
  CHECK(std::isnan(through(DType::float8_e4m3fn, {465}).item()));
  CHECK(through(DType::float8_e4m3fn, {464}).item() == 448);
  CHECK(through(DType::float8_e5m2, {-1e9F}).item() == -inf);
  CHECK(std::isnan(through(DType::float8_e5m2fnuz, {inf}).item()));
  CHECK(through(DType::float4_e2m1fn, {-inf}).item() == -6);
}

TEST_CASE("integers wrap, and floats are rounded towards zero first") {
  const Tensor ints = Tensor::of<std::int64_t>({4}, {7, 8, -9, 1LL << 40});
  CHECK(identical(ints.to(DType::int4).to(DType::int64),
                  Tensor::of<std::int64_t>({4}, {7, -8, 7, 0})));
  CHECK(identical(through(DType::uint2, {3.9F, 4, -1, std::nanf("")}),
                  Tensor::of<float>({4}, {3, 0, 3, 0})));
}

TEST_CASE("elements of few bits are packed from the lowest bits") {
  const Tensor ints = Tensor::of<std::int32_t>({3}, {1, -1, 7}).to(DType::int4);
  const std::vector<std::byte> bytes = packed(ints);
  CHECK(bytes == std::vector<std::byte>{std::byte{0xF1}, std::byte{0x07}});
  CHECK(identical(unpacked(DType::int4, {3}, bytes), ints));
  const Tensor twos = Tensor::of<std::int32_t>({5}, {0, 1, 2, 3, 1}).to(DType::uint2);
  CHECK(packed(twos) == std::vector<std::byte>{std::byte{0xE4}, std::byte{0x01}});
  CHECK(identical(unpacked(DType::uint2, {5}, packed(twos)), twos));
}

TEST_CASE("DLPack says that elements of few bits have a byte each") {
  dlpack::DLManagedTensorVersioned* managed = to_dlpack(Tensor(DType::int2, {3}));
  CHECK((managed->flags & dlpack::DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0);
  CHECK(managed->dl_tensor.dtype.bits == 2);
  managed->flags = 0;
  CHECK(
      text_of_error([&] { from_dlpack(managed); }) ==
      "mithril.TypeError[E1367]: a DLPack tensor of int2 with several elements in a byte cannot be "
      "shared\n"
      "  help: give each element a byte, and say so in the flags of DLPack 1.1");
  managed->deleter(managed);
  CHECK_THROWS_AS(to_dlpack_unversioned(Tensor(DType::int2, {3})), TypeError);
}

TEST_CASE("tensors of few bits print their numbers") {
  const Tensor x = Tensor::of<float>({2}, {0.5F, -6}).to(DType::float4_e2m1fn);
  CHECK(to_string(x) == "float4_e2m1fn[2] {0.5, -6}");
  CHECK(to_string(Tensor::full(DType::int4, {1}, -3)) == "int4[1] {-3}");
}

}  // namespace mithril
