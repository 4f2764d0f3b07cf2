// Rows of eye_complement.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(eye_complement) {
  return {
      {.name = "a square",
       .inputs = {{"N", 2}},
       .expect = {{"output", tensor({2, 2}, {0, 1, 1, 0})}}},
      {.name = "wide",
       .inputs = {{"N", 2}, {"M", 3}},
       .expect = {{"output", tensor({2, 3}, {0, 1, 1, 1, 0, 1})}}},
      {.name = "one element", .inputs = {{"N", 1}}},
      {.name = "no rows", .inputs = {{"N", 0}, {"M", 2}}},
      {.name = "ints",
       .inputs = {{"N", 2}, {"dtype", DType::int64}},
       .expect = {{"output", tensor({2, 2}, {0, 1, 1, 0}).as(DType::int64)}}},
      {.name = "a negative size",
       .inputs = {{"N", -1}},
       .error = "E0402",
       .message = "a size is negative"},
  };
}
