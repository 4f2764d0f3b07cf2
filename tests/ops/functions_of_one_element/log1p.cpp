// Rows of log1p.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(log1p) {
  return {
      {.name = "a matrix", .inputs = {{"input", uniform({3, 4}, -0.9, 3)}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", positive({4, 5}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 0, 9)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({6}, {0, 1.718281828459045, 1e-20, -1, -2, INFINITY})}},
       .expect = {{"output", tensor({6}, {0, 1, 1e-20, -INFINITY, NAN, INFINITY})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
