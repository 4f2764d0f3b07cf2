// Rows of tanh.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(tanh) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({3}, {0, INFINITY, -INFINITY})}},
       .expect = {{"output", tensor({3}, {0, 1, -1})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
