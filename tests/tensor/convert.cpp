// Conversions between dtypes, including cases that C++ or NumPy leave undefined.
#include "mithril/tensor/convert.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr auto smallest32 = std::numeric_limits<std::int32_t>::min();
constexpr auto smallest64 = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("floating values go towards zero on the way to integers") {
  CHECK(convert<std::int32_t>(2.9) == 2);
  CHECK(convert<std::int64_t>(-2.9F) == -2);
  CHECK(convert<std::int32_t>(float16(-0.5)) == 0);
}

TEST_CASE("the largest values that fit are kept") {
  CHECK(convert<std::int32_t>(2147483647.5) == 2147483647);
  CHECK(convert<std::int32_t>(-2147483648.9) == smallest32);
  CHECK(convert<std::int64_t>(0x1.fffffffffffffp62) == 0x7FFFFFFFFFFFFC00);
}

TEST_CASE("a float that no integer holds becomes the smallest integer") {
  CHECK(convert<std::int32_t>(nan) == smallest32);
  CHECK(convert<std::int32_t>(2147483648.0) == smallest32);
  CHECK(convert<std::int32_t>(-infinity) == smallest32);
  CHECK(convert<std::int64_t>(0x1p63) == smallest64);
  CHECK(convert<std::int64_t>(float16(infinity)) == smallest64);
}

TEST_CASE("wide integers wrap on the way to narrow ones") {
  CHECK(convert<std::int32_t>((std::int64_t{1} << 32) + 7) == 7);
  CHECK(convert<std::int32_t>(std::int64_t{1} << 31) == smallest32);
}

TEST_CASE("every number but zero converts to true, NaN included") {
  CHECK(convert<bool>(nan));
  CHECK(convert<bool>(bfloat16(0.25)));
  CHECK(convert<bool>(std::int64_t{1} << 32));
  CHECK(!convert<bool>(-0.0));
  CHECK(!convert<bool>(float16(-0.0)));
}

TEST_CASE("true is one") {
  CHECK(convert<std::int64_t>(true) == 1);
  CHECK(convert<float>(true) == 1.0F);
  CHECK(static_cast<float>(convert<bfloat16>(true)) == 1.0F);
}

TEST_CASE("integers round to the nearest floating value") {
  CHECK(convert<float>(std::int32_t{16777217}) == 16777216.0F);
  CHECK(convert<float>(std::int32_t{16777219}) == 16777220.0F);
  CHECK(convert<float16>(std::int32_t{2049}).bits == float16(2048).bits);
  CHECK(convert<double>(std::int64_t{9007199254740993}) == 9007199254740992.0);
}

TEST_CASE("a number too large for a floating type becomes infinite") {
  CHECK(convert<float>(1e300) == std::numeric_limits<float>::infinity());
  CHECK(convert<float16>(std::int64_t{1} << 40).bits == 0x7C00);
}

TEST_CASE("a double becomes a 16-bit value in one rounding") {
  CHECK(convert<float16>(1.0 + 0x1p-11 + 0x1p-40).bits == 0x3C01);
}

TEST_CASE("tensors of bfloat16 hold each float as the type rounds it, and convert it back") {
  std::vector<float> floats;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower : {0x0000U, 0x0001U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU}) {
      floats.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  const Tensor given = Tensor::of<float>({std::ssize(floats)}, floats);
  const Tensor narrow = given.to(DType::bfloat16), wide = narrow.to(DType::float32);
  int wrong = 0;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const bfloat16 expected(floats[i]);
    wrong += narrow.values<bfloat16>()[i].bits != expected.bits;
    wrong += std::bit_cast<std::uint32_t>(wide.values<float>()[i]) !=
             std::bit_cast<std::uint32_t>(static_cast<float>(expected));
  }
  CHECK(wrong == 0);
}

TEST_CASE("the extreme values of integers convert to wider dtypes and back") {
  const auto check = [](DType dtype, std::vector<std::int64_t> values) {
    const Tensor wide = Tensor::of(values), narrow = wide.to(dtype);
    CHECK(identical(narrow.to(DType::int64), wide));
    CHECK(narrow.at_as_double(0) == static_cast<double>(values[0]));
    CHECK(narrow.at_as_double(1) == static_cast<double>(values[1]));
    for (const DType through : all_dtypes) {
      if (is_low_bit(through)) continue;
      const bool holds = size_of(through) > size_of(dtype) && through != DType::bfloat16 &&
                         !(through == DType::float16 && dtype == DType::int16);
      if (holds) CHECK(identical(narrow.to(through).to(dtype), narrow));
    }
  };
  check(DType::int8, {-128, 127});
  check(DType::int16, {-32768, 32767});
  check(DType::uint8, {0, 255});
}

TEST_CASE("integers wrap to narrow ones, and floats out of range give the smallest") {
  const Tensor ints = Tensor::of(std::vector<std::int64_t>{128, -129, 256, 65536 + 5});
  CHECK(identical(ints.to(DType::int8), Tensor::of<std::int8_t>({4}, {-128, 127, 0, 5})));
  CHECK(identical(ints.to(DType::uint8), Tensor::of<std::uint8_t>({4}, {128, 127, 0, 5})));
  CHECK(identical(ints.to(DType::int16), Tensor::of<std::int16_t>({4}, {128, -129, 256, 5})));
  const Tensor reals = Tensor::of(std::vector<double>{-128.9, 127.9, 128, nan, -0.9, 255.9, 256});
  CHECK(identical(reals.to(DType::int8),
                  Tensor::of<std::int8_t>({7}, {-128, 127, -128, -128, 0, -128, -128})));
  CHECK(identical(reals.to(DType::uint8),
                  Tensor::of<std::uint8_t>({7}, {0, 127, 128, 0, 0, 255, 0})));
}

TEST_CASE("small integers convert to every dtype and back exactly") {
  const Tensor start = Tensor::of<std::int32_t>({2}, {0, 1});
  for (const DType through : all_dtypes) {
    for (const DType to : all_dtypes) {
      // float8_e8m0fnu has no zero.
      if (through == DType::float8_e8m0fnu || to == DType::float8_e8m0fnu) continue;
      CHECK(identical(start.to(through).to(to).to(DType::int32), start));
    }
  }
}

}  // namespace mithril
