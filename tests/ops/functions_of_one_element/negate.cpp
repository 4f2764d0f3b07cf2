// Rows of negate.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(negate) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({3}, {1, -2, INFINITY})}},
       .expect = {{"output", tensor({3}, {-1, 2, -INFINITY})}},
       .hold = {"input"}},
      {.name = "the smallest int wraps",
       .inputs = {{"input", tensor({1}, {-2147483648.0}).as(DType::int32)}},
       .expect = {{"output", tensor({1}, {-2147483648.0}).as(DType::int32)}}},
      {.name = "an int", .inputs = {{"input", 3}}, .expect = {{"output", -3}}},
      {.name = "a float", .inputs = {{"input", 0.5}}, .expect = {{"output", -0.5}}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
