// Rows of bitwise_not.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(bitwise_not) {
  return {
      {.name = "bools",
       .inputs = {{"input", tensor({2}, {0, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({2}, {1, 0}).as(DType::boolean)}}},
      {.name = "ints",
       .inputs = {{"input", tensor({4}, {0, 1, -1, 6}).as(DType::int64)}},
       .expect = {{"output", tensor({4}, {-1, -2, 0, -7}).as(DType::int64)}}},
      {.name = "the least and the largest int32",
       .inputs = {{"input", tensor({2}, {-2147483648.0, 2147483647.0}).as(DType::int32)}},
       .expect = {{"output", tensor({2}, {2147483647.0, -2147483648.0}).as(DType::int32)}}},
      {.name = "rank 0", .inputs = {{"input", integers({}, -9, 10)}}},
      {.name = "one element", .inputs = {{"input", booleans({1})}}},
      {.name = "no elements", .inputs = {{"input", integers({0, 2}, 0, 2)}}},
      {.name = "a bool", .inputs = {{"input", true}}, .expect = {{"output", false}}},
      {.name = "an int", .inputs = {{"input", 5}}, .expect = {{"output", -6}}},
      {.name = "floats are refused", .inputs = {{"input", normal({2})}}, .error = "E0301"},
  };
}
