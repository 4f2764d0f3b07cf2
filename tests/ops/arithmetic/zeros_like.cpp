// Rows of zeros_like.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(zeros_like) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({2}).as(DType::float32)}}},
      {.name = "ints",
       .inputs = {{"input", integers({2}, 1, 9)}},
       .expect = {{"output", tensor({2}, {0, 0}).as(DType::int64)}}},
      {.name = "bools",
       .inputs = {{"input", booleans({1})}},
       .expect = {{"output", tensor({1}, {0}).as(DType::boolean)}}},
      {.name = "a number is not a tensor", .inputs = {{"input", 2.0}}, .error = "E0301"},
  };
}
