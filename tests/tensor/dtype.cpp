// Names, sizes, families and promotion of dtypes.
#include "mithril/tensor/dtype.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>

namespace mithril {

TEST_CASE("a dtype is parsed from its name") {
  for (const DType dtype : all_dtypes) CHECK(parse_dtype(name(dtype)) == dtype);
}

TEST_CASE("an unknown dtype gives the known ones and the nearest") {
  std::string text;
  try {
    parse_dtype("flaot32");
  } catch (const NameError& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.NameError[E0680]: there is no dtype 'flaot32'\n"
        "  known : bool, int32, int64, float16, bfloat16, float32, float64, int8, int16, uint8, "
        "uint16, uint32, uint64, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, "
        "float8_e8m0fnu, float4_e2m1fn, int4 and 3 more\n"
        "  help: did you mean 'float32'?");
}

TEST_CASE("float8 is not a dtype, and the dtypes of float8 are near it") {
  CHECK_THROWS_WITH_AS(
      parse_dtype("float8"),
      doctest::Contains("did you mean 'float8_e4m3fn', 'float8_e4m3fnuz' or 'float8_e5m2'?"),
      NameError);
}

TEST_CASE("visit_dtype calls with the type that the dtype stores") {
  for (const DType dtype : all_dtypes) {
    if (is_low_bit(dtype)) continue;
    visit_dtype(dtype, [&](auto zero) {
      CHECK(dtype_of<decltype(zero)> == dtype);
      CHECK(sizeof(zero) == size_of(dtype));
    });
  }
}

TEST_CASE("visit_dtype returns the result of the function") {
  CHECK(visit_dtype(DType::int64, [](auto zero) { return sizeof(zero); }) == 8);
}

TEST_CASE("a dtype outside the enumeration is a bug of ours") {
  CHECK_THROWS_AS(name(static_cast<DType>(23)), InternalError);
  CHECK_THROWS_AS(visit_dtype(static_cast<DType>(23), [](auto) {}), InternalError);
}

TEST_CASE("ops compute all dtypes but integers of 8 and 16 bits and unsigned ones, which widen") {
  std::size_t computed = 0;
  for (const DType dtype : all_dtypes) {
    CHECK(is_stored_only(dtype) == (widened(dtype) != dtype));
    CHECK(!is_stored_only(widened(dtype)));
    if (is_low_bit(dtype)) {
      CHECK_THROWS_AS(visit_dtype(dtype, [](auto) {}), TypeError);
    } else if (is_stored_only(dtype)) {
      CHECK_THROWS_AS(visit_computed_dtype(dtype, [](auto) {}), InternalError);
    } else {
      CHECK(computed_dtypes[computed++] == dtype);
      visit_computed_dtype(dtype, [&](auto zero) { CHECK(dtype_of<decltype(zero)> == dtype); });
    }
  }
  CHECK(computed == std::size(computed_dtypes));
  for (const DType dtype : {DType::int8, DType::int16, DType::uint8, DType::uint16})
    CHECK(widened(dtype) == DType::int32);
  for (const DType dtype : {DType::uint32, DType::uint64}) CHECK(widened(dtype) == DType::int64);
}

TEST_CASE("every dtype is bool, integer or floating") {
  CHECK(!is_integer(DType::boolean));
  CHECK(!is_floating(DType::boolean));
  CHECK(is_integer(DType::int32));
  CHECK(is_integer(DType::int64));
  CHECK(is_integer(DType::int8));
  CHECK(is_integer(DType::int16));
  CHECK(is_integer(DType::uint8));
  for (const DType dtype : all_dtypes) {
    CHECK(is_unsigned(dtype) == name(dtype).starts_with("uint"));
    CHECK((!is_unsigned(dtype) || is_integer(dtype)));
  }
  CHECK(is_floating(DType::float16));
  CHECK(is_floating(DType::bfloat16));
  CHECK(is_floating(DType::float32));
  CHECK(is_floating(DType::float64));
}

TEST_CASE("promotion is symmetric and keeps a dtype with itself") {
  for (const DType a : all_dtypes) {
    CHECK(promote(a, a) == a);
    for (const DType b : all_dtypes) CHECK(promote(a, b) == promote(b, a));
  }
}

TEST_CASE("promotion of three dtypes does not depend on their order") {
  for (const DType a : all_dtypes) {
    for (const DType b : all_dtypes) {
      for (const DType c : all_dtypes) {
        CHECK(promote(promote(a, b), c) == promote(a, promote(b, c)));
      }
    }
  }
}

TEST_CASE("bool yields to integers, integers to floating types, the narrow to the wide") {
  CHECK(promote(DType::boolean, DType::int32) == DType::int32);
  CHECK(promote(DType::int32, DType::int64) == DType::int64);
  CHECK(promote(DType::int64, DType::float16) == DType::float16);
  CHECK(promote(DType::boolean, DType::bfloat16) == DType::bfloat16);
  CHECK(promote(DType::bfloat16, DType::float32) == DType::float32);
  CHECK(promote(DType::float16, DType::float64) == DType::float64);
}

TEST_CASE("integers promote to the narrowest one that holds both") {
  CHECK(promote(DType::boolean, DType::uint8) == DType::uint8);
  CHECK(promote(DType::uint8, DType::int8) == DType::int16);
  CHECK(promote(DType::uint8, DType::int16) == DType::int16);
  CHECK(promote(DType::int8, DType::int16) == DType::int16);
  CHECK(promote(DType::int16, DType::int32) == DType::int32);
  CHECK(promote(DType::uint8, DType::int64) == DType::int64);
  CHECK(promote(DType::int16, DType::float16) == DType::float16);
  CHECK(promote(DType::uint8, DType::uint16) == DType::uint16);
  CHECK(promote(DType::uint16, DType::int16) == DType::int32);
  CHECK(promote(DType::uint32, DType::int32) == DType::int64);
  CHECK(promote(DType::uint32, DType::uint64) == DType::uint64);
  CHECK(promote(DType::uint64, DType::int8) == DType::int64);
  CHECK(promote(DType::uint64, DType::float16) == DType::float16);
}

TEST_CASE("the two 16-bit types give float32, which holds both") {
  CHECK(promote(DType::float16, DType::bfloat16) == DType::float32);
}

}  // namespace mithril
