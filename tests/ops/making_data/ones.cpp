// Rows of ones.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(ones) {
  return {
      {.name = "a matrix",
       .inputs = {{"shape", ints({2, 3})}},
       .expect = {{"output", tensor({2, 3}, {1, 1, 1, 1, 1, 1})}}},
      {.name = "a scalar", .inputs = {{"shape", Tuple{}}}, .expect = {{"output", tensor({}, {1})}}},
      {.name = "an int is a row",
       .inputs = {{"shape", 2}},
       .expect = {{"output", tensor({2}, {1, 1})}}},
      {.name = "no elements", .inputs = {{"shape", ints({0, 3})}}},
      {.name = "ints",
       .inputs = {{"shape", ints({1})}, {"dtype", DType::int32}},
       .expect = {{"output", tensor({1}, {1}).as(DType::int32)}}},
      {.name = "bools",
       .inputs = {{"shape", ints({2})}, {"dtype", DType::boolean}},
       .expect = {{"output", tensor({2}, {1, 1}).as(DType::boolean)}}},
      {.name = "float32",
       .inputs = {{"shape", ints({1})}, {"dtype", DType::float32}},
       .expect = {{"output", tensor({1}, {1}).as(DType::float32)}}},
      {.name = "a negative size",
       .inputs = {{"shape", ints({2, -1})}},
       .error = "E0402",
       .message = "a size is negative"},
  };
}
