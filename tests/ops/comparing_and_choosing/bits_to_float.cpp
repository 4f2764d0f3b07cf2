// Rows of bits_to_float.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(bits_to_float) {
  return {
      {.name = "int32 to float32",
       .inputs = {{"input", tensor({3}, {0, 1065353216, -1073741824}).as(DType::int32)},
                  {"dtype", DType::float32}},
       .expect = {{"output", tensor({3}, {0, 1, -2}).as(DType::float32)}}},
      {.name = "int64 to float64",
       .inputs = {{"input", tensor({2}, {4607182418800017408, 0}).as(DType::int64)},
                  {"dtype", DType::float64}},
       .expect = {{"output", tensor({2}, {1, 0})}}},
      {.name = "rank 0",
       .inputs = {{"input", tensor({}, {1065353216}).as(DType::int32)}, {"dtype", DType::float32}},
       .expect = {{"output", tensor({}, {1}).as(DType::float32)}}},
      {.name = "one element",
       .inputs = {{"input", tensor({1}, {1077936128}).as(DType::int32)}, {"dtype", DType::float32}},
       .expect = {{"output", tensor({1}, {3}).as(DType::float32)}}},
      {.name = "no elements",
       .inputs = {{"input", tensor({0, 3}, {}).as(DType::int32)}, {"dtype", DType::float32}}},
      {.name = "floats",
       .inputs = {{"input", normal({2}).as(DType::float32)}, {"dtype", DType::float32}},
       .error = "E0301"},
  };
}
