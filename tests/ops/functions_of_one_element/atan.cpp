// Rows of atan.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(atan) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", positive({4, 5}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {0, 1, -1, INFINITY})}},
       .expect = {{"output",
                   tensor({4}, {0, 0.7853981633974483, -0.7853981633974483, 1.5707963267948966})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
