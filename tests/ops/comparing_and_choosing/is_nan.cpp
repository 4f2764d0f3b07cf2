// Rows of is_nan.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(is_nan) {
  return {
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {1, NAN, INFINITY, -NAN})}},
       .expect = {{"output", tensor({4}, {0, 1, 0, 1}).as(DType::boolean)}}},
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", tensor({2}, {NAN, 1}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 9)}}},
      {.name = "bools", .inputs = {{"input", booleans({3})}}},
      {.name = "a number is not a tensor", .inputs = {{"input", 2.0}}, .error = "E0301"},
  };
}
