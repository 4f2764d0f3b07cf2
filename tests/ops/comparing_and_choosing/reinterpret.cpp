// Rows of reinterpret.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(reinterpret) {
  return {
      {.name = "float32 to int32",
       .inputs = {{"input", normal({3, 4}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "int32 to float32",
       .inputs = {{"input", tensor({3}, {0, 1065353216, -1073741824}).as(DType::int32)},
                  {"dtype", DType::float32}},
       .expect = {{"output", tensor({3}, {0, 1, -2}).as(DType::float32)}}},
      {.name = "float64 to int64",
       .inputs = {{"input", tensor({2}, {1, -2})}, {"dtype", DType::int64}},
       .expect = {{"output",
                   tensor({2}, {4607182418800017408, -4611686018427387904}).as(DType::int64)}},
       .only_float64 = "the bits are those of float64"},
      {.name = "int64 to float64",
       .inputs = {{"input", tensor({2}, {4607182418800017408, 0}).as(DType::int64)},
                  {"dtype", DType::float64}},
       .expect = {{"output", tensor({2}, {1, 0})}}},
      {.name = "rank 0",
       .inputs = {{"input", normal({}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "one element",
       .inputs = {{"input", normal({1}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "no elements",
       .inputs = {{"input", normal({0, 3}).as(DType::float32)}, {"dtype", DType::int32}}},
      {.name = "bools",
       .inputs = {{"input", tensor({2}, {0, 1}).as(DType::boolean)}, {"dtype", DType::int32}},
       .error = "E0301"},
  };
}
