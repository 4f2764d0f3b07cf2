// Rows of float_to_bits.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(float_to_bits) {
  return {
      {.name = "float32 to int32",
       .inputs = {{"input", normal({3, 4}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "float64 to int64",
       .inputs = {{"input", tensor({2}, {1, -2})}, {"dtype", DType::int64}},
       .expect = {{"output",
                   tensor({2}, {4607182418800017408, -4611686018427387904}).as(DType::int64)}},
       .only_float64 = "the bits are those of float64"},
      {.name = "rank 0",
       .inputs = {{"input", normal({}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "one element",
       .inputs = {{"input", normal({1}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "no elements",
       .inputs = {{"input", normal({0, 3}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "ints",
       .inputs = {{"input", tensor({2}, {0, 1}).as(DType::int32)}, {"dtype", DType::int32}},
       .error = "E0301"},
  };
}
